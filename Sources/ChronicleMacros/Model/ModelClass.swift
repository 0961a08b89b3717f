import SwiftSyntax

/// A class with `@Model`, as far as its declaration tells.
struct ModelClass {
    let declaration: ClassDeclSyntax
    let properties: [StoredProperty]
    let initializers: [InitializerDeclSyntax]

    init(_ declaration: ClassDeclSyntax) {
        self.declaration = declaration
        let members = declaration.memberBlock.members
        properties = members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.flatMap(StoredProperty.all)
        initializers = members.withConditional.compactMap { $0.as(InitializerDeclSyntax.self) }
    }

    var name: String { declaration.name.trimmed.text }
    var isFinal: Bool { declaration.modifiers.contains(.final) }
    /// Whether it has initialisers that others can build on. Without any, Swift gives a class `init()`.
    var hasDesignatedInitializer: Bool { !initializers.allSatisfy { $0.modifiers.contains(.convenience) } }
    /// Whether the superclass is the one that the text alone tells from a protocol.
    var inheritsFromNSObject: Bool {
        declaration.inheritanceClause?.inheritedTypes.first?.type.lastName == "NSObject"
    }
    /// What a store keeps.
    var persistent: [StoredProperty] { properties.filter { !$0.isTransient } }

    /// What members that others need begin with: the class's own access, as far as members can have it.
    var access: String {
        let levels: [Keyword] = [.public, .package, .fileprivate]
        if declaration.modifiers.contains(.open) { return "public " }
        return levels.first(where: declaration.modifiers.contains).map { "\($0) " } ?? ""
    }

    /// Whether the class itself declares a property with this name, of its instances or of the class.
    func declares(_ name: String, isStatic: Bool) -> Bool {
        declaration.memberBlock.members.withConditional.contains { member in
            guard let variable = member.as(VariableDeclSyntax.self),
                isStatic == (variable.has(.static) || variable.has(.class))
            else { return false }
            return variable.bindings.contains {
                $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
            }
        }
    }

    var declaresRowInitializer: Bool {
        initializers.contains { $0.signature.parameterClause.parameters.first?.firstName.text == "backingData" }
    }
}

extension MemberBlockItemListSyntax {
    /// The members, and those in every branch of `#if`.
    var withConditional: [DeclSyntax] {
        flatMap { $0.decl.as(IfConfigDeclSyntax.self)?.members ?? [$0.decl] }
    }
}

extension IfConfigDeclSyntax {
    /// The members of a type in all of its branches.
    var members: [DeclSyntax] {
        clauses.flatMap { $0.elements?.as(MemberBlockItemListSyntax.self)?.withConditional ?? [] }
    }
}

extension TypeSyntaxProtocol {
    /// The name without what it stands in.
    var lastName: String? {
        Syntax(self).as(MemberTypeSyntax.self)?.name.text ?? Syntax(self).as(IdentifierTypeSyntax.self)?.name.text
    }
}

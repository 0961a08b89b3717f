import SwiftSyntax

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
    /// Without a designated initializer, the compiler adds `init()`.
    var hasDesignatedInitializer: Bool { !initializers.allSatisfy { $0.modifiers.contains(.convenience) } }
    /// The only superclass that the source text distinguishes from a protocol.
    var inheritsFromNSObject: Bool {
        declaration.inheritanceClause?.inheritedTypes.first?.type.lastName == "NSObject"
    }
    /// The properties that an initializer assigns without calling observers; see ``ModelInitializerMacro``.
    var observed: [StoredProperty] { persistent.filter { $0.hasObservers && $0.canBeWrapped } }
    /// The sorted names of the methods of instances in the body of the class.
    var methods: [String] {
        let methods = declaration.memberBlock.members.withConditional.compactMap { $0.as(FunctionDeclSyntax.self) }
            .filter { method in !method.modifiers.contains { ["static", "class"].contains($0.name.text) } }
        return Set(methods.map { $0.name.text.filter { $0 != "`" } }).sorted()
    }
    var overridden: [TokenSyntax] {
        declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter { $0.has(.override) && !$0.has(.class) && !$0.has(.static) }
            .flatMap { $0.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed } }
    }
    /// The generic parameter for the class or a subclass must differ from the names in its constraint and in the type of
    /// the superclass.
    var parameterName: String {
        let used = [name, declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription ?? ""]
            .flatMap { $0.split { !$0.isLetter && $0 != "_" && !$0.isNumber } }
        return ["Model", "Class", "Subclass"].first { !used.contains(Substring($0)) } ?? "Model"
    }
    var persistent: [StoredProperty] { properties.filter { !$0.isTransient } }

    /// The modifier of generated members: that of the class, where members can have it.
    var access: String {
        let levels: [Keyword] = [.public, .package, .fileprivate]
        if declaration.modifiers.contains(.open) { return "public " }
        return levels.first(where: declaration.modifiers.contains).map { "\($0) " } ?? ""
    }

    /// The modifier of generated members that subclasses override.
    var overridableAccess: String { declaration.modifiers.contains(.open) ? "open " : access }

    /// Whether the class has `@Model` and may inherit from a model, as far as the source text shows.
    var mayBeSubclass: Bool {
        declaration.inheritanceClause != nil && !declaration.declaresConformance
            && declaration.attributes.first(named: "Model") != nil
    }

    /// The macros declare functions if ``mayBeSubclass`` is true.
    var constraints: [(name: String, type: String)] {
        [("Unique", "uniqueness", "Uniqueness"), ("Index", "indices", "Indices")].filter { expands($0.0) }
            .map { ($0.1, $0.2) }
    }

    func expands(_ macro: String) -> Bool {
        declaration.memberBlock.members.contains {
            $0.decl.as(MacroExpansionDeclSyntax.self)?.macroName.text == macro
        }
    }

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
    /// Includes every branch of `#if`.
    var withConditional: [DeclSyntax] {
        flatMap { $0.decl.as(IfConfigDeclSyntax.self)?.members ?? [$0.decl] }
    }
}

extension IfConfigDeclSyntax {
    /// The members in all branches.
    var members: [DeclSyntax] {
        clauses.flatMap { $0.elements?.as(MemberBlockItemListSyntax.self)?.withConditional ?? [] }
    }
}

extension TypeSyntaxProtocol {
    /// The name without qualification.
    var lastName: String? {
        Syntax(self).as(MemberTypeSyntax.self)?.name.text ?? Syntax(self).as(IdentifierTypeSyntax.self)?.name.text
    }
}

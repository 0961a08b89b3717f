import SwiftSyntax

/// A class with `@Model`, as far as its declaration tells.
struct ModelClass {
    let declaration: ClassDeclSyntax
    let properties: [StoredProperty]
    let initializers: [InitializerDeclSyntax]

    init(_ declaration: ClassDeclSyntax) {
        self.declaration = declaration
        let members = declaration.memberBlock.members.map(\.decl)
        properties = members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap(StoredProperty.all)
        initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    }

    var name: String { declaration.name.trimmed.text }
    var isFinal: Bool { declaration.modifiers.contains(.final) }
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
        declaration.memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self),
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

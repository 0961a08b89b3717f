import SwiftSyntax

struct StoredProperty {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    let identifier: TokenSyntax

    /// The name without backticks.
    var name: String { identifier.text.filter { $0 != "`" } }
    var isConstant: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }
    var isLazy: Bool { declaration.has(.lazy) || declaration.has(.weak) || declaration.has(.unowned) }
    var type: TypeSyntax? { binding.typeAnnotation?.type }
    var hasType: Bool { type != nil || binding.initializer != nil }
    var isMarkedTransient: Bool { attribute("Transient") != nil }
    /// A constant with a value is not stored: a fetch cannot set it.
    var isTransient: Bool { isMarkedTransient || (isConstant && binding.initializer != nil && wrapper == nil) }
    var wrapper: AttributeSyntax? { attribute("Attribute") ?? attribute("Relationship") }
    var isOptional: Bool {
        guard let type else { return false }
        return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
            || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }
    var isRequired: Bool { binding.initializer == nil && !isOptional }

    var hasObservers: Bool { binding.accessorBlock != nil }

    var isDeprecated: Bool {
        let arguments = attribute("available")?.arguments?.as(AvailabilityArgumentListSyntax.self)
        return arguments?.contains { $0.argument.trimmedDescription == "deprecated" } ?? false
    }

    func attribute(_ name: String) -> AttributeSyntax? {
        declaration.attributes.first(named: name) ?? guardedAttributes.lazy.compactMap { $0.first(named: name) }.first
    }

    /// The attributes in a condition that is true if the module of the macros exists: `#if canImport(SwiftData) … #endif`.
    private var guardedAttributes: [AttributeListSyntax] {
        let clauses = declaration.attributes.compactMap { $0.as(IfConfigDeclSyntax.self)?.clauses.first }
        return clauses.filter(\.importsThisModule).compactMap { $0.elements?.as(AttributeListSyntax.self) }
    }

    /// A wrapper in another condition, which a macro cannot evaluate.
    var conditionalWrapper: AttributeSyntax? {
        let clauses = declaration.attributes.compactMap { $0.as(IfConfigDeclSyntax.self) }.flatMap { condition in
            condition.clauses.dropFirst(condition.clauses.first?.importsThisModule == true ? 1 : 0)
        }
        let lists = clauses.compactMap { $0.elements?.as(AttributeListSyntax.self) }
        return lists.lazy.compactMap { list in
            ["Attribute", "Relationship", "Transient"].lazy.compactMap { list.first(named: $0) }.first
        }.first
    }
}

extension StoredProperty {
    /// Omits computed and static properties, and overrides, whose values the superclass stores.
    static func all(in declaration: VariableDeclSyntax) -> [StoredProperty] {
        guard !declaration.has(.static), !declaration.has(.class), !declaration.has(.override) else { return [] }
        return declaration.bindings.compactMap { binding in
            guard binding.isStored, let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
            return StoredProperty(declaration: declaration, binding: binding, identifier: pattern.identifier)
        }
    }
}

extension PatternBindingSyntax {
    fileprivate var isStored: Bool {
        guard let accessorBlock else { return true }
        guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
        return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }
}

extension VariableDeclSyntax {
    func has(_ modifier: Keyword) -> Bool { modifiers.contains(modifier) }
}

extension DeclModifierListSyntax {
    func contains(_ modifier: Keyword) -> Bool {
        contains { $0.name.tokenKind == .keyword(modifier) }
    }
}

extension AttributeListSyntax {
    /// Finds the attribute with or without a module name.
    func first(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.name == name }
    }
}

extension IfConfigClauseSyntax {
    fileprivate var importsThisModule: Bool {
        ["canImport(SwiftData)", "canImport(Chronicle)"].contains(condition?.trimmedDescription)
    }
}

extension AttributeSyntax {
    var name: String {
        attributeName.lastName ?? ""
    }
}

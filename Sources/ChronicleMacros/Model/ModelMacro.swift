import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model` generates the members described in `Documentation/Models.md`.
enum ModelMacro {}

extension ModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            ModelCheck.reportNoClass(declaration, node, context)
            return []
        }
        let model = ModelClass(declaration)
        var check = ModelCheck(model, context)
        switch check.validate(conformingTo: protocols) {
        case .model: return members(of: model) + originalName(node, model)
        case .subclass:
            return membersOfSubclass(model, originalName: originalName(of: node))
        case .invalid: return []
        }
    }

    private static func membersOfSubclass(_ model: ModelClass, originalName: ExprSyntax?) -> [DeclSyntax] {
        guard let superclass = model.declaration.inheritanceClause?.inheritedTypes.first?.type.trimmed else {
            return []
        }
        var members: [DeclSyntax] = []
        if !model.declares("modelSubclass", isStatic: true) {
            let added = ".adding([\(map(model.persistent))])\(overrides(model.overridden))"
            members.append(
                """
                \(raw: model.mapSignature) {
                    \(superclass).properties(of: model)\(raw: added)
                }
                """)
            var arguments = model.constraints.map { ", \($0.name): \($0.name)(of: \(model.name).self)" }
            if let originalName { arguments.append(", originalName: \(originalName)") }
            // Its own map has a literal outside of a generic function; see `members(of:)`.
            members.append(
                """
                \(raw: model.mapAttribute)\(raw: model.overridableAccess)override class var modelSubclass: \
                Chronicle::ModelSubclass? {
                    Chronicle::ModelSubclass(
                        \(superclass).properties(of: \(raw: model.name).self)\(raw: added)\
                \(raw: arguments.joined()))
                }
                """)
        }
        // Without designated initializers, the class inherits all initializers.
        if model.hasDesignatedInitializer, !model.declaresRowInitializer {
            members.append(
                """
                \(raw: model.access)required init(backingData: any Chronicle::BackingData<\(superclass).ModelClass>) {
                    super.init(backingData: backingData)
                }
                """)
        }
        return members
    }

    private static func members(of model: ModelClass) -> [DeclSyntax] {
        var members: [DeclSyntax] = []
        if !model.declares("properties", isStatic: true) {
            members.append(
                """
                \(raw: model.mapAttribute)\(raw: model.access)static let properties: Chronicle::PropertyMap<\(raw: model.name)> = \
                [\(raw: map(model.persistent))]
                """)
        }
        if !model.declares("properties", isStatic: true), !model.isFinal {
            // Subclasses need key paths of their own class to the inherited properties. The map of the class itself keeps
            // its literal, because Swift describes key paths of generic functions differently; see `Schema.path(of:from:)`.
            members.append(
                """
                \(raw: model.mapSignature) {
                    [\(raw: map(model.persistent))]
                }
                """)
            members.append(
                "\(raw: model.overridableAccess)class var modelSubclass: Chronicle::ModelSubclass? { nil }")
        }
        if model.mayBeSubclass {
            for (name, type) in model.constraints {
                members.append(
                    """
                    \(raw: model.access)static let \(raw: name): Chronicle::\(raw: type)<\(raw: model.name)> = \
                    \(raw: name)(of: \(raw: model.name).self)
                    """)
            }
        }
        if !model.declares("persistentBackingData", isStatic: false) {
            members.append(
                """
                \(raw: model.access)let persistentBackingData: any Chronicle::BackingData<\(raw: model.name)> = \
                \(raw: model.name).createBackingData()
                """)
        }
        if !model.declaresRowInitializer {
            members.append(
                """
                \(raw: model.access)\(raw: model.isFinal ? "" : "required ")init(backingData: any Chronicle::BackingData<\(raw: model.name)>) {
                    persistentBackingData.adopt(backingData)
                }
                """)
        }
        // The initializer that the compiler adds only to a class without initializers.
        if !model.hasDesignatedInitializer {
            members.append(model.inheritsFromNSObject ? "override init() {}" : "init() {}")
        }
        return members
    }

    /// The previous name of the entity, if the attribute specifies one.
    private static func originalName(_ node: AttributeSyntax, _ model: ModelClass) -> [DeclSyntax] {
        guard let name = originalName(of: node) else { return [] }
        return ["\(raw: model.access)static let originalEntityName: String? = \(name)"]
    }

    private static func originalName(of node: AttributeSyntax) -> ExprSyntax? {
        guard case .argumentList(let arguments)? = node.arguments else { return nil }
        return arguments.first?.expression
    }

    private static func map(_ properties: [StoredProperty]) -> String {
        if properties.isEmpty { return ":" }
        return properties.map { "\n    \"\($0.name)\": \\.\($0.identifier.text)," }.joined() + "\n"
    }

    /// Swift distinguishes the key paths of overrides from those of the superclass.
    private static func overrides(_ names: [TokenSyntax]) -> String {
        if names.isEmpty { return "" }
        let entries = names.map { "\"\($0.text.filter { $0 != "`" })\": \\.\($0.text)" }
        return ".overriding([\(entries.joined(separator: ", "))])"
    }
}

/// Adds a wrapper to each stored property without one, and ``ModelInitializerMacro`` to initializers if there are
/// observers.
extension ModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        // For a class that cannot be a model, an error was reported, and wrappers would cause further errors.
        guard let model = declaration.as(ClassDeclSyntax.self), model.genericParameterClause == nil,
            model.isReachable(in: context)
        else { return [] }
        if let initializer = member.as(InitializerDeclSyntax.self) { return attributes(of: initializer, in: model) }
        guard let variable = member.as(VariableDeclSyntax.self) else { return [] }
        let properties = StoredProperty.all(in: variable)
        // Properties that cannot have a wrapper are reported by `ModelCheck`.
        guard properties.count == 1, let property = properties.first, property.canBeWrapped,
            property.wrapper == nil, !property.isTransient, property.name != "persistentBackingData"
        else { return [] }
        return ["@Chronicle::Attribute"]
    }

    private static func attributes(
        of initializer: InitializerDeclSyntax, in model: ClassDeclSyntax
    ) -> [AttributeSyntax] {
        let (names, methods) = (ModelClass(model).observed.map(\.name), ModelClass(model).methods)
        // As in every class, a convenience initializer calls observers.
        guard let body = initializer.body, !initializer.modifiers.contains(.convenience),
            DirectAssignments(of: names, methods: methods, in: initializer).areContained(in: body)
        else { return [] }
        func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
        let suffix = methods.isEmpty ? "" : ", methods: [\(list(methods))]"
        return ["@Chronicle::ModelInitializer(\(raw: list(names))\(raw: suffix))"]
    }
}

extension ModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil,
            !protocols.isEmpty, declaration.isReachable(in: context)
        else { return [] }
        // A model belongs to its context, not to the default actor of its module.
        return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): Chronicle::PersistentModel {}")]
    }
}

extension ModelClass {
    /// Referring to a deprecated declaration is a warning, unless the referring declaration is deprecated too.
    fileprivate var mapAttribute: String {
        persistent.contains(where: \.isDeprecated) ? "@available(*, deprecated) " : ""
    }

    /// The declaration without its body.
    fileprivate var mapSignature: String {
        "\(mapAttribute)\(access)static func properties<\(parameterName): \(name)>(of model: \(parameterName).Type) -> "
            + "Chronicle::PropertyMap<\(parameterName)>"
    }
}

extension ClassDeclSyntax {
    fileprivate func isReachable(in context: some MacroExpansionContext) -> Bool {
        ModelPlace(of: self, in: context.lexicalContext) == .reachable
    }
}

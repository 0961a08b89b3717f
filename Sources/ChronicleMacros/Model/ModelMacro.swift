import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: adds to a class what one would write by hand, see `Documentation/Models.md`.
enum ModelMacro {}

/// What connects a model to its context, and the map of its properties.
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
        switch ModelCheck(model, context).verdict(conformingTo: protocols) {
        case .model: return members(of: model)
        case .heir: return membersOfHeir(model)
        case .nothing: return []
        }
    }

    /// Of a class that inherits from a model it has been said that it cannot. Swift need not say that it lacks this.
    private static func membersOfHeir(_ model: ModelClass) -> [DeclSyntax] {
        if !model.hasDesignatedInitializer || model.declaresRowInitializer { return [] }
        return ["\(raw: model.access)required init(backingData: Chronicle::BackingData) { fatalError() }"]
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
        if !model.declares("persistentBackingData", isStatic: false) {
            members.append("\(raw: model.access)let persistentBackingData = Chronicle::BackingData()")
        }
        if !model.declaresRowInitializer {
            members.append(
                """
                \(raw: model.access)\(raw: model.isFinal ? "" : "required ")init(backingData: Chronicle::BackingData) {
                    persistentBackingData.adopt(backingData)
                }
                """)
        }
        // What Swift gives to a class that has no initialiser; with the one above, it does not.
        if !model.hasDesignatedInitializer {
            members.append(model.inheritsFromNSObject ? "override init() {}" : "init() {}")
        }
        return members
    }

    private static func map(_ properties: [StoredProperty]) -> String {
        if properties.isEmpty { return ":" }
        return properties.map { "\n    \"\($0.name)\": \\.\($0.identifier.text)," }.joined() + "\n"
    }
}

/// The wrapper of each stored property that has none.
extension ModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        // A class that cannot be a model was reported, and its wrappers would say no more than that.
        guard let model = declaration.as(ClassDeclSyntax.self), model.genericParameterClause == nil,
            let variable = member.as(VariableDeclSyntax.self), model.isReachable(in: context)
        else { return [] }
        let properties = StoredProperty.all(in: variable)
        // What cannot have a wrapper is reported with the rest of the class.
        guard properties.count == 1, let property = properties.first, property.canBeWrapped,
            property.wrapper == nil, !property.isTransient, property.name != "persistentBackingData"
        else { return [] }
        return ["@Chronicle::Attribute"]
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
        // A model belongs to its context, and not to the actor that a module may have as its default.
        return [try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): Chronicle::PersistentModel {}")]
    }
}

extension ModelClass {
    /// Naming what is deprecated is a warning, unless what names it is as well.
    fileprivate var mapAttribute: String {
        persistent.contains(where: \.isDeprecated) ? "@available(*, deprecated) " : ""
    }
}

extension ClassDeclSyntax {
    fileprivate func isReachable(in context: some MacroExpansionContext) -> Bool {
        ModelPlace(of: self, in: context.lexicalContext) == .reachable
    }
}

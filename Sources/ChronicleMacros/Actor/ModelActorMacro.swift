import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let actor = declaration.as(ActorDeclSyntax.self) else {
            let diagnostic = MacroDiagnostic(
                id: "noActor", message: "@ModelActor can only be attached to an actor")
            let keyword = declaration.as(ClassDeclSyntax.self)?.classKeyword
            context.report(
                diagnostic, at: node,
                fixIts: keyword.map {
                    [.replace("make it an actor", $0, with: $0.with(\.tokenKind, .keyword(.actor)))]
                } ?? [])
            return []
        }
        let access = access(of: actor)
        var members: [DeclSyntax] = [
            "\(raw: access)nonisolated let modelExecutor: any Chronicle::ModelExecutor",
            "\(raw: access)nonisolated let modelContainer: Chronicle::ModelContainer",
        ]
        if let unset = unset(in: actor) {
            guard actor.initializers.isEmpty else { return members }
            context.report(
                MacroDiagnostic(
                    id: "actorInitializer",
                    message: "\(actor.name.trimmed.text) needs an initializer that assigns '\(unset.name)', "
                        + "'modelContainer', and 'modelExecutor'"), at: actor.name)
        } else if !actor.initializers.contains(where: \.acceptsContainer) {
            // Also added if there are other initializers, which may delegate to it.
            members.append(
                """
                \(raw: access)init(modelContainer: Chronicle::ModelContainer) {
                    self.modelContainer = modelContainer
                    modelExecutor = Chronicle::DefaultSerialModelExecutor(modelContext: Chronicle::ModelContext(modelContainer))
                }
                """)
        }
        return members
    }

    /// Only an explicit initializer can assign the property.
    private static func unset(in actor: ActorDeclSyntax) -> StoredProperty? {
        let variables = actor.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
        return variables.flatMap(StoredProperty.all).first {
            $0.binding.initializer == nil && ($0.isConstant || !$0.isOptional) && !$0.isLazy
                && $0.declaration.attributes.isEmpty
        }
    }

    private static func access(of actor: ActorDeclSyntax) -> String {
        let levels: [Keyword] = [.public, .package, .fileprivate]
        return levels.first(where: actor.modifiers.contains).map { "\($0) " } ?? ""
    }
}

extension ModelActorMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): Chronicle::ModelActor {}")]
    }
}

extension ActorDeclSyntax {
    fileprivate var initializers: [InitializerDeclSyntax] {
        memberBlock.members.withConditional.compactMap { $0.as(InitializerDeclSyntax.self) }
    }
}

extension InitializerDeclSyntax {
    fileprivate var acceptsContainer: Bool {
        let parameters = signature.parameterClause.parameters
        return parameters.first?.firstName.text == "modelContainer"
            && parameters.dropFirst().allSatisfy { $0.defaultValue != nil }
    }
}

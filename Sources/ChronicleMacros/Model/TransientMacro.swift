import SwiftSyntax
import SwiftSyntaxMacros

/// `@Transient` excludes a property from `@Model`, and adds nothing.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

import SwiftSyntax
import SwiftSyntaxMacros

/// The implementation of `@Transient`, which excludes a property from `@Model`. It adds nothing itself.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

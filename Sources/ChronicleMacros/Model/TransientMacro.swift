import SwiftSyntax
import SwiftSyntaxMacros

/// `@Transient`: `@Model` leaves the property alone. It adds nothing itself.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

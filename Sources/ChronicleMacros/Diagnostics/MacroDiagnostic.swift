import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What a macro has to say about a declaration, in the words of this package's other errors.
struct MacroDiagnostic: DiagnosticMessage, FixItMessage {
    let id: String
    let message: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "Chronicle", id: id) }
    var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
    func report(
        _ mistake: MacroDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []
    ) {
        diagnose(Diagnostic(node: node, message: mistake, fixIts: fixIts))
    }
}

extension FixIt {
    /// A change of one node.
    static func replace(
        _ message: String, _ old: some SyntaxProtocol, with new: some SyntaxProtocol
    ) -> FixIt {
        FixIt(
            message: MacroDiagnostic(id: "fix", message: message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

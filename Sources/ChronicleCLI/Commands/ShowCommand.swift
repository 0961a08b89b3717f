import Chronicle
import Foundation

/// `chronicle show`.
enum ShowCommand {
    static let command = Command(
        name: "show", summary: "show one transaction with its changes",
        discussion: """
            Shows a transaction with its metadata and all changes. TRANSACTION is its number or token, a tag, or now for the \
            newest one. A date shows the last transaction up to that time.
            """,
        operands: [.file, .init(name: "TRANSACTION", summary: "the transaction")],
        options: [.json], negativeResult: "there is no such transaction", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments.operands["FILE"], console)
        let text = try arguments.required("TRANSACTION")
        let token = try Position(text, in: file.store, console.settings).token(in: file.store)
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == token })
        descriptor.fetchLimit = 1
        guard
            let transaction = try file.store.fetchHistoryWithoutChanges(descriptor).first
                ?? Position.transaction(containing: token, in: file.store)
        else {
            console.message("chronicle: there is no transaction \(text.escaped)")
            return .negative
        }
        let writer = TransactionWriter(file: file, console: console, form: .changes(isJSON: arguments.has("json")))
        try writer.write(transaction, TransactionCursor(file, changesOf: transaction))
        return .success
    }
}

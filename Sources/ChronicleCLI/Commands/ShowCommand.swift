import Chronicle
import Foundation

enum ShowCommand {
    static let command = Command(
        name: "show", summary: "show one transaction with its changes",
        discussion: """
            Shows a transaction with its metadata and all changes. TRANSACTION is its number or token, a tag, or now for the \
            newest one. A date shows the last transaction up to that time.
            """,
        operands: [.file, .init(name: "TRANSACTION", summary: "the transaction")],
        options: [.json, .modelFile], negativeResult: "there is no such transaction", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console)
        try file.printNoteOnInterruptions(console)
        let text = try arguments.required("TRANSACTION")
        let found: DefaultHistoryTransaction?
        do { found = try Self.transaction(text, file, console) } catch let error as MissingTransaction {
            console.message("chronicle: \(error.message)")
            return .negative
        }
        guard let transaction = found else {
            console.message("chronicle: there is no transaction \(text.escaped)")
            return .negative
        }
        let writer = try TransactionWriter(file: file, console: console, form: .changes(isJSON: arguments.has("json")))
        try writer.write(transaction, TransactionCursor(file, changesOf: transaction))
        return .success
    }

    private static func transaction(
        _ text: String, _ file: StoreFile, _ console: Console
    ) throws -> DefaultHistoryTransaction? {
        let position = try Position(text, in: file.store, console.settings)
        if case .date(let date) = position { return try transaction(upTo: date, file) }
        let token = try position.token(in: file.store)
        // There is no transaction if a purge has deleted all of them.
        if try token == file.store.currentHistoryToken(), try token == file.store.earliestHistoryToken() { return nil }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == token })
        descriptor.fetchLimit = 1
        return try file.store.fetchHistoryWithoutChanges(descriptor).first
            ?? Position.transaction(containing: token, in: file.store)
    }

    private static func transaction(upTo date: Date, _ file: StoreFile) throws -> DefaultHistoryTransaction? {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp <= date })
        descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
        descriptor.fetchLimit = 1
        if let transaction = try file.store.fetchHistoryWithoutChanges(descriptor).first { return transaction }
        // Throws an error if earlier transactions were deleted. In a gap, there is just no transaction.
        do { _ = try file.store.historyToken(asOf: date) } catch let error as SwiftDataError
            where error == .historyTokenGap
        {}
        return nil
    }
}

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
        let text = try arguments.required("TRANSACTION")
        guard let transaction = try transaction(text, file, console) else {
            console.message("chronicle: there is no transaction \(text.escaped)\(try neighbors(text, file))")
            return .negative
        }
        let writer = TransactionWriter(file: file, console: console, form: .changes(isJSON: arguments.has("json")))
        try writer.write(transaction, TransactionCursor(file, changesOf: transaction))
        return .success
    }

    /// Numbers have gaps, because changes take numbers, too.
    private static func neighbors(_ text: String, _ file: StoreFile) throws -> String {
        guard let number = Int64(text), number >= 0 else { return "" }
        let token = DefaultHistoryToken(storeIdentifier: file.store.identifier, position: number)
        func find(
            _ predicate: Predicate<DefaultHistoryTransaction>?, _ order: SortOrder
        ) throws -> DefaultHistoryTransaction? {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate)
            descriptor.sortBy = [SortDescriptor(\.token, order: order)]
            descriptor.fetchLimit = 1
            return try file.store.fetchHistoryWithoutChanges(descriptor).first
        }
        guard let newest = try find(nil, .reverse) else { return "" }
        if number > newest.transactionIdentifier { return "; the newest is \(newest.transactionIdentifier)" }
        let before: DefaultHistoryTransaction?
        do { before = try find(#Predicate { $0.token < token }, .reverse) } catch SwiftDataError.historyTokenExpired {
            // The history before the number was deleted.
            before = nil
        }
        let after: DefaultHistoryTransaction?
        if let token = before?.token {
            after = try find(#Predicate { $0.token > token }, .forward)
        } else {
            after = try find(nil, .forward)
        }
        let numbers = [before, after].compactMap { $0.map { String($0.transactionIdentifier) } }
        switch numbers.count {
        case 0: return ""
        case 1: return "; the nearest is \(numbers[0])"
        default: return "; the nearest are \(numbers[0]) and \(numbers[1])"
        }
    }

    private static func transaction(
        _ text: String, _ file: StoreFile, _ console: Console
    ) throws -> DefaultHistoryTransaction? {
        let token: DefaultHistoryToken
        do {
            token = try Position(text, in: file.store, console.settings).token(in: file.store)
        } catch is MissingTransaction { return nil }
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token == token })
        descriptor.fetchLimit = 1
        return try file.store.fetchHistoryWithoutChanges(descriptor).first
            ?? Position.transaction(containing: token, in: file.store)
    }
}

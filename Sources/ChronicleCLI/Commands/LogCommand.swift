import Chronicle
import Foundation

enum LogCommand {
    static let command = Command(
        name: "log", summary: "list transactions and their changes, newest first",
        discussion: """
            Lists the transactions of the history with their changes, and the values before and after each change where the \
            history preserves them.

            A position (TOKEN|DATE|TAG) is the number or the token of a transaction, a date in local time such as 2026-03-01 \
            or "2026-03-01 14:30", today or yesterday for the beginning of that day, a time ago such as 2h or 3d, a tag, start, \
            or now.

            With --entity, --model or --attribute, only transactions with a matching change are listed, and only these \
            changes. Inserts and deletes match --attribute if their entity has it.

            --with adds the changes of the models that relationships of the model reached directly before or after the \
            transaction, with their paths: the lines of an order as long as they belonged to it, for example. The models in \
            between are listed only if they have a path as well, as in --with lines,lines.product. The history must contain \
            the earlier destinations of these relationships; otherwise, --after selects a position from which on it does.
            """,
        options: [
            .init(name: "after", value: "POSITION", summary: "only transactions after a token, date or tag"),
            .init(name: "author", value: "A", summary: "only transactions of an author; empty for those without one"),
            .init(
                name: "entity", value: "E", values: .names,
                summary: "only changes of an entity and those that inherit from it"),
            .init(
                name: "model", value: "E/KEY", values: .files,
                summary:
                    "only changes of one model, such as Trip/7; with the path of a .mom or .momd, the names are those of this "
                    + "model of SwiftData or Core Data"),
            .init(
                name: "with", value: "PATHS",
                summary:
                    "with --model: also changes of the models that relationships reached, such as lines,lines.product"),
            .init(name: "attribute", value: "NAME", summary: "only changes of an attribute or relationship"),
            .init(name: "number", letter: "n", value: "N", summary: "at most N transactions"),
            .init(name: "oneline", summary: "one line for each transaction, with the numbers of its changes"),
            .init(name: "stat", summary: "the numbers of inserts, updates and deletes for each entity"),
            .init(name: "reverse", summary: "oldest first"),
            .init(
                name: "follow", letter: "f",
                summary:
                    "wait for new transactions, of any process; with -n, shows the N newest ones first; with --after, those after it; "
                    + "otherwise only new ones"),
            .json,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console, hasModelKey: true)
        if file.appleStore != nil, !file.store.recordsHistory { return try writeModels(file, console) }
        try file.printNoteOnInterruptions(console)
        let selection = try selection(arguments, file, console)
        if let paths = try paths(arguments, file, selection.model) {
            return try writeAggregate(selection, paths, file, console, form(arguments))
        }
        let writer = try TransactionWriter(file: file, console: console, form: form(arguments))
        if arguments.has("follow") {
            _ = try file.chronicleStore("waiting for transactions")
            console.settings.usesPager = false
            try await follow(selection, file, console, writer)
            return .success
        }
        var reader = TransactionCursor(file, selection)
        var isEmpty = true
        while let transaction = try reader.next() {
            try writer.write(transaction, reader)
            isEmpty = false
        }
        if isEmpty, selection.limit > 0 {
            console.message(selection.hasConditions ? "No transaction matches." : "The history is empty.")
        }
        return .success
    }

    /// Shows the models of a file of Core Data whose program has not enabled the history.
    private static func writeModels(_ file: StoreFile, _ console: Console) throws -> ExitStatus {
        console.message("chronicle: \(file.name.escaped) has no history; it contains these models")
        let rows = try file.modelCounts().map { ["models of \($0.name.escaped)", NumberText.grouped($0.count)] }
        for line in TextLayout.table(rows) { try console.line(line) }
        return .success
    }

    /// The paths of the option `with`, or `nil` without it.
    private static func paths(
        _ arguments: Arguments, _ file: StoreFile, _ model: PersistentIdentifier?
    ) throws -> [String]? {
        guard let text = arguments.value("with") else { return nil }
        guard let model else { throw UsageError("--with requires a model, such as --model Order/7") }
        if arguments.has("follow") { throw UsageError("--with cannot be combined with --follow") }
        let paths = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        for path in paths { try file.requirePath(path, of: model.entityName) }
        return paths
    }

    /// Shows the changes of a model and of the models that paths of relationships reached.
    private static func writeAggregate(
        _ selection: TransactionSelection, _ paths: [String], _ file: StoreFile, _ console: Console,
        _ form: TransactionWriter.Form
    ) throws -> ExitStatus {
        guard let model = selection.model else { return .success }
        let entries = try ModelContext(file.container).history(
            of: model, including: paths, after: selection.after?.bound(in: file.store))
        var (matching, pathsByChange): ([[ModelHistoryEntry<DefaultHistoryTransaction>]], [Int64: [String]]) = ([], [:])
        var changes = selection
        changes.model = nil
        for entry in entries where changes.matches(entry.change, in: file.schema) {
            if let author = selection.author, !author.utf8.elementsEqual((entry.transaction.author ?? "").utf8) {
                continue
            }
            if let number = entry.change.integerChangeIdentifier { pathsByChange[number] = entry.paths }
            if matching.last?.first?.transaction == entry.transaction {
                matching[matching.count - 1].append(entry)
            } else {
                matching.append([entry])
            }
        }
        let writer = try TransactionWriter(file: file, console: console, form: form, paths: pathsByChange)
        for group in (selection.isAscending ? matching : matching.reversed()).prefix(selection.limit) {
            try writer.write(group[0].transaction, TransactionCursor(file, changes: group.map(\.change)))
        }
        if matching.isEmpty { console.message("No transaction matches.") }
        return .success
    }

    /// Ends when the process is interrupted.
    private static func follow(
        _ selection: TransactionSelection, _ file: StoreFile, _ console: Console, _ writer: TransactionWriter
    ) async throws {
        var start = try selection.after?.bound(in: file.store)
        if selection.limit < .max {
            // In this order: what is committed in between is among the newest ones.
            start = try file.store.currentHistoryToken()
            if let newest = try writeNewest(selection, file, writer) { start = start.map { max($0, newest) } ?? newest }
        }
        let stream: HistoryStream<DefaultHistoryTransaction> = try file.container.historyChanges(after: start)
        try console.flush()
        for try await element in stream {
            switch element {
            case .changes(let transactions, _):
                for transaction in transactions {
                    if let author = selection.author, !author.utf8.elementsEqual((transaction.author ?? "").utf8) {
                        continue
                    }
                    let changes = transaction.changes.filter { selection.matches($0, in: file.schema) }
                    if selection.selectsChanges, changes.isEmpty { continue }
                    try writer.write(transaction, TransactionCursor(file, changes: changes))
                }
                try console.flush()
            case .reset(let reason, _):
                console.message("chronicle: transactions are missing (\(reason.rawValue)); continuing after them")
            }
        }
    }

    /// Writes the newest transactions of a selection, oldest first, and returns the token of the last one. The changes of other
    /// programs can be one transaction that grows, so its token is read with it.
    private static func writeNewest(
        _ selection: TransactionSelection, _ file: StoreFile, _ writer: TransactionWriter
    ) throws -> DefaultHistoryToken? {
        var newest = selection
        newest.isAscending = false
        var reader = TransactionCursor(file, newest)
        var transactions: [DefaultHistoryTransaction] = []
        while let transaction = try reader.next() { transactions.append(transaction) }
        for transaction in transactions.reversed() {
            try writer.write(transaction, TransactionCursor(file, changesOf: transaction, newest))
        }
        return transactions.first?.token
    }

    static func form(_ arguments: Arguments) -> TransactionWriter.Form {
        if arguments.has("oneline") { return .line(isJSON: arguments.has("json")) }
        if arguments.has("stat") { return .counts(isJSON: arguments.has("json")) }
        return .changes(isJSON: arguments.has("json"))
    }

    static func selection(
        _ arguments: Arguments, _ file: StoreFile, _ console: Console
    ) throws -> TransactionSelection {
        var selection = TransactionSelection()
        selection.after = try arguments.value("after").map { try Position($0, in: file.store, console.settings) }
        selection.author = arguments.value("author")
        selection.entityNames = try arguments.value("entity").map(file.recordedNames)
        selection.model = try arguments.modelKey().map { try file.identifier($0, includesEarlier: true) }
        selection.attribute = try arguments.value("attribute").map { try file.property(named: $0) }
        selection.isAscending = arguments.has("reverse")
        selection.limit = try arguments.count("number") ?? .max
        return selection
    }
}

import Chronicle
import ChronicleAppleStore
import Foundation

struct AppleStatistics {
    private let file: StoreFile
    private let store: AppleStore
    private let isJSON: Bool
    private let console: Console

    init(_ file: StoreFile, _ store: AppleStore, _ arguments: Arguments, _ console: Console) {
        (self.file, self.store, self.console) = (file, store, console)
        isJSON = arguments.has("json")
    }

    func write() throws -> ExitStatus {
        let size = try file.store.byteCount()
        let counts = try file.modelCounts()
        var numbers: (transactions: Int, changes: Int)?
        var (dates, tokens): ([Date?], [DefaultHistoryToken?]) = ([nil, nil], [nil, nil])
        if store.recordsHistory {
            numbers = try store.historyCounts()
            var newest = HistoryDescriptor<DefaultHistoryTransaction>(
                sortBy: [SortDescriptor(\.token, order: .reverse)])
            newest.fetchLimit = 1
            var oldest = HistoryDescriptor<DefaultHistoryTransaction>()
            oldest.fetchLimit = 1
            dates = try [oldest, newest].map { try store.fetchHistoryWithoutChanges($0).first?.timestamp }
            tokens = [try store.earliestHistoryToken(), try store.currentHistoryToken()]
        }
        let texts = tokens.map { token in token.map { $0.text(in: store.identifier) } }
        if isJSON {
            try console.line(
                .members([
                    "store": .string(store.identifier), "format": .string("Core Data"),
                    "modelVersions": .array(store.modelVersions.map(JSON.string)),
                    "hasModelNames": .bool(store.hasModelNames), "fileBytes": .integer(size),
                    "transactions": numbers.map { .count($0.transactions) } ?? .null,
                    "changes": numbers.map { .count($0.changes) } ?? .null,
                    "oldest": .optional(dates[0].map(DateText.iso8601)),
                    "newest": .optional(dates[1].map(DateText.iso8601)),
                    "earliestToken": .optional(texts[0]), "currentToken": .optional(texts[1]),
                    "models": .object(counts.map { .init(name: $0.name, value: .count($0.count)) }),
                ]))
            return .success
        }
        var rows = [
            ["store", store.identifier.escaped], ["format", "SwiftData or Core Data, read-only"],
            [
                "model versions",
                store.modelVersions.isEmpty ? "-" : store.modelVersions.joined(separator: ", ").escaped,
            ],
            ["names", store.hasModelNames ? "of the model" : "derived from the tables"],
            ["file", NumberText.bytes(size)],
        ]
        if let numbers {
            rows += [
                ["transactions", NumberText.grouped(numbers.transactions)],
                ["changes", NumberText.grouped(numbers.changes)],
                ["oldest", dates[0].map(console.text) ?? "-"], ["newest", dates[1].map(console.text) ?? "-"],
                ["history begins", StatisticsCommand.beginning(texts[0])], ["current token", texts[1] ?? "-"],
            ]
        } else {
            rows.append(["history", "none"])
        }
        rows += counts.map { ["models of \($0.name.escaped)", NumberText.grouped($0.count)] }
        for line in TextLayout.table(rows) { try console.line(line) }
        return .success
    }
}

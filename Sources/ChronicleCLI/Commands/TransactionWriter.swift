import Chronicle

final class TransactionWriter {
    enum Form: Equatable {
        case line(isJSON: Bool)
        case counts(isJSON: Bool)
        case changes(isJSON: Bool)
    }

    private let file: StoreFile
    private let console: Console
    private let form: Form
    private let text: TransactionText
    private var isFirst = true

    /// - Parameter paths: The paths that reached the model of a change, by its number; `nil` to show none.
    init(file: StoreFile, console: Console, form: Form, paths: [Int64: [String]]? = nil) throws {
        (self.file, self.console, self.form) = (file, console, form)
        text = TransactionText(console: console, file: file, paths: paths, afterGap: try file.transactionAfterGap())
    }

    /// The reader returned this transaction last.
    func write(_ transaction: DefaultHistoryTransaction, _ reader: TransactionCursor) throws {
        switch form {
        case .line(isJSON: false):
            let counts = try counts(reader).summary
            try console.line(text.line(transaction) + (counts.isEmpty ? "" : " \(counts)"))
        case .line(isJSON: true): try console.line(text.json(transaction, changes: nil))
        case .changes(isJSON: false):
            if !isFirst { try console.line() }
            try text.writeHeader(transaction)
            try console.line()
            try reader.forEachChange(text.writeChange)
        case .changes(isJSON: true):
            var changes: [JSON] = []
            try reader.forEachChange { changes.append(try text.json($0)) }
            try console.line(text.json(transaction, changes: changes))
        case .counts(let isJSON): try writeCounts(transaction, reader, isJSON)
        }
        isFirst = false
    }

    private func counts(_ reader: TransactionCursor) throws -> ChangeCounts {
        var counts = ChangeCounts()
        try reader.forEachChange { counts.add($0) }
        return counts
    }

    private func writeCounts(
        _ transaction: DefaultHistoryTransaction, _ reader: TransactionCursor, _ isJSON: Bool
    ) throws {
        let counts = try counts(reader)
        if isJSON {
            guard case .object(let members) = text.json(transaction, changes: nil) else { return }
            return try console.line(.object(members + [.init(name: "counts", value: counts.json)]))
        }
        if !isFirst { try console.line() }
        try text.writeHeader(transaction)
        try console.line()
        for line in counts.lines { try console.line("    \(line)") }
    }
}

/// The numbers of changes by entity.
struct ChangeCounts {
    private struct Counts {
        var inserts = 0
        var updates = 0
        var deletes = 0
    }

    private var counts: [String: Counts] = [:]

    mutating func add(_ change: HistoryChange) {
        let name = change.changedPersistentIdentifier.entityName
        switch change {
        case .insert: add(.insert, name)
        case .update: add(.update, name)
        case .delete: add(.delete, name)
        }
    }

    mutating func add(_ kind: HistoryFilter.ChangeKind, _ entityName: String) {
        switch kind {
        case .insert: counts[entityName, default: Counts()].inserts += 1
        case .update: counts[entityName, default: Counts()].updates += 1
        case .delete: counts[entityName, default: Counts()].deletes += 1
        }
    }

    /// The numbers that are not zero, such as `+1 ~20 Trip, -3 Note`.
    var summary: String {
        counts.sorted { $0.key < $1.key }.map { name, counts in
            [("+", counts.inserts), ("~", counts.updates), ("-", counts.deletes)].filter { $0.1 > 0 }
                .map { "\($0)\($1) " }.joined() + name.escaped
        }.joined(separator: ", ")
    }

    /// A line for each entity, in alphabetical order, with aligned columns.
    var lines: [String] {
        TextLayout.table(
            counts.sorted { $0.key < $1.key }.map { name, counts in
                [name.escaped, "+\(counts.inserts)", "~\(counts.updates)", "-\(counts.deletes)"]
            }, rightAligned: [1, 2, 3])
    }

    var json: JSON {
        .object(
            counts.sorted { $0.key < $1.key }.map { name, counts in
                .init(
                    name: name,
                    value: .members([
                        "inserts": .count(counts.inserts), "updates": .count(counts.updates),
                        "deletes": .count(counts.deletes),
                    ]))
            })
    }
}

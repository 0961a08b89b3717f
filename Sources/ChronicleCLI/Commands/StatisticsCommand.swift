import Chronicle
import Foundation

enum StatisticsCommand {
    static let command = Command(
        name: "stats", summary: "show the size of a store and of its history",
        discussion: """
            Shows the numbers of models, transactions and changes, the size of the file and of its history, and the time \
            that the history covers. The numbers of changes and bytes of a long history are estimates; they are marked \
            with "about". For a tracked database, tables whose recording was interrupted, and tables that are \
            not recorded, are listed.

            With --format prometheus, prints gauges in the text format of Prometheus: the statistics, the lag of each consumer \
            and the state of each recorded table. A file for the node exporter's textfile collector can contain them. A value \
            that is not known has no gauge. The lag of a consumer in changes is an upper bound.
            """,
        options: [
            .init(
                name: "format", value: "FORMAT", values: .list(["text", "json", "prometheus"]),
                summary: "text (default), json or prometheus"), .json, .modelFile,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let format = try arguments.format(default: "text")
        var arguments = arguments
        arguments.values["json"] = format == "json" ? [""] : nil
        let file = try StoreFile.read(arguments, console)
        if format == "prometheus" {
            try Gauges(file, console).write(console)
            return .success
        }
        if let store = file.appleStore { return try AppleStatistics(file, store, arguments, console).write() }
        let store = try file.chronicleStore("these statistics")
        let history = try store.historyStatistics()
        let size = try store.byteCount()
        let first = try file.store.earliestHistoryToken()
        let complete = try store.completeHistoryToken()
        let newest = try file.store.currentHistoryToken()
        let (lacksOldest, lacksNewest) = try file.lacksDates()
        let tags = try file.store.historyTags()
        let consumers = try store.consumerRecords()
        let counts = try file.modelCounts()
        let tracked = file.store.isTracked ? file.location.url.map { TrackedDatabase(url: $0) } : nil
        let tables = try file.trackedTables()
        let interrupted = interruptions(tables)
        let differences = try tracked?.allUnrecordedRows() ?? []
        let unrecorded = UnrecordedTable.all(in: tables)
        let limited = tables.filter { $0.state == .recorded && !$0.limitations.isEmpty }
        func token(_ token: DefaultHistoryToken?) -> String? {
            token.map { $0.text(in: file.store.identifier) }
        }
        if arguments.has("json") {
            try console.line(
                .members([
                    "store": .string(file.store.identifier), "fileBytes": .integer(size),
                    "transactions": .count(history.transactions), "changes": .count(history.changes),
                    "historyBytes": .count(history.bytes), "isEstimated": .bool(history.isEstimated),
                    "oldest": .optional(lacksOldest ? nil : history.oldest.map(DateText.iso8601)),
                    "newest": .optional(lacksNewest ? nil : history.newest.map(DateText.iso8601)),
                    "lastDeletion": .optional(history.lastDeletion.map(DateText.iso8601)),
                    "earliestToken": .optional(token(first)), "completeToken": .optional(token(complete)),
                    "currentToken": .optional(token(newest)),
                    "isIndexedByModel": .bool(try store.isHistoryIndexedByModel),
                    "tags": .count(tags.count), "consumers": .count(consumers.count),
                    "models": .object(counts.map { .init(name: $0.name, value: .count($0.count)) }),
                    "interrupted": file.store.isTracked
                        ? .object(interrupted.map { .init(name: $0.name, value: .string($0.reason)) }) : nil,
                    "unrecordedRows": file.store.isTracked
                        ? .object(differences.map { .init(name: $0.table, value: .string($0.text)) }) : nil,
                    "notRecorded": file.store.isTracked
                        ? .object(unrecorded.map { .init(name: $0.name, value: .optional($0.reason)) }) : nil,
                    "limitations": file.store.isTracked
                        ? .object(limited.map { .init(name: $0.name, value: .array($0.limitations.map(JSON.string))) })
                        : nil,
                ]))
            return .success
        }
        let about = history.isEstimated ? "about " : ""
        var rows = [
            ["store", file.store.identifier.escaped],
            [file.location.url == nil ? "tables" : "file", NumberText.bytes(size) + log(of: file)],
            ["history", "\(about)\(NumberText.bytes(Int64(history.bytes)))"],
            ["transactions", NumberText.grouped(history.transactions)],
            ["changes", about + NumberText.grouped(history.changes)],
            ["oldest", lacksOldest ? StoreFile.unknownDate : history.oldest.map(console.text) ?? "-"],
            ["newest", lacksNewest ? StoreFile.unknownDate : history.newest.map(console.text) ?? "-"],
            ["history begins", beginning(token(first), isTracked: file.store.isTracked)],
        ]
        if let deletion = history.lastDeletion { rows.append(["last deletion", console.text(deletion)]) }
        // After a gap, or if transactions within the history were deleted.
        if complete != first { rows.append(["recorded completely since", token(complete) ?? "-"]) }
        rows += [
            ["current token", token(newest) ?? "-"],
            ["index by model", try store.isHistoryIndexedByModel ? "yes" : "no"],
            ["tags", String(tags.count)],
            ["consumers", String(consumers.count)],
        ]
        rows += counts.map { ["models of \($0.name.escaped)", NumberText.grouped($0.count)] }
        let track = ErrorText.namingFile("`chronicle track FILE`", console.file?.escaped)
        let reconcile = ErrorText.namingFile("`chronicle track --reconcile FILE`", console.file?.escaped)
        rows += interrupted.map { ["not recorded", "\($0.name.escaped): \($0.reason.escaped); use \(track)"] }
        rows += differences.map {
            ["not recorded", "\($0.table.escaped): \($0.text) without a record; use \(reconcile)"]
        }
        rows += unrecorded.map {
            ["not recorded", "\($0.name.escaped): \($0.reason?.escaped ?? "use \(track) to record it")"]
        }
        rows += limited.flatMap { table in
            table.limitations.map { ["not recorded", "\(table.name.escaped): \($0.escaped)"] }
        }
        for line in TextLayout.table(rows) { try console.line(line) }
        return .success
    }

    /// Describes the position before the first transaction.
    static func beginning(_ token: String?, isTracked: Bool = false) -> String {
        token.map { $0 == "0" ? isTracked ? "with the first recorded table" : "at the start" : "after \($0)" } ?? "-"
    }

    /// The newest saves may be in the log only.
    private static func log(of file: StoreFile) -> String {
        guard let size = file.logByteCount(), size > 0 else { return "" }
        return ", and \(NumberText.bytes(size)) in its log"
    }

    private static func interruptions(_ tables: [TrackedTableState]) -> [(name: String, reason: String)] {
        tables.compactMap { table in
            if case .interrupted(let reason) = table.state { (table.name, reason) } else { nil }
        }
    }
}

struct UnrecordedTable {
    let name: String
    /// `nil` if the table could be recorded.
    let reason: String?

    /// Omits views and virtual tables.
    static func all(in tables: [TrackedTableState]) -> [UnrecordedTable] {
        tables.filter(\.isOrdinary).compactMap { table in
            switch table.state {
            case .notRecorded: UnrecordedTable(name: table.name, reason: nil)
            case .unsupported(let reason): UnrecordedTable(name: table.name, reason: reason)
            case .recorded, .interrupted: nil
            }
        }
    }
}

enum NumberText {
    /// Returns a number with a noun, such as `1 change` or `2 changes`.
    static func counted(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns a number with a comma between groups of three digits.
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Returns a number of bytes in the largest unit of which there is at least one.
    static func bytes(_ count: Int64) -> String {
        if count < 1_000 { return "\(count) bytes" }
        var (value, units) = (Double(count) / 1_000, ["kB", "MB", "GB", "TB", "PB", "EB"][...])
        while value >= 999.95, units.count > 1 {
            value /= 1_000
            units.removeFirst()
        }
        let tenths = Int((value * 10).rounded())
        return "\(grouped(tenths / 10)).\(tenths % 10) \(units.first ?? "")"
    }

    /// Returns a duration in the largest unit, such as `3 h`.
    static func duration(_ seconds: TimeInterval) -> String {
        let units: [(Double, String)] = [(86_400, "d"), (3_600, "h"), (60, "min")]
        for (length, name) in units where seconds >= length {
            return "\(Int(min(seconds / length, 1e15))) \(name)"
        }
        return "\(Int(max(seconds, 0))) s"
    }
}

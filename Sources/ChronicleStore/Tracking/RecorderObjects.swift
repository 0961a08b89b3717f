import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The tables and triggers that tracking added to the database of another program. A program that drops unknown tables, as
/// `fossil rebuild` does, keeps the triggers on its tables. SQLite then rejects each write, because the triggers mention
/// tables that do not exist.
struct RecorderObjects {
    let triggers: [String]
    let tables: Set<String>
    /// The triggers of a store use other tables.
    private let areOfTracking: Bool
    /// The missing tables of keys that triggers read. The recording can begin again without them.
    private let missingKeyTables: Set<String>
    /// Whether a trigger mentions a table that does not exist.
    private var rejectsWrites = false

    private static let requiredTables = Set(HistoryTables.names + [PendingTransaction.table])

    init(_ connection: Connection) throws {
        let statement = try connection.prepare(
            """
            SELECT type, name, instr(sql, ' \(PendingTransaction.table) '), instr(sql, '\(Self.keyPrefix)') \
            FROM sqlite_schema WHERE type IN ('trigger', 'table') \
            AND substr(name, 1, \(RecorderSQL.prefix.count)) = '\(RecorderSQL.prefix)' ORDER BY name
            """)
        var triggers: [String] = []
        var tables: Set<String> = []
        var sealTables: Set<String> = []
        var keyTables: Set<String> = []
        var areOfTracking = false
        while try statement.step() {
            let name = statement.text(1)
            if statement.text(0) == "table" {
                if Self.isTable(name) { tables.insert(name) }
                if SealTables.names.contains(name) { sealTables.insert(name) }
            } else if Self.isTrigger(name) {
                triggers.append(name)
                if statement.int64(2) > 0 { areOfTracking = true }
                if statement.int64(3) > 0 {
                    let entity = name.dropFirst(RecorderSQL.prefix.count).prefix { $0.isNumber }
                    keyTables.insert(Self.keyPrefix + entity)
                }
            }
        }
        // Without seals, another program may use the names of the other tables.
        if sealTables.contains(SealTables.seal) { tables.formUnion(sealTables) }
        (self.triggers, self.tables, self.areOfTracking) = (triggers, tables, areOfTracking)
        missingKeyTables = areOfTracking ? keyTables.subtracting(tables) : []
        if isIncomplete { rejectsWrites = try mention(missingTables, connection) }
    }

    /// Triggers of a tracked database exist, but not all tables that they need.
    var isIncomplete: Bool { areOfTracking && !missingTables.isEmpty }

    private var missingTables: Set<String> { Self.requiredTables.subtracting(tables) }

    private func mention(_ tables: Set<String>, _ connection: Connection) throws -> Bool {
        let statement = try connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        while try statement.step() {
            guard triggers.contains(statement.text(0)) else { continue }
            let words = statement.text(1).split { !($0.isLetter || $0.isNumber || $0 == "_") }
            if words.contains(where: { tables.contains(String($0)) }) { return true }
        }
        return false
    }

    /// There is no history that could be kept: a program has dropped tables without which the others are of no use, or only keys
    /// were numbered (see ``KeyNumbering``).
    func areRemainder(_ connection: Connection) throws -> Bool {
        if isIncomplete { return true }
        return try triggers.isEmpty && !tables.isEmpty && tables.allSatisfy { try KeyTable.isRemainder($0, connection) }
    }

    var lacksChanges: Bool { !tables.contains(ChangeTable.name) }

    func drop(_ connection: Connection) throws {
        try PermanentViews(connection).dropAll()
        for name in triggers { try connection.execute("DROP TRIGGER IF EXISTS \(quoted(name))") }
        // Dropping a table drops its indexes and triggers, and deletes what ANALYZE stored about it.
        for name in tables.sorted() { try connection.execute("DROP TABLE IF EXISTS \(quoted(name))") }
    }

    /// The triggers must not prevent the program from writing.
    func requireComplete(path: String) throws {
        let missing = isIncomplete ? missingTables : missingKeyTables
        guard !missing.isEmpty else { return }
        throw SwiftDataError.damagedFile.with(detail: "\(path) \(describe(missing)); \(advice)")
    }

    /// Throws an error if the recording can neither continue nor begin again.
    func requireRestartable() throws {
        guard isIncomplete, !lacksChanges else { return }
        throw SwiftDataError.unsupportedFeature.with(detail: "the history \(describe(missingTables)); \(advice)")
    }

    private func describe(_ missing: Set<String>) -> String {
        let names = missing.sorted().joined(separator: ", ")
        let rejects = isIncomplete ? rejectsWrites : !missingKeyTables.isEmpty
        let consequence = rejects ? ", and the triggers of the recorder reject each write" : ""
        return "lacks the table\(missing.count == 1 ? "" : "s") \(names), which another program dropped\(consequence)"
    }

    private var advice: String {
        if !isIncomplete { return "use `chronicle track FILE` to restart the recording" }
        return lacksChanges
            ? "use `chronicle untrack FILE`, or `chronicle track FILE` to begin a new history"
            : "use `chronicle untrack FILE` to delete the rest of the history"
    }

    // MARK: Names

    private static let keyPrefix = String(NumberedKey.table(of: 0).dropLast())

    private static func isTable(_ name: String) -> Bool {
        requiredTables.contains(name) || [ConsumerTable.name, TagTable.name, Baseline.table].contains(name)
            || number(in: name, after: Self.keyPrefix[...]) == ""
    }

    private static func isTrigger(_ name: String) -> Bool {
        guard let kind = number(in: name, after: RecorderSQL.prefix[...])?.dropFirst() else { return false }
        return RecorderSQL.TriggerKind(rawValue: String(kind)) != nil
    }

    private static func number(in name: String, after prefix: Substring) -> Substring? {
        guard name.hasPrefix(prefix) else { return nil }
        let rest = name.dropFirst(prefix.count)
        let number = rest.prefix { $0.isASCII && $0.isNumber }
        return number.isEmpty ? nil : rest.dropFirst(number.count)
    }
}

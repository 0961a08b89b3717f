import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The keys of a recorded table's rows at a position of the history, which does not contain the inserts of earlier rows.
/// The table should have these keys, changed by later inserts and deletes. Other keys show that a program wrote the table
/// without triggers, for example with `SQLITE_DBCONFIG_ENABLE_TRIGGER`.
///
/// `chronicle_baseline` contains ranges of consecutive keys, the numbers of a ``KeyTable`` among them. A purge moves the
/// baseline to the position through which it deletes.
struct Baseline {
    static let table = "chronicle_baseline"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(table)(entity INTEGER, first INTEGER, last INTEGER, PRIMARY KEY (entity, first)) \
        WITHOUT ROWID
        """

    /// Inserted or deleted without a record, in ascending order of keys.
    struct Difference {
        var inserted: [Int64] = []
        var deleted: [Int64] = []
        /// The number of rows whose keys have no number.
        var unnumbered = 0
        /// Inserted without a record, and changed with one since, so that the last change explains the present row or its absence.
        var insertedEarlier: [Int64] = []
        /// Deleted without a record, and inserted with one since.
        var deletedEarlier: [Int64] = []

        /// Whether the changes explain the present rows.
        var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && unnumbered == 0 }
        /// Whether the changes explain the rows at each position.
        var isExact: Bool { isEmpty && insertedEarlier.isEmpty && deletedEarlier.isEmpty }
    }

    let connection: Connection
    let entity: Int64

    init(of entity: Int64, _ connection: Connection) { (self.entity, self.connection) = (entity, connection) }

    private var name: MetaName { .baseline(entity) }

    /// The position of the baseline, or `nil` if there is none.
    private var start: Int64? {
        get throws { try Self.exists(connection) ? MetaTable.integer(name, connection) : nil }
    }

    /// Whether another program dropped the table that contains the keys.
    var wasDropped: Bool {
        get throws { try !Self.exists(connection) && MetaTable.integer(name, connection) != nil }
    }

    private static func exists(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '\(table)'") != nil
    }

    // MARK: Changing

    /// Stores the keys with the newest position. Reads all rows.
    func set(_ table: TrackedTable) throws {
        try connection.execute(Self.createTable)
        try deleteRanges()
        var range: (first: Int64, last: Int64)?
        let keys = try connection.prepare(Self.selectKeys(table, entity))
        while try keys.step() {
            let key = keys.int64(0)
            if let known = range, known.last < .max, known.last + 1 == key {
                range?.last = key
            } else {
                if let range { try insert(range.first, range.last) }
                range = (key, key)
            }
        }
        if let range { try insert(range.first, range.last) }
        try MetaTable.set(name, connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0, connection)
    }

    func remove() throws {
        if try Self.exists(connection) { try deleteRanges() }
        try MetaTable.remove(name, connection)
    }

    /// Moves the baselines of all tables to a position, through which the history is about to be deleted.
    static func advance(through position: Int64, _ connection: Connection) throws {
        guard try MetaTable.integer(.tracked, connection) != nil else { return }
        let statement = try connection.cached(
            """
            SELECT substr(name, \(MetaName.baselinePrefix.count + 1)) FROM chronicle_meta \
            WHERE name >= '\(MetaName.baselinePrefix)' AND name < 'baseline;' AND value < ?
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        var entities: [Int64] = []
        while try statement.step() {
            if let number = Int64(statement.text(0)) { entities.append(number) }
        }
        for entity in entities { try Baseline(of: entity, connection).advance(through: position) }
    }

    private func advance(through position: Int64) throws {
        guard let start = try start, start < position else { return }
        for (key, change) in try changedKeys(after: start, through: position) {
            if change.exists { try insert(key) } else { try delete(key) }
        }
        try MetaTable.set(name, position, connection)
    }

    private func insert(_ key: Int64) throws {
        let previous = try range(at: key)
        if let previous, previous.last >= key { return }
        let next = try key < .max ? range(at: key + 1).flatMap { $0.first == key + 1 ? $0 : nil } : nil
        if let next { try deleteRange(next.first) }
        guard let previous, previous.last == key - 1 else { return try insert(key, next?.last ?? key) }
        try deleteRange(previous.first)
        try insert(previous.first, next?.last ?? key)
    }

    private func delete(_ key: Int64) throws {
        guard let range = try range(at: key), range.last >= key else { return }
        try deleteRange(range.first)
        if range.first < key { try insert(range.first, key - 1) }
        if key < range.last { try insert(key + 1, range.last) }
    }

    private func range(at key: Int64) throws -> (first: Int64, last: Int64)? {
        let statement = try connection.cached(
            "SELECT first, last FROM \(Self.table) WHERE entity = ? AND first <= ? ORDER BY first DESC LIMIT 1")
        defer { statement.reset() }
        try statement.bind(entity, at: 1)
        try statement.bind(key, at: 2)
        return try statement.step() ? (statement.int64(0), statement.int64(1)) : nil
    }

    private func insert(_ first: Int64, _ last: Int64) throws {
        let statement = try connection.cached("INSERT INTO \(Self.table)(entity, first, last) VALUES (?, ?, ?)")
        try statement.bind(entity, at: 1)
        try statement.bind(first, at: 2)
        try statement.bind(last, at: 3)
        try statement.run()
    }

    private func deleteRange(_ first: Int64) throws {
        let statement = try connection.cached("DELETE FROM \(Self.table) WHERE entity = ? AND first = ?")
        try statement.bind(entity, at: 1)
        try statement.bind(first, at: 2)
        try statement.run()
    }

    private func deleteRanges() throws {
        let statement = try connection.cached("DELETE FROM \(Self.table) WHERE entity = ?")
        try statement.bind(entity, at: 1)
        try statement.run()
    }

    // MARK: Comparing

    /// The comparison took longer than it may.
    struct TimeLimitExceeded: Error {}

    /// `nil` if there is no baseline, because an earlier version recorded the table. Reads all rows and recorded changes.
    ///
    /// - Parameter end: The time after which keys that the table does not have are not compared any more; they can be many without
    ///   a statement that SQLite could interrupt.
    /// - Throws: ``TimeLimitExceeded``
    func difference(_ table: TrackedTable, until end: ContinuousClock.Instant? = nil) throws -> Difference? {
        guard let start = try start else { return nil }
        var changed = try changedKeys(after: start, through: .max)
        let noted = try notedKeys()
        var difference = Difference()
        var missing = Set(changed.filter(\.value.existed).keys)
        let ranges = try connection.prepare("SELECT first, last FROM \(Self.table) WHERE entity = ? ORDER BY first")
        try ranges.bind(entity, at: 1)
        var range = try ranges.step() ? (ranges.int64(0), ranges.int64(1)) : nil
        var skipped = 0
        /// Moves beyond keys of the baseline, before a limit or all, that the table does not have.
        func skip(before limit: Int64?) throws {
            while let (first, last) = range, limit.map({ first < $0 }) ?? true {
                skipped += 1
                if skipped % 1_024 == 0, let end, ContinuousClock.now >= end { throw TimeLimitExceeded() }
                if changed[first] == nil, !noted.contains(first) { difference.deleted.append(first) }
                try consume(first, last)
            }
        }
        func consume(_ first: Int64, _ last: Int64) throws {
            if let change = changed[first], !change.existed { difference.deletedEarlier.append(first) }
            missing.remove(first)
            range = first < last ? (first + 1, last) : try ranges.step() ? (ranges.int64(0), ranges.int64(1)) : nil
        }
        let keys = try connection.prepare(Self.selectKeys(table, entity))
        while try keys.step() {
            let key = keys.int64(0)
            try skip(before: key)
            var isExpected = false
            if let (first, last) = range, first == key {
                isExpected = true
                try consume(first, last)
            }
            if let change = changed.removeValue(forKey: key) { isExpected = change.exists }
            if !isExpected { difference.inserted.append(key) }
        }
        try skip(before: nil)
        difference.deleted += changed.filter { $0.value.exists && !noted.contains($0.key) }.keys
        difference.deleted.sort()
        difference.insertedEarlier = missing.sorted()
        difference.unnumbered = try KeyTable(table, of: entity)?.unnumberedRows(connection) ?? 0
        return difference
    }

    /// The keys that the table should have, in ascending order; `nil` if there is no baseline. Reads all recorded changes.
    func expectedKeys() throws -> [Int64]? {
        guard let start = try start else { return nil }
        var changed = try changedKeys(after: start, through: .max)
        var keys: [Int64] = []
        let ranges = try connection.prepare("SELECT first, last FROM \(Self.table) WHERE entity = ? ORDER BY first")
        try ranges.bind(entity, at: 1)
        while try ranges.step() {
            for key in ranges.int64(0)...max(ranges.int64(0), ranges.int64(1))
            where changed.removeValue(forKey: key)?.exists ?? true {
                keys.append(key)
            }
        }
        return (keys + changed.filter(\.value.exists).keys).sorted()
    }

    /// The keys of the rows in ascending order.
    static func keys(_ table: TrackedTable, _ entity: Int64, _ connection: Connection) throws -> [Int64] {
        let statement = try connection.prepare(selectKeys(table, entity))
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }

    /// Returns whether a row had the key before the first change, and has it after the last one.
    private func changedKeys(
        after start: Int64, through end: Int64
    ) throws -> [Int64: (existed: Bool, exists: Bool)] {
        let operations: [ChangeTable.Operation] = [.insert, .update, .delete]
        let kinds = operations.map { "\(ChangeTable.Kind($0, of: entity).rawValue)" }
        let statement = try connection.prepare(
            """
            SELECT primary_key, kind FROM \(ChangeTable.name) WHERE id > ? AND id <= ? \
            AND kind IN (\(kinds.joined(separator: ", "))) ORDER BY id
            """)
        try statement.bind(start, at: 1)
        try statement.bind(end, at: 2)
        let insertion = ChangeTable.Kind(.insert, of: entity).rawValue
        let deletion = ChangeTable.Kind(.delete, of: entity).rawValue
        var keys: [Int64: (existed: Bool, exists: Bool)] = [:]
        while try statement.step() {
            let kind = statement.int64(1)
            guard statement.isInteger(0) else { continue }
            let key = statement.int64(0)
            // Triggers of a program can change a row before its insert is recorded.
            let isInserted = kind == insertion && keys[key]?.exists ?? true
            keys[key, default: (kind != insertion, true)].exists = kind != deletion
            if isInserted { keys[key]?.existed = false }
        }
        return keys
    }

    /// Rows that REPLACE may have deleted, which the next write of Chronicle records.
    private func notedKeys() throws -> Set<Int64> {
        let statement = try connection.prepare("SELECT primary_key FROM chronicle_conflict WHERE entity = ?")
        try statement.bind(entity, at: 1)
        var keys: Set<Int64> = []
        while try statement.step() { keys.insert(statement.int64(0)) }
        return keys
    }

    /// Selects keys in ascending order, without another index, whose collation only the program of the table may have.
    private static func selectKeys(_ table: TrackedTable, _ entity: Int64) -> String {
        guard let key = KeyTable(table, of: entity)?.key else {
            return "SELECT t.\(RecorderSQL.key) FROM main.\(quoted(table.name)) AS t NOT INDEXED ORDER BY 1"
        }
        return """
            SELECT k.id FROM \(table.keyScan) CROSS JOIN \(RecorderSQL.numbers(key)) \
            WHERE \(RecorderSQL.hasNumber("t", key)) ORDER BY 1
            """
    }
}

extension MetaName {
    static func baseline(_ entity: Int64) -> MetaName { MetaName("\(baselinePrefix)\(entity)") }
    static let baselinePrefix = "baseline:"
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The consumers of the history. The table is created with the first one.
struct ConsumerTable {
    typealias Record = HistoryConsumerRecord<DefaultHistoryToken>

    static let name = "chronicle_consumer"

    /// `id` is also the number of the ``ConsumerLock``. It is random, so that an instance of a consumer that was removed,
    /// renamed, or undone by a backup does not have the lock of another one. Earlier versions assign ascending numbers.
    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, \
        position INTEGER, check_value INTEGER, rebuild TEXT, fence INTEGER NOT NULL, attempts INTEGER NOT NULL, \
        acknowledged REAL, seen REAL NOT NULL, skip_count INTEGER NOT NULL, skips TEXT)
        """

    private static func createTable(_ connection: Connection) throws -> String {
        try FileFormat.isTracked(connection) ? createTable.replacing(" AUTOINCREMENT", with: "") : createTable
    }

    let connection: Connection
    let storeIdentifier: String

    init(_ connection: Connection, storeIdentifier: String) {
        self.connection = connection
        self.storeIdentifier = storeIdentifier
    }

    // MARK: The table

    /// Throws ``SwiftDataError/damagedFile`` if another program changed the definition of the table.
    static func exists(_ connection: Connection) throws -> Bool {
        try FileSchema(connection).hasHistory([createTable(connection)])
    }

    static func isNamed(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") != nil
    }

    static func create(_ connection: Connection) throws {
        try MetaTable.keepingCompletions(connection) { try connection.execute(createTable(connection)) }
    }

    // MARK: Reading

    func records() throws -> [Record] {
        let statement = try connection.cached("SELECT \(Self.columns) FROM \(Self.name) ORDER BY name")
        defer { statement.reset() }
        var records: [Record] = []
        while try statement.step() { records.append(try record(statement).record) }
        return records
    }

    func record(named name: String) throws -> (id: Int64, record: Record)? {
        let statement = try connection.cached("SELECT \(Self.columns) FROM \(Self.name) WHERE name = ?")
        defer { statement.reset() }
        try statement.bind(name, at: 1)
        return try statement.step() ? record(statement) : nil
    }

    /// The consumers that need a part of the history. Must be used in a transaction.
    ///
    /// - Parameter seals: `nil` if the history is not sealed.
    static func holds(_ seals: SealedHistory?, _ connection: Connection) throws -> [RetentionHold] {
        let storeIdentifier = try MetaTable.text(.storeIdentifier, connection) ?? ""
        var records =
            try exists(connection) ? ConsumerTable(connection, storeIdentifier: storeIdentifier).records() : []
        var holds: [RetentionHold] = []
        if let seals {
            let index = records.firstIndex { $0.name == HistorySeal.consumerName }
            if let hold = try seals.hold(lastSeen: index.map { records.remove(at: $0).seen }) { holds.append(hold) }
        }
        return try holds
            + RetentionHold.all(records, HistoryPositions(connection), storeIdentifier: storeIdentifier)
    }

    private static let columns =
        "id, name, position, check_value, rebuild, fence, attempts, acknowledged, seen, skip_count, skips"

    private func record(_ statement: Statement) throws -> (id: Int64, record: Record) {
        let id = statement.int64(0)
        let row = FileRow.consumer(id)
        func date(_ column: Int32) throws -> Date? {
            if statement.isNull(column) { return nil }
            let seconds = statement.double(column)
            guard seconds.isFinite else { throw SwiftDataError.damagedRow(row, "a time is invalid") }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        func decoded<Value: Decodable>(_ column: Int32, as type: Value.Type) throws -> Value? {
            if statement.isNull(column) { return nil }
            do {
                return try JSONDecoder().decode(type, from: Data(statement.text(column, of: row).utf8))
            } catch is DecodingError {
                throw SwiftDataError.damagedRow(row, "the value of \"\(statement.columnName(column))\" is invalid")
            }
        }
        let count = 0...Int64(Int32.max)
        let record = Record(
            name: try statement.anyText(1, of: row),
            place: HistoryConsumerPlace(
                position: try token(statement, of: row), rebuild: try decoded(4, as: HistoryRebuild.self)),
            fence: try statement.integer(5, in: 0...(.max / 2), of: row),
            attempts: Int(try statement.integer(6, in: count, of: row)), acknowledged: try date(7),
            seen: try date(8) ?? .distantPast, skipCount: Int(try statement.integer(9, in: count, of: row)),
            skips: try decoded(10, as: [HistorySkip<DefaultHistoryToken>].self) ?? [])
        return (id, record)
    }

    /// NULL is a token that has no position in this store.
    private func token(_ statement: Statement, of row: FileRow) throws -> DefaultHistoryToken {
        guard !statement.isNull(2) else { return DefaultHistoryToken(storeIdentifier: "", position: 0) }
        // A position that this store cannot have is reported when history is read after it.
        let position = try statement.integer(2, of: row)
        let checkValue = statement.isNull(3) ? nil : try statement.integer(3, of: row)
        return DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue)
    }

    // MARK: Writing

    func update<Result>(named name: String, _ update: (inout Record?) throws -> Result) throws -> Result {
        let known = try record(named: name)
        var record = known?.record
        let result = try update(&record)
        switch (known, record) {
        case (nil, nil): break
        case (nil, let record?): try insert(record)
        case (let known?, nil): try delete(known.id)
        case (let known?, let record?): try write(record, over: known)
        }
        return result
    }

    private func insert(_ record: Record) throws {
        let statement = try connection.cached(
            """
            INSERT INTO \(Self.name)(position, check_value, rebuild, fence, attempts, acknowledged, seen, skip_count, \
            skips, name, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try bind(record, to: statement)
        try statement.bind(record.name, at: 10)
        try statement.bind(unusedNumber(), at: 11)
        try runReportingDuplicates(statement, record.name)
    }

    private func unusedNumber() throws -> Int64 {
        while true {
            let number = Int64.random(in: 1...Int64(Int32.max))
            let isUsed = try connection.scalarInt64("SELECT 1 FROM \(Self.name) WHERE id = ?") {
                try $0.bind(number, at: 1)
            }
            if isUsed == nil { return number }
        }
    }

    private func write(_ record: Record, over known: (id: Int64, record: Record)) throws {
        var id = known.id
        if !record.name.utf8.elementsEqual(known.record.name.utf8) {
            // Separately, because an assignment of the name makes SQLite change the index.
            let statement = try connection.cached("UPDATE \(Self.name) SET name = ?, id = ? WHERE id = ?")
            id = try unusedNumber()
            try statement.bind(record.name, at: 1)
            try statement.bind(id, at: 2)
            try statement.bind(known.id, at: 3)
            try runReportingDuplicates(statement, record.name)
        }
        let statement = try connection.cached(
            """
            UPDATE \(Self.name) SET position = ?, check_value = ?, rebuild = ?, fence = ?, attempts = ?, \
            acknowledged = ?, seen = ?, skip_count = ?, skips = ? WHERE id = ?
            """)
        try bind(record, to: statement)
        try statement.bind(id, at: 10)
        try statement.run()
    }

    private func delete(_ id: Int64) throws {
        let statement = try connection.cached("DELETE FROM \(Self.name) WHERE id = ?")
        try statement.bind(id, at: 1)
        try statement.run()
    }

    private func runReportingDuplicates(_ statement: Statement, _ name: String) throws {
        do { try statement.run() } catch let error as SQLiteError where error.isUniqueConstraint {
            throw SwiftDataError.duplicateHistoryConsumer.with(
                detail: "the store already has a consumer \"\(name)\"; choose another name or remove it")
        }
    }

    /// Binds the first nine parameters. Those that are not bound are NULL.
    private func bind(_ record: Record, to statement: Statement) throws {
        if let position = record.place.position?.position(in: storeIdentifier) {
            try statement.bind(position, at: 1)
            if let check = record.place.position?.checkValue(in: storeIdentifier) { try statement.bind(check, at: 2) }
        }
        if let rebuild = record.place.rebuild { try statement.bind(json(rebuild), at: 3) }
        try statement.bind(record.fence, at: 4)
        try statement.bind(record.attempts, at: 5)
        if let date = record.acknowledged { try statement.bind(date.timeIntervalSinceReferenceDate, at: 6) }
        try statement.bind(record.seen.timeIntervalSinceReferenceDate, at: 7)
        try statement.bind(record.skipCount, at: 8)
        if !record.skips.isEmpty { try statement.bind(json(record.skips), at: 9) }
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Properties of the file, stored by name.
struct MetaTable: MetaValues {
    typealias Name = MetaName

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    static var noun: String { "file" }

    func text(_ name: MetaName) throws -> String? { try Self.text(name, connection) }

    func set(_ name: MetaName, _ text: String) throws { try Self.set(name, text, connection) }

    func damaged(_ name: MetaName, _ detail: String, underlying: (any Error)?) -> any Error {
        SwiftDataError.damagedRow(.meta(name.text), detail)
    }

    static let createTable =
        "CREATE TABLE IF NOT EXISTS chronicle_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID"

    static func text(_ name: Name, _ connection: Connection) throws -> String? {
        try value(name, connection) { try $0.text(0, of: .meta(name.text)) }
    }

    static func integer(_ name: Name, _ connection: Connection) throws -> Int64? {
        try value(name, connection) { try $0.integer(0, of: .meta(name.text)) }
    }

    static func position(_ name: Name, _ connection: Connection) throws -> Int64? {
        try value(name, connection) { try position(name, in: 0, of: $0) }
    }

    static func position(_ name: Name, in column: Int32, of statement: Statement) throws -> Int64? {
        if statement.isNull(column) { return nil }
        return try statement.integer(column, in: HistoryPosition.valid, of: .meta(name.text))
    }

    private static func value<Value>(
        _ name: Name, _ connection: Connection, _ read: (Statement) throws -> Value?
    ) throws -> Value? {
        let statement = try connection.cached("SELECT value FROM chronicle_meta WHERE name = ?")
        defer { statement.reset() }
        try statement.bind(name.text, at: 1)
        return try statement.step() ? read(statement) : nil
    }

    static func set(_ name: Name, _ value: String, _ connection: Connection) throws {
        try set(name, connection) { try $0.bind(value, at: 2) }
    }

    static func set(_ name: Name, _ value: Int64, _ connection: Connection) throws {
        try set(name, connection) { try $0.bind(value, at: 2) }
    }

    private static func set(_ name: Name, _ connection: Connection, _ bind: (Statement) throws -> Void) throws {
        let statement = try connection.cached(
            "INSERT INTO chronicle_meta(name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
        try statement.bind(name.text, at: 1)
        try bind(statement)
        try statement.run()
    }

    /// Changes the definitions of a file in a write transaction. The file still meets the schemas that it met before.
    static func keepingCompletions(_ connection: Connection, _ change: () throws -> Void) throws {
        let before = try FileSchema(connection).digest
        try change()
        try replaceCompletions(before, with: FileSchema(connection).digest, connection)
    }

    private static func replaceCompletions(
        _ digest: String, with newDigest: String, _ connection: Connection
    ) throws {
        let statement = try connection.cached(
            "UPDATE chronicle_meta SET value = ? WHERE \(MetaName.isCompletion) AND value = ?")
        try statement.bind(newDigest, at: 1)
        try statement.bind(digest, at: 2)
        try statement.run()
    }

    static func remove(_ name: Name, _ connection: Connection) throws {
        let statement = try connection.cached("DELETE FROM chronicle_meta WHERE name = ?")
        try statement.bind(name.text, at: 1)
        try statement.run()
    }

    static func knownSchemas(_ connection: Connection) throws -> [String: String] {
        let prefix = MetaName.knownPrefix
        let statement = try connection.prepare(
            "SELECT substr(name, length(?1) + 1), value FROM chronicle_meta WHERE name >= ?1 AND name < 'known;'")
        try statement.bind(prefix, at: 1)
        var records: [String: String] = [:]
        while try statement.step() {
            records[statement.text(0)] = try statement.text(1, of: .meta(prefix + statement.text(0)))
        }
        return records
    }

    static func removeCompletions(_ connection: Connection) throws {
        try connection.execute("DELETE FROM chronicle_meta WHERE \(MetaName.isCompletion)")
    }
}

extension MetaName {
    /// The file is the database of another program, whose changes are recorded: 1.
    static let tracked = MetaName("tracked")
    /// The number that SQLite gave to the schema of a tracked database when the recording was last adapted to it.
    /// https://www.sqlite.org/pragma.html#pragma_schema_version
    static let followedSchema = MetaName("followedSchema")
    /// The tables of a tracked database that are not recorded although new ones are, as JSON; missing if new ones are not.
    static let ignoredTables = MetaName("ignoredTables")

    /// The newest position when the column of a tracked table with this number was added. Rows that have no recorded value of
    /// it since then had NULL.
    static func addedColumn(_ entity: Int64, number: Int) -> MetaName { MetaName("column:\(entity):\(number)") }

    /// The table of a tracked database with the entity of this number was dropped by its program: 1. A table of this name that
    /// exists again is recorded.
    static func droppedTable(_ entity: Int64) -> MetaName { MetaName("dropped:\(entity)") }

    /// The numbers in the schema of the triggers of a tracked table, when the recording was last adapted.
    static func triggers(_ entity: Int64) -> MetaName { MetaName("triggers:\(entity)") }

    /// The digests of the definitions of ``PermanentViews`` by their names, as JSON; missing if they are not installed.
    static let views = MetaName("views")

    /// The highest deleted position. Reading on from an earlier position is incomplete.
    static let floor = MetaName("floor")
    static let floorCheck = MetaName("floorCheck")
    /// The header of a transaction that a purge has deleted in part. Readers begin after it.
    static let purged = MetaName("purged")
    /// The position at which recording resumed after it was disabled or incomplete.
    static let gap = MetaName("gap")
    /// The newest position of the history when the setting ``preservesValues`` was changed.
    static let preservesValuesSince = MetaName("preservesValuesSince")

    /// The newest position of the history when a relationship that is stored as links was added to the entity with this
    /// number; missing if there was no history.
    static func addedRelationship(_ entity: Int64, number: Int64) -> MetaName {
        MetaName("relationship:\(entity):\(number)")
    }
}

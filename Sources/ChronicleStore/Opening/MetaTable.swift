import ChronicleCore
import ChronicleSQLite

/// What the file knows of itself, by name.
enum MetaTable {
    enum Name {
        /// A UUID, made with the file.
        case storeIdentifier
        /// `on` or `off`.
        case history
        /// The highest position that was deleted: what came after an older token is not complete any more.
        case floor
        /// The check value of the floor.
        case floorCheck
        /// The position at which recording began again after it was off, or not complete.
        case gap
        /// The file has all that a schema asks for, and the digest of its definitions (``FileSchema/digest``) was this.
        case completeFor(String)

        var text: String {
            switch self {
            case .storeIdentifier: "store"
            case .history: "history"
            case .floor: "floor"
            case .floorCheck: "floorCheck"
            case .gap: "gap"
            case .completeFor(let signature): "complete:\(signature)"
            }
        }
    }

    static let createTable =
        "CREATE TABLE IF NOT EXISTS chronicle_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID"

    /// The text under a name; `nil` when there is none.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a value of another storage class.
    static func text(_ name: Name, _ connection: Connection) throws -> String? {
        try value(name, connection) { try $0.text(0, of: .meta(name.text)) }
    }

    /// The position under a name; `nil` when there is none.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for what is no position.
    static func position(_ name: Name, _ connection: Connection) throws -> Int64? {
        try value(name, connection) { try position(name, in: 0, of: $0) }
    }

    /// The position under a name, in a column of a statement that selected it; `nil` for NULL.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for what is no position.
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

    static func removeCompletions(_ connection: Connection) throws {
        try connection.execute("DELETE FROM chronicle_meta WHERE name >= 'complete:' AND name < 'complete;'")
    }
}

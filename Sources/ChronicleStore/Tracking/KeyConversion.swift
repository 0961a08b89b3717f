import ChronicleCore
import ChronicleSQLite

/// Numbers the keys in the history of a table whose primary key was the rowid, if some of them are not integers.
///
/// SQLite writes the new name of a rowid's column into the triggers. A program can then rebuild the table with this column as
/// another kind of primary key, and create the triggers again with this text: they record keys such as `'x'`. Readers refuse
/// them, so nothing has read these changes. They get numbers like the keys of a ``KeyTable``, and integers are their own
/// numbers, so that earlier identifiers and the baseline remain.
///
/// Must be used when the history of the entity ends, because later rowids could equal the numbers.
struct KeyConversion {
    private let entity: RecordedEntity
    private let connection: Connection

    init(_ entity: RecordedEntity, _ connection: Connection) { (self.entity, self.connection) = (entity, connection) }

    /// Reads the history.
    var isRequired: Bool {
        get throws {
            guard entity.keyColumns == nil else { return false }
            return try connection.scalarInt64(
                "SELECT 1 FROM \(ChangeTable.name) WHERE \(changes) AND \(Self.hasOtherKey) LIMIT 1") != nil
        }
    }

    /// Whether the history contains keys of another type, which following the changes of the schema converts.
    static func isRequired(_ connection: Connection) throws -> Bool {
        for entity in try EntityRegistry(connection).entities()
        where try entity.tableName != nil && KeyConversion(entity, connection).isRequired { return true }
        return false
    }

    /// - Parameter table: The present table of the entity, or `nil` if it was dropped.
    /// - Returns: The entity with the name of the key.
    func run(_ table: TrackedTable?) throws -> RecordedEntity {
        guard try isRequired else { return entity }
        // The triggers recorded one column of the primary key.
        let column = table.flatMap { $0.reason == nil && $0.primaryKey.count == 1 ? $0.primaryKey[0] : nil }
        try number(column?.collation)
        var converted = entity
        converted.keyColumns = [column?.name ?? "key"]
        try EntityRegistry(connection)
            .setTable(entity.tableName, keyColumns: converted.keyColumns ?? [], of: entity)
        return converted
    }

    private func number(_ collation: String?) throws {
        let (table, column) = (quoted(NumberedKey.table(of: entity.number)), NumberedKey.column(0))
        let expected = try Baseline(of: entity.number, connection).expectedKeys() ?? []
        // Keys were numbered for another table, whose recording did not begin.
        try connection.execute("DROP TABLE IF EXISTS \(table)")
        let collated = collation.map { " COLLATE \(quoted($0))" } ?? ""
        try connection.execute(
            "CREATE TABLE \(table)(id INTEGER PRIMARY KEY, \(column)\(collated), UNIQUE (\(column)))")
        try connection.execute(
            """
            INSERT INTO \(table)(id, \(column)) SELECT DISTINCT primary_key, primary_key FROM \(ChangeTable.name) \
            WHERE \(changes) AND NOT \(Self.hasOtherKey)
            """)
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table)(id, \(column)) VALUES (?1, ?1)")
        for key in expected {
            try insert.bind(key, at: 1)
            try insert.run()
        }
        // SQLite chooses numbers that no key has.
        try connection.execute(
            """
            INSERT OR IGNORE INTO \(table)(\(column)) SELECT primary_key FROM \(ChangeTable.name) \
            WHERE \(changes) AND \(Self.hasOtherKey) GROUP BY primary_key ORDER BY min(id)
            """)
        try connection.execute(
            """
            UPDATE \(ChangeTable.name) SET primary_key = (SELECT k.id FROM \(table) AS k \
            WHERE k.\(column) IS \(ChangeTable.name).primary_key) WHERE \(changes) AND \(Self.hasOtherKey)
            """)
    }

    private static let hasOtherKey = "typeof(primary_key) <> 'integer'"

    /// Includes the preserved values.
    private var changes: String {
        let operations: [ChangeTable.Operation] = [.preservedValue, .insert, .update, .delete]
        let kinds = operations.map { "\(ChangeTable.Kind($0, of: entity.number).rawValue)" }
        return "kind IN (\(kinds.joined(separator: ", ")))"
    }
}

import ChronicleCore
import ChronicleSQLite

/// The tables `chronicle_key_…` of a tracked database, which number primary keys that are not rowids. Their columns have
/// the same affinities and collations, so that both tables consider the same keys equal.
struct KeyTable {
    let key: NumberedKey
    let table: TrackedTable

    init?(_ table: TrackedTable, of entityID: Int64) {
        guard let key = table.key(of: entityID).numbered else { return nil }
        (self.key, self.table) = (key, table)
    }

    var createTable: String {
        let columns = key.pairs.map { column, own in
            let affinity = table.columns.first { $0.name == column.name }?.affinity ?? .blob
            let type = affinity == .blob ? "" : " \(affinity.rawValue)"
            return "\(own)\(type)\(column.collation.map { " COLLATE \(quoted($0))" } ?? "") NOT NULL"
        }
        let names = key.pairs.map(\.own).joined(separator: ", ")
        return "CREATE TABLE \(quoted(key.table))(id INTEGER PRIMARY KEY, "
            + "\(columns.joined(separator: ", ")), UNIQUE (\(names)))"
    }

    /// The definition of the table in the file, or `nil` if there is none.
    func storedDefinition(_ connection: Connection) throws -> String? {
        try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?") {
            try $0.bind(key.table, at: 1)
        }
    }

    func numberRows(_ connection: Connection) throws {
        let isPresent = key.columns.map { "t.\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
        try connection.execute(insertion(isPresent))
    }

    /// Numbers the rows `t` that meet a condition and have no number. Their keys must not contain NULL.
    func insertion(_ condition: String, orderedBy order: String? = nil) -> String {
        let names = key.pairs.map(\.own).joined(separator: ", ")
        let values = key.columns.map { "t.\(quoted($0.name))" }.joined(separator: ", ")
        return """
            INSERT INTO \(quoted(key.table))(\(names)) SELECT \(values) FROM \(table.keyScan) WHERE \(condition) \
            AND NOT EXISTS (SELECT 1 FROM \(RecorderSQL.numbers(key)) WHERE \(RecorderSQL.hasNumber("t", key)))\
            \(order.map { " ORDER BY \($0)" } ?? "")
            """
    }

    /// Whether a table contains keys that were numbered for a recording that has not begun; see ``KeyNumbering``. No entity has
    /// its number then.
    static func isRemainder(_ name: String, _ connection: Connection) throws -> Bool {
        try connection.scalarInt64(
            """
            SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 \
            AND instr(sql, 'CREATE TABLE ' || ?2 || '(id INTEGER PRIMARY KEY, \(NumberedKey.column(0))') = 1
            """
        ) {
            try $0.bind(name, at: 1)
            try $0.bind(quoted(name), at: 2)
        } != nil
    }

    /// Returns the primary key with a number, or `nil` if there is none. The key has the form in which it was numbered: keys that
    /// the table considers equal, such as texts that differ in case, have the same number.
    static func values(
        of number: Int64, entity: Int64, count: Int, _ connection: Connection
    ) throws -> [PropertyValue]? {
        let names = (0..<count).map(NumberedKey.column).joined(separator: ", ")
        let table = NumberedKey.table(of: entity)
        let statement: Statement
        do {
            statement = try connection.cached("SELECT \(names) FROM main.\(quoted(table)) WHERE id = ?")
        } catch {
            // Another program may have dropped the key table of an entity whose recording ended.
            let exists = try connection.scalarInt64("SELECT 1 FROM main.sqlite_schema WHERE name = ?") {
                try $0.bind(table, at: 1)
            }
            guard exists == nil else { throw error }
            return nil
        }
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        return try statement.step() ? (0..<count).map { statement.plainValue(Int32($0)) } : nil
    }

    /// A change of the key would have assigned a number.
    func unnumberedRows(_ connection: Connection) throws -> Int {
        let values = key.columns.map { "t.\(quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
        let count = try connection.scalarInt64(
            """
            SELECT count(*) FROM \(table.keyScan) WHERE \(values) \
            AND NOT EXISTS (SELECT 1 FROM \(RecorderSQL.numbers(key)) WHERE \(RecorderSQL.hasNumber("t", key)))
            """)
        return Int(count ?? 0)
    }

    /// Selects rows with their numbers, as the rows of a table of models, and all columns if `columns` is `nil`.
    static func select(
        _ name: String, _ entityID: Int64, keyColumns: [String], columns: [String]?, database: String = "main."
    ) -> String {
        let own = columns?.map { "t.\(quoted($0)) AS \(quoted($0))" } ?? ["t.*"]
        let sameKey = keyColumns.enumerated().map { "k.\(NumberedKey.column($0)) = t.\(quoted($1))" }
        return "SELECT \((["k.id AS \(RecorderSQL.key)"] + own).joined(separator: ", ")) "
            + "FROM \(database)\(quoted(NumberedKey.table(of: entityID))) AS k JOIN \(database)\(quoted(name)) AS t "
            + "ON \(sameKey.joined(separator: " AND "))"
    }
}

/// How the history identifies the rows of a recorded table.
enum RowKey: Hashable, Sendable {
    /// By the rowid, which is the primary key of the table.
    ///
    /// - Parameter names: All names by which a statement can update it, as the column list of a trigger.
    case rowID(names: String)
    /// By the numbers of another primary key in a table of keys.
    case numbered(NumberedKey)

    /// The key of the tables of models.
    ///
    /// SQLite matches listed columns by the name that the statement uses, so the other names of the primary key must be
    /// listed as well (<https://sqlite.org/lang_createtable.html>, "ROWIDs and the INTEGER PRIMARY KEY"). It is no
    /// problem if another column has one of these names.
    static let model = RowKey.rowID(names: "\"id\", rowid, _rowid_, oid")

    /// The description of the numbers, or `nil` for rowids.
    var numbered: NumberedKey? {
        if case .numbered(let key) = self { key } else { nil }
    }
}

/// A primary key that is not the rowid: of any type, of several columns, or of a table without rowids.
///
/// A table in the same file assigns a number to each value of the key that the recorder has seen. The rows of this table
/// are never deleted, so a number identifies the same value as long as the history is recorded.
struct NumberedKey: Hashable, Sendable {
    /// The name of the table of keys, not quoted.
    let table: String
    /// The columns of the primary key, with the collations in which it is unique.
    let columns: [RecordedTable.IndexedColumn]
    /// The names by which a statement can set the rowid of the recorded table; empty for a table without rowids.
    let rowIDNames: [String]

    /// The columns with their names in the table of keys, quoted.
    var pairs: [(column: RecordedTable.IndexedColumn, own: String)] {
        columns.enumerated().map { ($1, Self.column($0)) }
    }

    /// Returns the name of the table of keys of an entity.
    static func table(of entityID: Int64) -> String { "\(RecorderSQL.prefix)key_\(entityID)" }

    /// Returns the name of a column of a table of keys, by its index in the primary key. The names in the recorded table
    /// could be `id`.
    static func column(_ index: Int) -> String { "key\(index + 1)" }
}

// The SQL of keys. Rows are `NEW`, `OLD`, or the alias of a table.
extension RecorderSQL {
    /// Returns the expression of the key of a row.
    static func key(of row: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key)"
        case .numbered(let key): "(SELECT k.id FROM \(numbers(key)) WHERE \(hasNumber(row, key)))"
        }
    }

    /// Returns a condition that is true if two rows have the same key.
    static func haveSameKey(_ row: String, _ other: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key) IS \(other).\(key)"
        case .numbered(let key):
            "(\(joined(key.columns.map { "\(row).\($0.collated) IS \(other).\(quoted($0.name))" }, by: "AND")))"
        }
    }

    /// Returns a condition that is true if two rows have different keys.
    static func haveDifferentKeys(_ row: String, _ other: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key) IS NOT \(other).\(key)"
        case .numbered: "NOT \(haveSameKey(row, other, in: table))"
        }
    }

    /// Returns a condition that is true if the table contains no row with a key.
    static func isMissing(_ expression: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID:
            return "NOT EXISTS (SELECT 1 FROM \(quoted(table.name)) AS held WHERE held.\(key) = \(expression))"
        case .numbered(let key):
            return """
                NOT EXISTS (SELECT 1 FROM \(numbers(key)) CROSS JOIN \(quoted(table.name)) AS held \
                WHERE k.id = \(expression) AND \(joined(key.pairs.map { "held.\($0.column.collated) = k.\($0.own)" }, by: "AND")))
                """
        }
    }

    /// Returns the statements that assign a number to the key of a row, if it has none. A key with NULL has no number.
    ///
    /// The condition avoids a conflict, because a conflict clause of the outer statement would apply to it.
    static func number(_ row: String, in table: RecordedTable) -> [String] {
        guard let key = table.key.numbered else { return [] }
        let names = key.pairs.map(\.own).joined(separator: ", ")
        let values = key.columns.map { "\(row).\(quoted($0.name))" }
        let isPresent = values.map { "\($0) IS NOT NULL" }
        return [
            """
            INSERT INTO \(quoted(key.table))(\(names)) \
            SELECT \(values.joined(separator: ", ")) WHERE \(joined(isPresent, by: "AND")) \
            AND NOT EXISTS (SELECT 1 FROM \(numbers(key)) WHERE \(hasNumber(row, key)))
            """
        ]
    }

    /// The table of keys in a FROM clause, with the alias `k`.
    static func numbers(_ key: NumberedKey) -> String { "\(quoted(key.table)) AS k" }

    /// Returns a condition that is true for the number `k` of a row.
    static func hasNumber(_ row: String, _ key: NumberedKey) -> String {
        joined(key.pairs.map { "k.\($0.own) = \(row).\(quoted($0.column.name))" }, by: "AND")
    }

    /// The primary key of a table of models as written in the SQL of a trigger.
    static var key: String { quoted(RecordedTable.primaryKey) }
}

extension RecordedTable.IndexedColumn {
    /// The column as an operand that compares with the collation of its index.
    var collated: String { RecorderSQL.quoted(name) + (collation.map { " COLLATE \(RecorderSQL.quoted($0))" } ?? "") }
}

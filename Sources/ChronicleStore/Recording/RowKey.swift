/// How the history identifies the rows of a recorded table.
enum RowKey: Hashable, Sendable {
    /// `names` are all names by which a statement can update the rowid, as the column list of a trigger.
    case rowID(names: String)
    case numbered(NumberedKey)

    /// The key of the tables of models. SQLite matches listed columns by the name that the statement uses, so all names of
    /// the primary key are listed (<https://sqlite.org/lang_createtable.html>, "ROWIDs and the INTEGER PRIMARY KEY").
    /// Another column may have one of them.
    static let model = RowKey.rowID(names: "\"id\", rowid, _rowid_, oid")

    var numbered: NumberedKey? {
        if case .numbered(let key) = self { key } else { nil }
    }
}

/// A primary key that is not the rowid: of any type, of several columns, or of a table without rowids. A table in the same
/// file numbers the values of the key that the recorder has seen. Its rows are never deleted, so a number identifies the
/// same value as long as the history is recorded.
struct NumberedKey: Hashable, Sendable {
    /// The name, not quoted.
    let table: String
    /// The columns with the collations in which the primary key is unique.
    let columns: [RecordedTable.IndexedColumn]
    /// The names by which a statement can set the rowid; empty for a table without rowids.
    let rowIDNames: [String]

    /// The columns with their quoted names in the table of keys.
    var pairs: [(column: RecordedTable.IndexedColumn, own: String)] {
        columns.enumerated().map { ($1, Self.column($0)) }
    }

    static func table(of entityID: Int64) -> String { "\(RecorderSQL.prefix)key_\(entityID)" }

    /// The names in the recorded table could be `id`.
    static func column(_ index: Int) -> String { "key\(index + 1)" }
}

// The SQL of keys. Rows are `NEW`, `OLD`, or the alias of a table.
extension RecorderSQL {
    static func key(of row: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key)"
        case .numbered(let key): "(SELECT k.id FROM \(numbers(key)) WHERE \(hasNumber(row, key)))"
        }
    }

    static func haveSameKey(_ row: String, _ other: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key) IS \(other).\(key)"
        case .numbered(let key):
            "(\(joined(key.columns.map { "\(row).\($0.collated) IS \(other).\(quoted($0.name))" }, by: "AND")))"
        }
    }

    static func haveDifferentKeys(_ row: String, _ other: String, in table: RecordedTable) -> String {
        switch table.key {
        case .rowID: "\(row).\(key) IS NOT \(other).\(key)"
        case .numbered: "NOT \(haveSameKey(row, other, in: table))"
        }
    }

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

    /// Numbers the key of a row, if it has no number and no NULL. The condition avoids a conflict, to which a conflict
    /// clause of the outer statement would apply.
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

    /// The table of keys with the alias `k`.
    static func numbers(_ key: NumberedKey) -> String { "\(quoted(key.table)) AS k" }

    static func hasNumber(_ row: String, _ key: NumberedKey) -> String {
        joined(key.pairs.map { "k.\($0.own) = \(row).\(quoted($0.column.name))" }, by: "AND")
    }

    static var key: String { quoted(RecordedTable.primaryKey) }
}

extension RecordedTable.IndexedColumn {
    /// Compares with the collation of the index.
    var collated: String { RecorderSQL.quoted(name) + (collation.map { " COLLATE \(RecorderSQL.quoted($0))" } ?? "") }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A table of another program's database, as SQLite describes it.
struct TrackedTable {
    /// Generated columns cannot be recorded and are not among them.
    struct Column {
        let name: String
        /// The type is empty if the column has none.
        let declaredType: String
        let affinity: ColumnAffinity
    }

    let name: String
    private(set) var columns: [Column] = []
    /// The column that is a name of the rowid, if that is the primary key.
    private(set) var rowIDColumn: String?
    /// The columns of another primary key.
    private(set) var primaryKey: [RecordedTable.IndexedColumn] = []
    /// The index of another primary key, unless the rows themselves are in its order.
    private var primaryKeyIndex: String?
    /// The unique indexes whose conflicts the recorder can find.
    private(set) var uniqueness: [[RecordedTable.IndexedColumn]] = []
    /// The names of the other unique indexes, on a part of the rows or on expressions.
    private(set) var unknownIndexes: [String] = []
    /// The names that no column has; empty for a table without rowids.
    private(set) var rowIDNames: [String] = []
    /// Why the table cannot be recorded.
    private(set) var reason: String?
    private(set) var isOrdinary = true
    /// Whether the table belongs to a virtual table.
    private(set) var isPart = false

    private static let builtInCollations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]
    private static let reservedNames: Set<String> = [
        "", RecordedTable.primaryKey, Schema.entityAttribute.lowercased(), "past.present", "past.unknown",
    ]

    /// `nil` if the file has no table or view of the name.
    init?(_ name: String, _ connection: Connection) throws {
        let statement = try connection.prepare(
            "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE")
        try statement.bind(name, at: 1)
        guard try statement.step() else { return nil }
        self.name = statement.text(0)
        let hasRowIDs = statement.int64(2) == 0
        reason = try Self.reason(self.name, type: statement.text(1), connection)
        guard reason == nil else {
            isOrdinary = false
            isPart = statement.text(1) == "shadow"
            return
        }
        try readColumns(connection, isStrict: statement.int64(3) != 0)
        let folded = Set(columns.map { TableNames.folded($0.name) })
        if hasRowIDs { rowIDNames = [RecordedTable.primaryKey, "rowid", "oid"].filter { !folded.contains($0) } }
        try readIndexes(connection)
        if !hasRowIDs { primaryKeyIndex = nil }
        // The primary key of a table is the rowid if SQLite needs no index for it.
        if !primaryKey.isEmpty { rowIDColumn = nil }
        if hasRowIDs, !primaryKey.isEmpty, let name = rowIDNames.first {
            uniqueness.append([.init(name: name)])
        }
        reason = reasonAgainstRecording(folded)
    }

    /// The tables and views of other programs, in alphabetical order.
    static func names(_ connection: Connection) throws -> [String] {
        let statement = try connection.prepare(
            """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND substr(name, 1, 7) <> 'sqlite_' COLLATE NOCASE \
            AND substr(name, 1, 10) <> 'chronicle_' COLLATE NOCASE \
            AND name NOT IN (SELECT name FROM main.sqlite_schema WHERE \(PermanentViews.condition)) ORDER BY name
            """)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    // MARK: Columns and indexes

    private mutating func readColumns(_ connection: Connection, isStrict: Bool) throws {
        let statement = try connection.prepare(
            "SELECT name, type, pk FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid")
        try statement.bind(name, at: 1)
        while try statement.step() {
            let (column, type) = (statement.text(0), statement.text(1))
            columns.append(
                Column(
                    name: column, declaredType: type,
                    affinity: ColumnAffinity(declaredType: type, isStrict: isStrict)))
            if statement.int64(2) != 0 { rowIDColumn = column }
        }
    }

    private mutating func readIndexes(_ connection: Connection) throws {
        let statement = try connection.prepare(
            """
            SELECT i.name, i.origin, i.partial, c.name, c.coll, t."notnull", t.dflt_value \
            FROM pragma_index_list(?1, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c \
            LEFT JOIN pragma_table_xinfo(?1, 'main') AS t ON t.cid = c.cid \
            WHERE i."unique" AND c.key ORDER BY i.name, c.seqno
            """)
        try statement.bind(name, at: 1)
        var indexes: [(name: String, isPrimaryKey: Bool, isComplete: Bool, columns: [RecordedTable.IndexedColumn])] = []
        while try statement.step() {
            let index = statement.text(0)
            if indexes.last?.name != index {
                indexes.append((index, statement.text(1) == "pk", statement.int64(2) == 0, []))
            }
            // An expression has no name.
            if statement.isNull(3) {
                indexes[indexes.count - 1].isComplete = false
            } else {
                indexes[indexes.count - 1].columns.append(
                    .init(
                        name: statement.text(3), collation: statement.text(4),
                        replacement: ColumnDefault.replacement(statement, isRequired: 5, default: 6)))
            }
        }
        for index in indexes {
            if index.isComplete { uniqueness.append(index.columns) } else { unknownIndexes.append(index.name) }
            if index.isPrimaryKey { (primaryKey, primaryKeyIndex) = (index.columns, index.name) }
        }
    }

    // MARK: Tables that cannot be recorded

    private static func reason(_ name: String, type: String, _ connection: Connection) throws -> String? {
        let folded = TableNames.folded(name)
        if folded.hasPrefix("sqlite_") || folded.hasPrefix(RecorderSQL.prefix) { return "the name is reserved" }
        switch type {
        case "view": return "it is a view"
        case "virtual": return "it is a virtual table, which cannot have triggers"
        case "shadow": return "it belongs to a virtual table"
        default: break
        }
        // SQLite recognizes the tables of a virtual table only if it has the module.
        let owner = try connection.scalarText(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' \
            AND substr(?1, 1, length(name) + 1) = name || '_' COLLATE NOCASE \
            AND NOT EXISTS (SELECT 1 FROM pragma_module_list AS m \
            WHERE sql LIKE '% USING ' || m.name || '(%' OR sql LIKE '% USING ' || m.name || ' (%' \
            OR sql LIKE '% USING ' || m.name) LIMIT 1
            """
        ) { try $0.bind(name, at: 1) }
        return owner.map { "it seems to belong to the virtual table \($0), whose module this program does not have" }
    }

    private func reasonAgainstRecording(_ names: Set<String>) -> String? {
        if primaryKey.isEmpty, rowIDColumn == nil {
            return "it has no primary key, so nothing identifies its rows; VACUUM can change their rowids"
        }
        let reserved = columns.first {
            Self.reservedNames.contains(TableNames.folded($0.name)) && $0.name != rowIDColumn
        }
        if let reserved { return "the name of its column \"\(reserved.name)\" is reserved" }
        let unknown = primaryKey.compactMap(\.collation).first {
            !Self.builtInCollations.contains($0.uppercased())
        }
        return unknown.map { "its primary key has the collation \($0), which only its program defines" }
    }
}

extension TrackedTable {
    /// All columns, except the rowid.
    var attributes: [Column] { columns.filter { $0.name != rowIDColumn } }

    /// `nil` if the primary key is the rowid.
    var keyColumns: [String]? { primaryKey.isEmpty ? nil : primaryKey.map(\.name) }

    /// The table with the alias `t`, to read all keys in their order. Key tables have the same order, so that each lookup is
    /// near the previous one: in the order of the rows, a million long keys take eight times as long. Other indexes can
    /// have collations that only the program of the table has.
    var keyScan: String {
        "main.\(quoted(name)) AS t \(primaryKeyIndex.map { "INDEXED BY \(quoted($0))" } ?? "NOT INDEXED")"
    }

    func key(of entityID: Int64) -> RowKey {
        guard primaryKey.isEmpty else {
            return .numbered(
                NumberedKey(table: NumberedKey.table(of: entityID), columns: primaryKey, rowIDNames: rowIDNames))
        }
        let names = (rowIDColumn.map { [$0] } ?? []) + rowIDNames.filter { $0 != rowIDColumn }
        return .rowID(names: names.map(quoted).joined(separator: ", "))
    }

    func recordedTable(_ entity: RecordedEntity) -> RecordedTable {
        let known = Dictionary(columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var table = RecordedTable(
            entityID: entity.number, name: name, key: key(of: entity.number),
            columns: entity.attributes.compactMap { attribute in
                guard attribute.isPresent, let column = known[attribute.name] else { return nil }
                return RecordedTable.Column(
                    number: attribute.number, name: attribute.name, preservation: attribute.preservation,
                    comparison: column.affinity == .blob ? .textAndType : .text)
            },
            uniqueness: uniqueness)
        table.isTracked = true
        return table
    }
}

/// The conversion that SQLite applies to the values of a column.
/// https://www.sqlite.org/datatype3.html#determination_of_column_affinity
enum ColumnAffinity: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case real = "REAL"
    case numeric = "NUMERIC"
    case blob = "BLOB"

    /// - Parameter isStrict: In a STRICT table, `ANY` means no conversion. https://www.sqlite.org/stricttables.html
    fileprivate init(declaredType: String, isStrict: Bool) {
        let type = declaredType.uppercased()
        self =
            if isStrict, type == "ANY" {
                .blob
            } else if type.contains("INT") {
                .integer
            } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
                .text
            } else if type.isEmpty || type.contains("BLOB") {
                .blob
            } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
                .real
            } else {
                .numeric
            }
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A table whose changes are recorded, so that its rows as of a position are known.
struct RecordedRows {
    let name: String
    /// The number of the table's entity.
    let entity: Int64
    /// The recorded columns, without the one that is a name of the rowid.
    let columns: [String]
    /// The columns that a program has added without a record of their values.
    let unrecordedColumns: [String]
    /// The names of the primary key, which identifies a row in every program.
    let key: [String]
    /// Whether the primary key is the rowid.
    let hasRowIDKey: Bool
    /// The columns without NULL.
    let required: Set<String>
    /// The default values of required columns that were added. In the history, their earlier values are NULL.
    private let defaults: [String: String]

    /// Returns the tables of models, or the recorded ones of a tracked database, in the order of their numbers.
    static func all(_ connection: Connection, _ schema: Schema, isTracked: Bool) throws -> [RecordedRows] {
        let present = try isTracked ? TrackedRows.entities(connection) : Set(schema.entities.map(\.rootName))
        return try EntityRegistry(connection).entities().filter { !$0.isSubentity && present.contains($0.name) }
            .map { try RecordedRows($0, connection) }
    }

    private init(_ entity: RecordedEntity, _ connection: Connection) throws {
        (name, self.entity, hasRowIDKey) = (entity.name, entity.number, entity.keyColumns == nil)
        let statement = try connection.prepare(
            "SELECT name, pk, \"notnull\", dflt_value FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid")
        try statement.bind(entity.name, at: 1)
        let recorded = Dictionary(
            entity.attributes.lazy.filter(\.isPresent).map { ($0.name, $0.number) }, uniquingKeysWith: { $1 })
        var defaults: [String: String] = [:]
        var columns: [String] = []
        var others: [String] = []
        var required: Set<String> = []
        var rowID = RecordedTable.primaryKey
        while try statement.step() {
            let column = statement.text(0)
            if statement.int64(2) != 0 { required.insert(column) }
            if let number = recorded[column] {
                columns.append(column)
                if let literal = ColumnDefault.replacement(statement, isRequired: 2, default: 3),
                    try MetaTable.integer(.addedColumn(entity.number, number: number), connection) != nil
                {
                    defaults[column] = literal
                }
            } else if entity.keyColumns == nil, statement.int64(1) != 0 {
                rowID = column
            } else {
                others.append(column)
            }
        }
        (self.columns, unrecordedColumns, self.required, self.defaults) = (columns, others, required, defaults)
        key = entity.keyColumns ?? [rowID]
    }

    /// The names of all values of a row. The first one is that of the rowid, if that is the primary key.
    var names: [String] { hasRowIDKey ? key + columns : columns }

    /// A FROM clause that reads ``PastTables``, in which the rowid has another name.
    func select(_ tables: PastTables, where condition: String? = nil) -> String {
        let values = (hasRowIDKey ? [RecordedTable.primaryKey] : []) + columns
        // NULL is also a value that is not known.
        let unknown = MissingValues.current == nil ? [] : tables.tables[self.name]?.incomplete ?? []
        let expressions = values.map { name in
            let value = "r.\(quoted(name))"
            return unknown.contains(name) ? value : defaults[name].map { "ifnull(\(value), \($0))" } ?? value
        }
        return "SELECT \(expressions.joined(separator: ", ")) FROM \(tables.source(name)) AS r"
            + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Returns the required columns that were NULL in a row that has changed since: the program added them, or required a
    /// value of them, later.
    func columnsWithoutValue(_ tables: PastTables, _ connection: Connection) throws -> [String] {
        guard let table = tables.tables[name] else { return [] }
        return try columns.filter { column in
            guard required.contains(column), defaults[column] == nil, !table.incomplete.contains(column) else {
                return false
            }
            let statement = try connection.prepare(
                "SELECT 1 FROM (\(table.changedRows)) AS r WHERE r.\(quoted(column)) IS NULL LIMIT 1")
            return try statement.step()
        }
    }

    /// The error for a required column without a value.
    func missingValue(_ column: String) -> SwiftDataError {
        .historyValueMissing.with(
            detail: "the column requires a value now, and some rows had none at the position; use a later position",
            entityName: name, propertyName: column)
    }

    /// The table must not have a column whose values are not recorded.
    func requireAllColumns() throws {
        guard let column = unrecordedColumns.first else { return }
        throw SwiftDataError.historyValueMissing.with(
            detail: "the values of the column are not recorded yet; use `chronicle track FILE` to record them",
            entityName: name,
            propertyName: column)
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The tables and changes that the pre-update hook can record. All triggers are disabled meanwhile, so a table qualifies
/// only if its triggers are exactly those that the recorder would create for it.
final class HookSchema {
    final class Table {
        /// For a column that ALTER TABLE added, the hook of SQLite 3.40 reports NULL instead of the default value in rows
        /// that were written before. If the column cannot contain NULL, this determines these rows.
        /// that were written before. If the column cannot contain NULL, this determines these rows.
        typealias Column = (index: Int32, number: Int, hasDefault: Bool, preservation: Preservation)

        let recorded: RecordedTable
        /// The columns in the order of their numbers, like those below.
        let columns: [Column]
        let preservedByInserts: [Column]
        let preservedByDeletes: [Column]
        /// Whether no column has a default value and can contain NULL.
        let reportsOldValues: Bool
        /// Indexes into ``columns`` by folded names.
        let positions: [String: Int]
        let maskCount: Int
        /// `nil` if no other entities share the table.
        let entityColumn: Int32?
        /// The numbers by the bytes of the names.
        private let subentities: [(name: [UInt8], number: Int64)]
        fileprivate(set) var hasActions = false
        /// Includes their foreign key actions. Inserts have none, and can always be recorded.
        fileprivate(set) var recordsUpdates = true
        fileprivate(set) var recordsDeletes = true

        init(
            _ recorded: RecordedTable, columns: [Column], positions: [String: Int], reportsOldValues: Bool,
            entityColumn: Int32?
        ) {
            self.entityColumn = recorded.subentities.isEmpty ? nil : entityColumn
            subentities = recorded.subentities.map { (Array($0.name.utf8), $0.number) }
            (self.recorded, self.columns) = (recorded, columns)
            (self.positions, self.reportsOldValues) = (positions, reportsOldValues)
            preservedByInserts = columns.filter { $0.preservation.inserts != .none }
            preservedByDeletes = columns.filter { $0.preservation.deletes != .none }
            maskCount = recorded.maskCount
        }

        func entity(_ name: ColumnValue) -> Int64 {
            guard case .text(let name) = name else { return recorded.entityID }
            return subentities.first { $0.name.elementsEqual(name) }?.number ?? recorded.entityID
        }
    }

    /// The tables by folded names.
    @exclusivity(unchecked) private(set) var tables: [String: Table] = [:]
    private var tablesByEntity: [String: Table] = [:]
    /// Saves in succession often have the same entity.
    @exclusivity(unchecked) private var latest: (entity: String, table: Table?)?

    private static let historyTables = [
        ChangeTable.name, "chronicle_conflict", RecorderSQL.removedLinkTable, SourceTable.name, SummaryTable.name,
        MetadataTable.name,
    ]

    init(_ connection: Connection) throws {
        // The hook reports text in the encoding of the file, and the recorder requires UTF-8.
        guard try connection.scalarText("PRAGMA encoding") == "UTF-8" else { return }
        let triggers = try Self.triggers(connection)
        // Triggers of other programs may observe the history itself.
        guard Self.historyTables.allSatisfy({ triggers[$0] == nil }) else { return }
        let registry = EntityRegistry(connection)
        for entity in try registry.entities() {
            let recorded = try registry.table(of: entity)
            guard Set(triggers[TableNames.folded(entity.name), default: []]) == Set(RecorderSQL.triggers(of: recorded))
            else {
                continue
            }
            guard let table = try Self.table(recorded, connection) else { continue }
            tables[TableNames.folded(entity.name)] = table
            tablesByEntity[entity.name] = table
            for subentity in recorded.subentities { tablesByEntity[subentity.name] = table }
        }
        try excludeActions(connection, triggers)
    }

    /// `nil` if triggers have to record the changes.
    func table(ofEntity name: String) -> Table? {
        if let latest, latest.entity == name { return latest.table }
        let table = tablesByEntity[name]
        latest = (name, table)
        return table
    }

    /// Returns the texts by the folded names of the tables.
    private static func triggers(_ connection: Connection) throws -> [String: [String]] {
        let statement = try connection.prepare(
            """
            SELECT tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' \
            UNION ALL SELECT tbl_name, sql FROM sqlite_temp_schema WHERE type = 'trigger'
            """)
        var triggers: [String: [String]] = [:]
        while try statement.step() {
            triggers[TableNames.folded(statement.text(0)), default: []].append(statement.text(1))
        }
        return triggers
    }

    /// `nil` if the table has generated columns, which the hook does not report, lacks a recorded column, or has columns
    /// whose names Swift cannot distinguish.
    private static func table(_ recorded: RecordedTable, _ connection: Connection) throws -> Table? {
        let statement = try connection.prepare(
            "SELECT name, cid, hidden, dflt_value IS NOT NULL, \"notnull\" FROM pragma_table_xinfo(?)")
        try statement.bind(recorded.name, at: 1)
        var known: [String: (index: Int32, hasDefault: Bool, isOptional: Bool)] = [:]
        while try statement.step() {
            guard statement.int64(2) == 0 else { return nil }
            let column = (Int32(statement.int64(1)), statement.int64(3) != 0, statement.int64(4) == 0)
            // Strings with equivalent Unicode characters are equal, but different names in SQLite.
            guard known.updateValue(column, forKey: TableNames.folded(statement.text(0))) == nil else { return nil }
        }
        var columns: [Table.Column] = []
        var reportsOldValues = true
        var positions: [String: Int] = [:]
        for column in recorded.columns {
            guard let (index, hasDefault, isOptional) = known[TableNames.folded(column.name)] else { return nil }
            if hasDefault, isOptional { reportsOldValues = false }
            positions[TableNames.folded(column.name)] = columns.count
            columns.append((index, column.number, hasDefault, column.preservation))
        }
        return Table(
            recorded, columns: columns, positions: positions, reportsOldValues: reportsOldValues,
            entityColumn: known[Schema.entityAttribute]?.index)
    }

    /// Excludes updates and deletes whose foreign key actions reach a table with other triggers, such as a link table, or
    /// one whose old values are not reported.
    private func excludeActions(_ connection: Connection, _ triggers: [String: [String]]) throws {
        let statement = try connection.prepare(
            """
            SELECT m.name, f."table", f.on_update NOT IN ('NO ACTION', 'RESTRICT') FROM sqlite_schema AS m, \
            pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'
            """)
        var children: [String: Set<String>] = [:]
        var updatedTables: Set<String> = []
        while try statement.step() {
            let (child, parent) = (TableNames.folded(statement.text(0)), TableNames.folded(statement.text(1)))
            children[parent, default: []].insert(child)
            if statement.int64(2) != 0 { updatedTables.insert(parent) }
        }
        for name in tables.keys {
            var reached: Set<String> = [name]
            var remaining = [name]
            while let next = remaining.popLast() {
                for child in children[next, default: []] where reached.insert(child).inserted {
                    remaining.append(child)
                }
            }
            let qualifies = reached.allSatisfy { tables[$0]?.reportsOldValues ?? (triggers[$0] == nil) }
            tables[name]?.recordsDeletes = qualifies
            tables[name]?.hasActions = reached.count > 1 || children[name]?.contains(name) == true
            // An update has foreign key actions only if a table declares ON UPDATE, which tables of entities do not.
            // The ON DELETE actions that set references to null are actions of deletes.
            tables[name]?.recordsUpdates =
                qualifies || tables[name]?.reportsOldValues == true && !updatedTables.contains(name)
        }
    }
}

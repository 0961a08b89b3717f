import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Changes the names of properties and the indexes in the file.
extension SchemaCompletion {
    /// Renames the columns and the attributes of the history, and drops the columns that are in their way.
    ///
    /// - Parameter numbers: The numbers of the renamed properties in the history; see
    ///   `EntityCatalog.renamedNumbers(_:_:)`.
    func renameProperties(_ plan: SchemaPlan, _ numbers: [String: [Rename: Int]], _ registry: EntityRegistry) throws {
        for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
            guard table.changesProperties,
                let entity = try registry.entities().first(where: { $0.name == name })
            else { continue }
            if !table.columnSteps.isEmpty || !table.droppedColumns.isEmpty {
                try dropTriggers(of: entity)
                // The names of indexes contain those of columns, so the new columns need other ones.
                for index in try ownIndexes(of: name).keys.sorted() {
                    try connection.execute("DROP INDEX \(quoted(index))")
                }
            }
            // The columns of moved relationships are dropped already.
            let present = Set(try fileColumns(of: name).map(\.name))
            for column in table.droppedColumns where present.contains(column) {
                try dropColumn(column, of: name, newName: nil)
            }
            if let key = try keyColumn(of: name),
                table.columnSteps.contains(where: { TableNames.folded($0.new) == TableNames.folded(key) })
            {
                try connection.execute(
                    "ALTER TABLE \(quoted(name)) RENAME COLUMN \(quoted(key)) TO \(quoted(RecordedTable.primaryKey))")
            }
            for step in table.columnSteps {
                try connection.execute(
                    "ALTER TABLE \(quoted(name)) RENAME COLUMN \(quoted(step.old)) TO \(quoted(step.new))")
            }
            try registry.renameAttributes(of: name, table, numbers[name] ?? [:])
        }
    }

    /// Returns the definition of the table of an entity in this file.
    func definition(of entity: Schema.Entity) throws -> TableDefinition {
        TableDefinition(entity: entity, schema: schema, presentIndexes: try connection.tablesOfIndexes())
    }

    /// Returns the SQL of the indexes of a table that belong to Chronicle, by name.
    func ownIndexes(of table: String) throws -> [String: String] {
        let statement = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND substr(name, 1, 10) = 'chronicle_'"
        )
        try statement.bind(table, at: 1)
        var indexes: [String: String] = [:]
        while try statement.step() { indexes[statement.text(0)] = statement.text(1) }
        return indexes
    }

    /// Drops the indexes of a table that no program declares any more.
    func dropUndeclaredIndexes(_ definition: TableDefinition) throws {
        let wanted = definition.indexes
        let present = try ownIndexes(of: definition.entity.name)
        for (name, sql) in present.sorted(by: { $0.key < $1.key }) where !wanted.contains(where: { $0 == (name, sql) })
        {
            // The file still describes subclasses that no program declares any more.
            if name.hasSuffix("_\(Schema.entityAttribute)") { continue }
            try connection.execute("DROP INDEX \(quoted(name))")
        }
    }

    /// Creates the missing indexes of a table, and drops those that no program declares any more.
    func makeIndexes(_ definition: TableDefinition) throws {
        try dropUndeclaredIndexes(definition)
        let present = try ownIndexes(of: definition.entity.name)
        for index in definition.indexes where present[index.name] == nil {
            do { try connection.execute(index.sql) } catch let error as SQLiteError where error.isConstraint {
                throw SwiftDataError.uniquenessViolation.with(
                    detail: "the file contains several models with the same values for a unique constraint; delete or "
                        + "change the duplicates before you add the constraint, for example in `willMigrate` of a custom stage",
                    entityName: definition.entity.name, underlying: DatabaseError(error))
            }
        }
    }

    /// Creates the triggers of the tables whose names or columns changed, so that later changes of values are recorded.
    func recreateTriggers(_ plan: SchemaPlan, _ registry: EntityRegistry) throws {
        guard try MetaTable.text(.history, connection) == "on" else { return }
        for entity in try registry.entities() where plan.tables[entity.name] != nil {
            guard try tableExists(entity.name) else { continue }
            let table = try registry.table(of: entity)
            guard try Set(triggers(of: entity.name).values) != Set(RecorderSQL.triggers(of: table)) else { continue }
            for statement in RecorderSQL.recreateTriggers(of: table) { try connection.execute(statement) }
        }
    }
}

extension Connection {
    /// Returns the tables of all indexes, by the names of the indexes as SQLite compares them.
    func tablesOfIndexes() throws -> [String: String] {
        let statement = try prepare("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
        var tables: [String: String] = [:]
        while try statement.step() { tables[TableNames.folded(statement.text(0))] = statement.text(1) }
        return tables
    }
}

extension FileColumn {
    /// The property of the column, as far as the declaration of the column shows it: `nil` if another program declared a
    /// type that does not tell the form of the values, such as BOOLEAN or DATETIME.
    var property: StoredProperty? {
        guard reference == nil else {
            return StoredProperty(name: name, place: .column, storage: nil, destination: reference?.table)
        }
        // https://www.sqlite.org/datatype3.html#determination_of_column_affinity
        let type = type.uppercased()
        let storage: Schema.Attribute.Storage
        if type.contains("INT") {
            storage = .integer
        } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
            storage = .text
        } else if type.contains("BLOB") {
            storage = .blob
        } else if type.isEmpty || ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
            // Chronicle declares no type for numbers, which SQLite would convert.
            storage = .real
        } else {
            return nil
        }
        return StoredProperty(name: name, place: .column, storage: storage, destination: nil)
    }
}

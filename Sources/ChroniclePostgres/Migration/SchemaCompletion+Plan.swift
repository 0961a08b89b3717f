#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    // Changes the names of the properties in the store.
    extension SchemaCompletion {
        /// Renames the columns and the attributes of the history, and drops the columns that are in their way.
        ///
        /// - Parameter numbers: The numbers of the renamed properties in the history; see
        ///   `EntityCatalog.renamedNumbers(_:_:)`.
        func renameProperties(_ plan: SchemaPlan, _ numbers: [String: [Rename: Int]], _ catalog: Catalog) throws {
            let connection = catalog.connection
            for (name, table) in plan.tables.sorted(by: { $0.key < $1.key }) {
                guard table.changesProperties else { continue }
                if !table.columnSteps.isEmpty {
                    let tables = try DatabaseSchema(connection)
                    // The names of indexes and constraints contain those of columns, so the new columns need other ones.
                    for key in (tables.foreignKeys[name] ?? [:]).keys.sorted() where key.hasPrefix("chronicle_") {
                        try connection.script("ALTER TABLE \(self.table(name)) DROP CONSTRAINT \(quoted(key))")
                    }
                    for index in (tables.indexes[name] ?? []).sorted() where index.hasPrefix("chronicle_") {
                        try connection.script("DROP INDEX \(self.table(index))")
                    }
                }
                // The columns of moved relationships are dropped already.
                let tables = try DatabaseTables(self, connection)
                let present = tables.definitions.columns[name] ?? [:]
                for column in table.droppedColumns where present[column] != nil {
                    try tables.dropColumn(column, of: name, newName: nil)
                }
                for step in table.columnSteps {
                    try connection.script(
                        "ALTER TABLE \(self.table(name)) RENAME COLUMN \(quoted(step.old)) TO \(quoted(step.new))")
                }
                try catalog.renameAttributes(of: name, table, numbers[name] ?? [:])
            }
        }
    }
#endif

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
                    // Their names contain those of columns, so the new columns need other ones.
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
                if !table.columnSteps.isEmpty { try renameForeignKeys(of: name, connection) }
                try catalog.renameAttributes(of: name, table, numbers[name] ?? [:])
            }
        }

        /// Gives the foreign keys of a table the names for the present names of the table and its columns. They are not dropped,
        /// because those of removed relationships and classes are not created again.
        func renameForeignKeys(of name: String, _ connection: Connection) throws {
            let keys = try DatabaseSchema(connection).foreignKeys[name] ?? [:]
            let renames = keys.filter { $0.key.hasPrefix("chronicle_") }.map { key, reference in
                Rename(key, to: TableDefinition.foreignKeyName(of: reference.column, in: name))
            }.filter { $0.old != $0.new }.sorted { $0.old < $1.old }
            for step in renames.steps(in: keys.keys, fold: { $0 }, temporaryName: { "chronicle_renamed_\($0)" }) {
                try connection.script(
                    "ALTER TABLE \(table(name)) RENAME CONSTRAINT \(quoted(step.old)) TO \(quoted(step.new))")
            }
        }
    }
#endif

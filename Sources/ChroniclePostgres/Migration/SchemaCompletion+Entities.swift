#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    // Renames entities.
    extension SchemaCompletion {
        /// Renames the entities that had another name in an earlier version of the schema.
        func renameEntities(_ plan: SchemaPlan, _ catalog: Catalog) throws {
            var linkNames: [String: String] = [:]
            for step in plan.entitySteps {
                let tables = try DatabaseSchema(catalog.connection)
                let entities = try catalog.entities()
                guard let recorded = entities.first(where: { $0.name == step.old }),
                    let root = entities.first(where: { $0.name == recorded.rootName })
                else { continue }
                if recorded.isSubentity {
                    try rename(recorded, of: root, to: step.new, catalog)
                } else if tables.hasTable(recorded.name) {
                    try rename(recorded, to: step.new, tables, catalog, &linkNames)
                }
            }
        }

        /// Renames an entity that inherits from another one: in its rows, and in the values that the history preserves.
        private func rename(
            _ entity: RecordedEntity, of root: RecordedEntity, to name: String, _ catalog: Catalog
        ) throws {
            let connection = catalog.connection
            // The models do not change, and neither does their history. The triggers are created again afterwards.
            let (table, column) = (table(root.name), quoted(Schema.entityAttribute))
            try HistoryLayout.dropUpdateTriggers(of: root.name, connection)
            try connection.run(
                "UPDATE \(table) SET \(column) = $2 WHERE \(column) = $1",
                Parameters(.text(entity.name), .text(name)), isPrepared: false)
            if let attribute = root.attributes.first(where: { $0.name == Schema.entityAttribute }) {
                let numbers = [root.number] + root.subentities.values
                let texts = ["$1", "$2"].map { PreservedText.expression($0, type: "text") }
                for values in ["old_values", "new_values"] {
                    let value = "\(values)[array_position(preserved, \(attribute.number)::smallint)]"
                    try connection.run(
                        "UPDATE \(connection.schema).chronicle_change SET \(value) = \(texts[1]) "
                            + "WHERE entity = ANY($3) AND \(value) = \(texts[0])",
                        Parameters(.text(entity.name), .text(name), .array(ParameterArray(numbers))), isPrepared: false)
                }
            }
            try catalog.rename(entity, to: name)
        }

        /// - Parameter linkNames: The whole names of the link tables that have shortened ones during the renames: that of a
        ///   temporary name and a property can be too long.
        private func rename(
            _ entity: RecordedEntity, to name: String, _ tables: DatabaseSchema, _ catalog: Catalog,
            _ linkNames: inout [String: String]
        ) throws {
            let connection = catalog.connection
            // Their names contain that of the table; they are created again with the new one.
            for index in (tables.indexes[entity.name] ?? []).sorted() where index.hasPrefix("chronicle_") {
                try connection.script("DROP INDEX \(table(index))")
            }
            try connection.script("ALTER TABLE \(table(entity.name)) RENAME TO \(quoted(name))")
            try renameForeignKeys(of: name, connection)
            try catalog.rename(entity, to: name)
            for links in tables.columns.keys.sorted() where links.hasPrefix(entity.name + ".") {
                let earlierName = linkNames[links] ?? links
                let newName = name + earlierName.dropFirst(entity.name.count)
                let newTable = TableNames.shortened(newName)
                linkNames[newTable] = newName
                try connection.script(
                    "DROP INDEX IF EXISTS \(table(TableNames.shortened("chronicle_links_\(earlierName)")))")
                for column in ["owner", "destination"] {
                    let constraint = TableNames.shortened("chronicle_links_\(earlierName)_\(column)")
                    guard tables.foreignKeys[links]?[constraint] != nil else { continue }
                    let renamed = TableNames.shortened("chronicle_links_\(newName)_\(column)")
                    try connection.script(
                        "ALTER TABLE \(table(links)) RENAME CONSTRAINT \(quoted(constraint)) TO \(quoted(renamed))")
                }
                let isMirrored = try dropMirror(of: links, connection)
                try connection.script("ALTER TABLE \(table(links)) RENAME TO \(quoted(newTable))")
                if isMirrored { try mirror(newTable, connection) }
            }
        }
    }
#endif

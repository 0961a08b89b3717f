#if Postgres
    import ChronicleCore

    // Creates and migrates link tables.
    extension SchemaCompletion {
        func completeLinks(_ connection: Connection) throws {
            let definitions = schema.links.map(LinkDefinition.init)
            // Renamed tables are moved first, because a new relationship may have the previous name of another one.
            for definition in definitions { try moveEarlierLinks(of: definition, connection) }
            for definition in definitions {
                let links = definition.links
                let tables = try DatabaseSchema(connection)
                if !tables.hasTable(links.name) { try connection.script(definition.createTable) }
                if tables.indexes[links.name]?.contains(definition.index.name) != true {
                    try connection.script(definition.index.sql)
                }
                try completeForeignKeys(
                    definition.foreignKeys, of: links.name, columns: ["owner", "destination"], connection)
                if links.isSymmetric { try mirror(links, connection) }
            }
        }

        /// Makes the table of a symmetric relationship contain both directions of each link, whichever program writes.
        private func mirror(_ links: Schema.Links, _ connection: Connection) throws {
            let table = quoted(links.name)
            let name = TableNames.shortened("\(LinkDefinition.mirror)_\(links.name)")
            let (insert, delete) = (quoted("\(name)_i"), quoted("\(name)_d"))
            // An insert of links that exist, or a delete of links that do not, fires no further trigger than one for no
            // rows, which ends the recursion.
            try connection.script(
                """
                CREATE OR REPLACE FUNCTION \(insert)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM added) THEN
                INSERT INTO \(quoted(schemaName)).\(table)(owner, destination) SELECT destination, owner FROM added
                ON CONFLICT DO NOTHING;
                END IF;
                RETURN NULL; END $$;
                CREATE OR REPLACE FUNCTION \(delete)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM removed) THEN
                DELETE FROM \(quoted(schemaName)).\(table) AS l USING removed
                WHERE l.owner = removed.destination AND l.destination = removed.owner;
                END IF;
                RETURN NULL; END $$;
                CREATE OR REPLACE TRIGGER \(LinkDefinition.mirror)_insert AFTER INSERT ON \(table)
                REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION \(insert)();
                CREATE OR REPLACE TRIGGER \(LinkDefinition.mirror)_delete AFTER DELETE ON \(table)
                REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION \(delete)();
                ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_insert;
                ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_delete;
                INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM \(table) ON CONFLICT DO NOTHING
                """)
        }

        /// Moves links from the tables of an earlier schema, if the relationship was renamed or the alphabetical order of
        /// its sides changed.
        private func moveEarlierLinks(of definition: LinkDefinition, _ connection: Connection) throws {
            let links = definition.links
            let tables = try DatabaseSchema(connection)
            func references(_ table: String, from owner: String, to destination: String) -> Bool {
                let keys = tables.foreignKeys[table] ?? [:]
                let names = ["owner", "destination"].map { TableNames.shortened("chronicle_links_\(table)_\($0)") }
                return keys[names[0]]?.destination == owner && keys[names[1]]?.destination == destination
            }
            let exists = tables.hasTable(links.name)
            if exists, !references(links.name, from: links.owner, to: links.destination) {
                let rows = try connection.run("SELECT 1 FROM \(quoted(links.name)) LIMIT 1", isPrepared: false)
                guard rows.count == 0 else {
                    throw SwiftDataError.backwardMigration.with(
                        detail: "the store has links of another relationship with this name; rename the relationship",
                        entityName: links.owner, propertyName: links.property.name)
                }
                try connection.script("DROP TABLE \(quoted(links.name))")
            }
            for (name, isReversed) in definition.earlierNames {
                // A table with the current name of the inverse dates from before the two sides became one relationship.
                guard !exists || name == links.inverse.map({ "\(links.destination).\($0.name)" }),
                    tables.hasTable(name),
                    isReversed
                        ? references(name, from: links.destination, to: links.owner)
                        : references(name, from: links.owner, to: links.destination)
                else { continue }
                if try !DatabaseSchema(connection).hasTable(links.name) {
                    try connection.script(definition.createTable)
                }
                let columns = isReversed ? "destination, owner" : "owner, destination"
                try connection.script(
                    "INSERT INTO \(quoted(links.name))(owner, destination) SELECT \(columns) FROM \(quoted(name)) "
                        + "ON CONFLICT DO NOTHING; DROP TABLE \(quoted(name))")
            }
        }
    }
#endif

#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    // Creates and migrates link tables.
    extension SchemaCompletion {
        func completeLinks(_ plan: SchemaPlan, _ connection: Connection) throws {
            let definitions = schema.links.map { LinkDefinition(links: $0, schemaName: schemaName) }
            try DatabaseTables(self, connection).moveEarlierLinks(plan)
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
            let table = table(links.name)
            let name = TableNames.shortened("\(LinkDefinition.mirror)_\(links.name)")
            let (insert, delete) = (self.table("\(name)_i"), self.table("\(name)_d"))
            // An insert of links that exist, or a delete of links that do not, fires no further trigger than one for no
            // rows, which ends the recursion.
            try connection.script(
                """
                CREATE OR REPLACE FUNCTION \(insert)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM added) THEN
                INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM added
                ON CONFLICT DO NOTHING;
                END IF;
                RETURN NULL; END $$;
                CREATE OR REPLACE FUNCTION \(delete)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM removed) THEN
                DELETE FROM \(table) AS l USING removed
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
    }
#endif

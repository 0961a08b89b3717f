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
                if links.isSymmetric {
                    try mirror(links.name, connection)
                } else {
                    try dropMirror(of: links.name, connection)
                }
            }
            let present = Set(definitions.map(\.links.name))
            let leftover = plan.leftoverLinks.subtracting(present)
            for name in leftover.sorted() { try removeDeleteRules(ofLinks: name, connection) }
            // Those of classes that this schema lacks: the functions contain the name of the schema of the database.
            for name in try mirroredTables(connection).subtracting(present.union(leftover)).sorted() {
                try mirror(name, connection)
            }
        }

        /// Removes the delete rules of a removed relationship from the table of its links, which remains.
        private func removeDeleteRules(ofLinks name: String, _ connection: Connection) throws {
            // Deletes of models write to this table.
            try dropMirror(of: name, connection)
            let keys = try DatabaseSchema(connection).foreignKeys[name] ?? [:]
            for (key, reference) in keys.sorted(by: { $0.key < $1.key })
            where key.hasPrefix("chronicle_") && reference.action != "CASCADE" {
                let cascading = TableDefinition.ForeignKey(
                    name: key, column: reference.column, destination: reference.destination, schemaName: schemaName,
                    action: "CASCADE")
                try connection.script(
                    "ALTER TABLE \(table(name)) DROP CONSTRAINT \(quoted(key)), ADD \(cascading.sql)")
            }
        }

        /// Makes the table of a symmetric relationship contain both directions of each link, whichever program writes.
        func mirror(_ links: String, _ connection: Connection) throws {
            let table = table(links)
            // The server would cut off the ends of longer names, which distinguish them.
            let names = ["i", "d"].map { TableNames.shortened("\(LinkDefinition.mirror)_\(links)_\($0)") }
            let (insert, delete) = (self.table(names[0]), self.table(names[1]))
            // An insert of links that exist, or a delete of links that do not, fires no further trigger than one for no
            // rows, which ends the recursion.
            let bodies = [
                """
                 BEGIN
                IF EXISTS (SELECT 1 FROM added) THEN
                INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM added
                ON CONFLICT DO NOTHING;
                END IF;
                RETURN NULL; END
                """,
                """
                 BEGIN
                IF EXISTS (SELECT 1 FROM removed) THEN
                DELETE FROM \(table) AS l USING removed
                WHERE l.owner = removed.destination AND l.destination = removed.owner;
                END IF;
                RETURN NULL; END
                """,
            ]
            if try !hasMirror(links, names, bodies, connection) {
                try HistoryFunction.requireTrustedOwners(connection, names)
                // CREATE OR REPLACE TRIGGER exists since PostgreSQL 14.
                try connection.script(
                    """
                    CREATE OR REPLACE FUNCTION \(insert)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) \
                    AS \(literal(bodies[0]));
                    CREATE OR REPLACE FUNCTION \(delete)() RETURNS trigger LANGUAGE plpgsql \(HistoryFunction.path) \
                    AS \(literal(bodies[1]));
                    DROP TRIGGER IF EXISTS \(LinkDefinition.mirror)_insert ON \(table);
                    DROP TRIGGER IF EXISTS \(LinkDefinition.mirror)_delete ON \(table);
                    CREATE TRIGGER \(LinkDefinition.mirror)_insert AFTER INSERT ON \(table)
                    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION \(insert)();
                    CREATE TRIGGER \(LinkDefinition.mirror)_delete AFTER DELETE ON \(table)
                    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION \(delete)();
                    ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_insert;
                    ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(LinkDefinition.mirror)_delete
                    """)
                try HistoryFunction.requireTrustedOwners(connection, names)
            }
            // An insert of no rows fires the triggers that record changes, whose functions may have the names from before a rename.
            let missing = try connection.run(
                """
                SELECT 1 FROM \(table) AS l WHERE NOT EXISTS (SELECT FROM \(table) AS r \
                WHERE r.owner = l.destination AND r.destination = l.owner) LIMIT 1
                """, isPrepared: false)
            guard missing.count > 0 else { return }
            try connection.run(
                "INSERT INTO \(table)(owner, destination) SELECT destination, owner FROM \(table) ON CONFLICT DO NOTHING",
                isPrepared: false)
        }

        /// Drops the triggers of ``mirror(_:_:)`` and their functions, whose texts contain the name of the table.
        ///
        /// - Returns: Whether the table had any of them.
        @discardableResult
        func dropMirror(of links: String, _ connection: Connection) throws -> Bool {
            let found = try connection.run(
                """
                SELECT g.tgname::text, p.proname::text FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid \
                JOIN pg_proc AS p ON p.oid = g.tgfoid AND p.pronamespace = c.relnamespace \
                WHERE c.relnamespace = \(connection.namespace) AND c.relname = $1 AND NOT g.tgisinternal \
                AND g.tgname IN ('\(LinkDefinition.mirror)_insert', '\(LinkDefinition.mirror)_delete')
                """, Parameters(.text(links)), isPrepared: false)
            for row in 0..<found.count {
                let function = found.text(row, 1)
                try connection.script("DROP TRIGGER \(quoted(found.text(row, 0))) ON \(table(links))")
                // Earlier versions of Chronicle kept the functions of tables that were renamed.
                let used = try connection.run(
                    "SELECT 1 FROM pg_trigger WHERE tgfoid = to_regproc($1) LIMIT 1",
                    Parameters(.text(table(function))), isPrepared: false)
                if used.count == 0 { try connection.script("DROP FUNCTION IF EXISTS \(table(function))()") }
            }
            return found.count > 0
        }

        /// Returns the tables with triggers of ``mirror(_:_:)``.
        private func mirroredTables(_ connection: Connection) throws -> Set<String> {
            let found = try connection.run(
                """
                SELECT c.relname::text FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid \
                WHERE c.relnamespace = \(connection.namespace) AND NOT g.tgisinternal \
                AND g.tgname IN ('\(LinkDefinition.mirror)_insert', '\(LinkDefinition.mirror)_delete')
                """, isPrepared: false)
            return Set((0..<found.count).map { found.text($0, 0) })
        }

        /// Returns whether the table of a symmetric relationship has the triggers of ``mirror(_:_:)``.
        private func hasMirror(
            _ links: String, _ names: [String], _ bodies: [String], _ connection: Connection
        ) throws -> Bool {
            let found = try connection.run(
                """
                SELECT count(*) FROM (VALUES ('insert', $1, $2), ('delete', $3, $4)) AS v(event, name, body) \
                JOIN pg_trigger AS g ON g.tgname = '\(LinkDefinition.mirror)_' || v.event AND g.tgenabled = 'A' \
                JOIN pg_class AS c ON c.oid = g.tgrelid AND c.relname = $5 JOIN pg_proc AS p ON p.oid = g.tgfoid \
                AND p.proname = v.name AND p.prosrc = v.body AND p.pronamespace = c.relnamespace \
                WHERE c.relnamespace = \(connection.namespace)
                """,
                Parameters(
                    .text(names[0]), .text(bodies[0]), .text(names[1]), .text(bodies[1]), .text(links)),
                isPrepared: false)
            return found.int64(0, 0) == 2
        }
    }
#endif

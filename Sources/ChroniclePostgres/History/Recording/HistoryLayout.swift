#if Postgres
    import ChronicleCore

    /// The tables, functions and triggers of the history.
    enum HistoryLayout {
        /// Creates what is missing, and replaces the triggers of tables whose columns changed.
        ///
        /// Called in the transaction that opens a store, under its lock, when the tables of the models and the catalog
        /// are complete. It may be called again at any time: what is complete stays as it is. With `recordsHistory`
        /// `false`, it removes the triggers, and records a gap when they are created again.
        ///
        /// - Parameters:
        ///   - connection: A connection with an open transaction, whose search path begins with the schema.
        ///   - schemaName: The schema of the tables.
        ///   - entities: The catalog: entities with their columns, in the order of their numbers.
        ///   - links: The link tables, which have the columns `owner` and `destination`.
        ///   - recordsHistory: Whether the history is recorded.
        static func install(
            _ connection: Connection, schemaName: String, entities: [RecordedEntity], links: [Schema.Links],
            recordsHistory: Bool
        ) throws {
            for statement in HistoryTables.createTables { try connection.script(statement) }
            // Temporary tables, which any role can create, come last.
            let path = "\(quoted(schemaName)), pg_temp"
            let functions = HistoryTables.functions(path: path)
            let triggers =
                recordsHistory ? try self.triggers(connection, entities: entities, links: links, path: path) : []
            let statements = functions.flatMap(\.statements) + triggers.flatMap(\.statements)
            let expected = statements.joined(separator: "\n")
            let state = try connection.run(
                """
                SELECT is_recording, definitions = '', definitions = '\(changedMark)', \
                definitions = md5($1) || ' ' || (\(digest)) FROM chronicle_history
                """, Parameters(.text(expected)))
            let (wasRecording, isNew) = (state.bool(0, 0), state.bool(0, 1))
            let (isChanged, isComplete) = (state.bool(0, 2), state.bool(0, 3))
            if isComplete, wasRecording == recordsHistory { return }
            try removeTriggers(connection, except: triggers)
            for statement in statements { try connection.script(statement) }
            // Nothing can write to the tables until this transaction ends, so nothing after it is missing.
            if recordsHistory, !isNew, isChanged || !wasRecording { try addGap(connection) }
            try connection.run(
                "UPDATE chronicle_history SET is_recording = $1 <> 0, definitions = md5($2) || ' ' || (\(digest))",
                Parameters(.int64(recordsHistory ? 1 : 0), .text(expected)))
        }

        /// Remembers whether another program changed or disabled the triggers. Called before an opening changes tables.
        static func noteChanges(_ connection: Connection) throws {
            let exists = try connection.run("SELECT to_regclass('chronicle_history') IS NOT NULL", isPrepared: false)
            guard exists.bool(0, 0) else { return }
            try connection.run(
                """
                UPDATE chronicle_history SET definitions = '\(changedMark)' \
                WHERE is_recording AND split_part(definitions, ' ', 2) <> (\(digest))
                """)
        }

        private static let changedMark = "changed"

        private static func triggers(
            _ connection: Connection, entities: [RecordedEntity], links: [Schema.Links], path: String
        ) throws -> [RecorderSQL.Trigger] {
            let tables = try DatabaseSchema(connection)
            let recorded = entities.filter { !$0.isSubentity }.flatMap { entity -> [RecorderSQL.Trigger] in
                guard let columns = tables.columns[entity.name] else { return [] }
                return RecorderSQL.triggers(of: entity, types: columns.mapValues(\.type), path: path)
            }
            return recorded
                + links.filter { tables.hasTable($0.name) }
                .flatMap { RecorderSQL.triggers(of: $0, entities, path: path) }
        }

        /// Removes the triggers of tables that are not recorded, and functions that no trigger uses any more.
        private static func removeTriggers(_ connection: Connection, except triggers: [RecorderSQL.Trigger]) throws {
            let tables = Set(triggers.map(\.table))
            let functions = Set(triggers.map(\.function.name))
            let found = try connection.run(
                """
                SELECT c.relname::text, t.tgname::text, p.proname::text FROM pg_trigger AS t \
                JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid \
                WHERE NOT t.tgisinternal AND p.pronamespace = quote_ident(current_schema())::regnamespace \
                AND c.relnamespace = p.pronamespace AND t.tgname ~ '^chronicle_(insert|update|delete|truncate)$'
                """)
            for row in 0..<found.count where !tables.contains(found.text(row, 0)) {
                try connection.script("DROP TRIGGER \(quoted(found.text(row, 1))) ON \(quoted(found.text(row, 0)))")
            }
            for row in 0..<found.count {
                let name = found.text(row, 2)
                // A renamed link table keeps its trigger until it gets the new one.
                guard !functions.contains(name) else { continue }
                try connection.script("DROP FUNCTION IF EXISTS \(quoted(name))() CASCADE")
            }
        }

        /// Deletes all transactions, so that earlier tokens expire, in the transaction that deletes all models.
        ///
        /// - Parameter connection: A connection with an open transaction, after the rows of the models were deleted.
        static func erase(_ connection: Connection) throws {
            let exists = try connection.run("SELECT to_regclass('chronicle_history') IS NOT NULL", isPrepared: false)
            guard exists.bool(0, 0) else { return }
            try connection.run("SELECT FROM chronicle_history FOR UPDATE")
            // Not TRUNCATE, whose effect is visible to transactions with an earlier snapshot.
            for table in ["chronicle_pending", "chronicle_transaction", "chronicle_change"] {
                try connection.run("DELETE FROM \(table)")
            }
            try connection.run(
                """
                UPDATE chronicle_history SET position = position + 1, floor = position + 1, check_value = r.value, \
                floor_check = r.value FROM (SELECT \(HistoryTables.randomCheckValue) AS value) AS r
                """)
        }

        /// Adds a position without a transaction, which tokens before it do not reach.
        private static func addGap(_ connection: Connection) throws {
            try connection.run("SELECT chronicle_number()")
            try connection.run(
                """
                UPDATE chronicle_history SET position = position + 1, gap = position + 1, check_value = r.value, \
                gap_check = r.value FROM (SELECT \(HistoryTables.randomCheckValue) AS value) AS r
                """)
        }

        /// The digest of the triggers and functions as they are.
        private static let digest = """
            SELECT md5(coalesce(string_agg(part, E'\\n' ORDER BY part COLLATE "C"), '')) FROM (
            SELECT concat_ws(' ', c.relname, t.tgname, t.tgenabled, t.tgtype, t.tgattr, t.tgqual, p.proname) AS part \
            FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid \
            WHERE NOT t.tgisinternal AND c.relnamespace = quote_ident(current_schema())::regnamespace \
            AND t.tgname ~ '^chronicle_(insert|update|delete|truncate)$'
            UNION ALL SELECT concat_ws(' ', proname, prosecdef, proconfig::text, md5(prosrc)) FROM pg_proc \
            WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname ~ '^chronicle_') AS definitions
            """
    }
#endif

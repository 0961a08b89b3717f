#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    enum HistoryLayout {
        /// Creates what is missing, and replaces the triggers of tables whose columns changed. Without `recordsHistory`,
        /// removes the triggers, and records a gap when they are created again. Called in the transaction that opens a
        /// store, under its lock, when the tables of the models and the catalog are complete, and possibly again at any
        /// time.
        static func install(
            _ connection: Connection, entities: [RecordedEntity], links: [Schema.Links], recordsHistory: Bool
        ) throws {
            let schema = connection.schema
            if try MetaTable.format(connection) == 1 {
                for statement in HistoryTables.upgradeTables(schema) { try connection.script(statement) }
            }
            let present = try StoreRelations(connection).names
            for statement in HistoryTables.createTables(schema, except: present) { try connection.script(statement) }
            let tables = recordsHistory ? try self.tables(connection, entities: entities, links: links) : []
            let functions = HistoryTables.functions(schema) + tables.flatMap { $0.triggers.map(\.function) }
            let statements =
                functions.flatMap(\.statements) + HistoryTables.orderTrigger(schema)
                + tables.flatMap { table in
                    table.relations.flatMap { relation in
                        table.triggers.filter { !relation.isPartition || !$0.isOfRows }
                            .flatMap { $0.statements(on: relation.qualifiedName) }
                    }
                }
            let expected = statements.joined(separator: "\n")
            let digest = digest(connection)
            let state = try connection.run(
                """
                SELECT is_recording, definitions = '', definitions = '\(changedMark)', \
                definitions = md5($1) || ' ' || (\(digest)) AND NOT EXISTS (\(linksTriggers(connection))) \
                FROM \(schema).chronicle_history
                """, Parameters(.text(expected)))
            let (wasRecording, isNew) = (state.bool(0, 0), state.bool(0, 1))
            let (isChanged, isComplete) = (state.bool(0, 2), state.bool(0, 3))
            if isComplete, wasRecording == recordsHistory { return }
            try removeTriggers(connection, except: tables)
            // Before, for a role that cannot replace them, and afterwards, because others can create them meanwhile.
            try HistoryFunction.requireTrustedOwners(connection, functions.map(\.name))
            for statement in statements { try connection.script(statement) }
            try HistoryFunction.requireTrustedOwners(connection, functions.map(\.name))
            // Nothing can write to the tables until this transaction ends, so nothing after it is missing.
            if recordsHistory, !isNew, isChanged || !wasRecording { try addGap(connection) }
            try connection.run(
                """
                UPDATE \(schema).chronicle_history \
                SET is_recording = $1 <> 0, definitions = md5($2) || ' ' || (\(digest))
                """, Parameters(.int64(recordsHistory ? 1 : 0), .text(expected)))
        }

        /// Since the latest opening by the owner of the tables, another program changed or disabled the triggers, or
        /// replaced rows without firing them.
        static func isChanged(_ connection: Connection) throws -> Bool {
            let earlier = try MetaTable.text(.files, connection).flatMap { TableFiles($0) }
            if try earlier.map({ try TableFiles(connection).isChanged(since: $0) }) ?? false { return true }
            return try connection.run(
                """
                SELECT split_part(definitions, ' ', 2) <> (\(digest(connection))) \
                OR EXISTS (\(linksTriggers(connection))) FROM \(connection.schema).chronicle_history
                """, isPrepared: false
            ).bool(0, 0)
        }

        /// Remembers the result of ``isChanged(_:)`` before an opening changes tables.
        static func noteChanges(_ connection: Connection) throws {
            guard try exists(connection) else { return }
            let format = try MetaTable.format(connection) ?? MetaTable.currentFormat
            let digest = format < 2 ? earlierDigest(connection) : digest(connection)
            let earlier = try MetaTable.text(.files, connection).flatMap { TableFiles($0) }
            let isReplaced = try earlier.map { try TableFiles(connection).isChanged(since: $0) } ?? false
            let state = try connection.run(
                """
                SELECT is_recording AND (split_part(definitions, ' ', 2) <> (\(digest)) OR \(isReplaced) \
                OR EXISTS (\(linksTriggers(connection)))) FROM \(connection.schema).chronicle_history
                """, isPrepared: false)
            if state.bool(0, 0) { try connection.prepareForDefinitions() }
            // Also without an effect: a role that must not change the history does not complete the tables.
            try connection.run(
                "UPDATE \(connection.schema).chronicle_history SET definitions = '\(changedMark)' WHERE \(state.bool(0, 0))",
                isPrepared: false)
        }

        private static let changedMark = "changed"

        private static func exists(_ connection: Connection) throws -> Bool {
            try connection.run(
                "SELECT to_regclass(\(literal(connection.schema + ".chronicle_history"))) IS NOT NULL",
                isPrepared: false
            ).bool(0, 0)
        }

        private struct Table {
            let name: String
            let relations: [RecordedTable.Relation]
            let triggers: [RecorderSQL.Trigger]
        }

        private static func tables(
            _ connection: Connection, entities: [RecordedEntity], links: [Schema.Links]
        ) throws -> [Table] {
            let columns = try DatabaseSchema(connection).columns
            let tables = try RecordedTable.all(connection)
            let recorded = entities.filter { !$0.isSubentity }.compactMap { entity -> Table? in
                guard let types = columns[entity.name], let table = tables[entity.name] else { return nil }
                return Table(
                    name: entity.name, relations: table.relations,
                    triggers: RecorderSQL.triggers(of: entity, types: types.mapValues(\.type), links, table))
            }
            return recorded
                + links.compactMap { links in
                    tables[links.name].map {
                        Table(
                            name: links.name, relations: $0.relations,
                            triggers: RecorderSQL.triggers(of: links, entities, $0))
                    }
                }
        }

        /// The names of the triggers that record the changes of tables, in ``digest(_:)``.
        private static let recorderNames = "^chronicle_(insert|update|delete|truncate|row)$"
        private static let triggerNames = "^chronicle_(insert|update|delete|truncate|row|links)$"

        /// Removes the triggers of tables that are not recorded, or not in this way, and functions that no trigger uses any
        /// more.
        private static func removeTriggers(_ connection: Connection, except tables: [Table]) throws {
            var names: [String: Set<String>] = [:]
            for table in tables {
                for relation in table.relations {
                    names[relation.qualifiedName, default: []].formUnion(table.triggers.map(\.name))
                }
            }
            let functions = Set(tables.flatMap { $0.triggers.map(\.function.name) })
            // A partition has the triggers of rows of its parent.
            let found = try connection.run(
                """
                SELECT n.nspname::text, c.relname::text, t.tgname::text, p.proname::text FROM pg_trigger AS t \
                JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace \
                JOIN pg_proc AS p ON p.oid = t.tgfoid \
                WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND p.pronamespace = \(connection.namespace) \
                AND t.tgname ~ '\(triggerNames)'
                """)
            for row in 0..<found.count {
                let (table, trigger) = (qualified(found.text(row, 1), in: found.text(row, 0)), found.text(row, 2))
                guard names[table]?.contains(trigger) != true else { continue }
                try connection.script("DROP TRIGGER \(quoted(trigger)) ON \(table)")
            }
            let notes = try connection.run(
                """
                SELECT proname::text FROM pg_proc WHERE pronamespace = \(connection.namespace) \
                AND proname ~ '^\(RecorderSQL.linksFunction)[0-9]+$'
                """)
            for name in (0..<found.count).map({ found.text($0, 3) }) + (0..<notes.count).map({ notes.text($0, 0) }) {
                // A renamed link table keeps its trigger until it gets the new one.
                guard !functions.contains(name) else { continue }
                try connection.script("DROP FUNCTION IF EXISTS \(connection.table(name))() CASCADE")
            }
        }

        /// Includes partitions and the tables that inherit from the table.
        static func dropUpdateTriggers(of table: String, _ connection: Connection) throws {
            for relation in try RecordedTable.all(connection)[table]?.relations ?? [] {
                // A partition loses the trigger of rows with its parent.
                for name in ["chronicle_update"] + (relation.isPartition ? [] : [RecorderSQL.rowTrigger]) {
                    try connection.script("DROP TRIGGER IF EXISTS \(name) ON \(relation.qualifiedName)")
                }
            }
        }

        /// Earlier tokens expire. Called in a transaction after the rows of the models were deleted.
        static func erase(_ connection: Connection) throws {
            guard try exists(connection) else { return }
            let schema = connection.schema
            try connection.run("SELECT FROM \(schema).chronicle_history FOR UPDATE")
            if let seals = try SealedHistory(connection) {
                // Pending transactions are a part of what is not proven.
                let newest = try connection.run("SELECT \(schema).chronicle_number()").int64(0, 0)
                try seals.recordDeletionOfAll(through: newest &+ 1)
            }
            // Not TRUNCATE, whose effect is visible to transactions with an earlier snapshot.
            for table in ["chronicle_pending", "chronicle_transaction", "chronicle_change", "chronicle_removed"] {
                try connection.run("DELETE FROM \(schema).\(table)")
            }
            let floor = try connection.run(
                """
                UPDATE \(schema).chronicle_history SET position = position + 1, floor = position + 1, \
                check_value = r.value, floor_check = r.value FROM (SELECT \(HistoryTables.randomCheckValue) AS value) AS r \
                RETURNING floor
                """)
            guard floor.count == 1 else { return }
            try MetaTable(connection).setLastDeletion(floor: 0, newest: floor.int64(0, 0), timestamp: Date())
        }

        /// Tokens before this position do not reach it.
        static func addGap(_ connection: Connection) throws {
            let schema = connection.schema
            try connection.run("SELECT \(schema).chronicle_number()")
            let gap = try connection.run(
                """
                UPDATE \(schema).chronicle_history SET position = position + 1, gap = position + 1, \
                check_value = r.value, gap_check = r.value FROM (SELECT \(HistoryTables.randomCheckValue) AS value) AS r \
                RETURNING gap
                """)
            // Without the row of the table, opening the store reports the damage.
            guard gap.count == 1 else { return }
            try MetaTable(connection).setRecordedSince(gap: gap.int64(0, 0))
            try SealedHistory(connection)?.recordGap(gap.int64(0, 0))
        }

        /// Does not depend on the name of the schema. The triggers that a partition has of its parent are part of it only
        /// if they are enabled in another way, for example not at all, because partitions can be added at any time.
        private static func digest(_ connection: Connection) -> String {
            """
            SELECT md5(coalesce(string_agg(part, E'\\n' ORDER BY part COLLATE "C"), '')) FROM (
            SELECT concat_ws(' ', CASE WHEN c.relnamespace <> p.pronamespace THEN n.nspname END, c.relname, t.tgname, \
            t.tgenabled, t.tgtype, t.tgattr, t.tgqual IS NULL, p.proname) AS part \
            FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace \
            JOIN pg_proc AS p ON p.oid = t.tgfoid \
            WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND p.pronamespace = \(connection.namespace) \
            AND (t.tgname ~ '\(recorderNames)' OR t.tgname = 'chronicle_order')
            UNION ALL SELECT concat_ws(' ', n.nspname, c.relname, t.tgname, t.tgenabled) \
            FROM pg_trigger AS t JOIN pg_trigger AS g ON g.oid = t.tgparentid JOIN pg_class AS c ON c.oid = t.tgrelid \
            JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_proc AS p ON p.oid = t.tgfoid \
            WHERE t.tgenabled <> g.tgenabled AND p.pronamespace = \(connection.namespace) \
            AND t.tgname = '\(RecorderSQL.rowTrigger)'
            UNION ALL SELECT concat_ws(' ', proname, prosecdef, proconfig::text, md5(prosrc)) FROM pg_proc \
            WHERE pronamespace = \(connection.namespace) AND proname ~ '^chronicle_') AS definitions
            """
        }

        /// Returns a query for the names of the tables whose trigger that notes links is missing, or not enabled, for the table
        /// or one of its partitions. The function of a trigger that another program removed remains.
        static func linksTriggers(_ connection: Connection) -> String {
            """
            SELECT e.name FROM pg_proc AS p \
            JOIN \(connection.schema).chronicle_entity AS e ON p.proname = '\(RecorderSQL.linksFunction)' || e.id \
            JOIN pg_class AS c ON c.relname = e.name AND c.relnamespace = p.pronamespace AND c.relkind IN ('r', 'p') \
            WHERE p.pronamespace = \(connection.namespace) AND NOT coalesce((SELECT bool_and(t.tgenabled = 'A') FROM pg_trigger AS t \
            WHERE t.tgfoid = p.oid AND t.tgname = '\(RecorderSQL.linksTrigger)'), FALSE)
            """
        }

        private static func earlierDigest(_ connection: Connection) -> String {
            """
            SELECT md5(coalesce(string_agg(part, E'\\n' ORDER BY part COLLATE "C"), '')) FROM (
            SELECT concat_ws(' ', c.relname, t.tgname, t.tgenabled, t.tgtype, t.tgattr, t.tgqual, p.proname) AS part \
            FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid \
            WHERE NOT t.tgisinternal AND c.relnamespace = \(connection.namespace) \
            AND t.tgname ~ '^chronicle_(insert|update|delete|truncate)$'
            UNION ALL SELECT concat_ws(' ', proname, prosecdef, proconfig::text, md5(prosrc)) FROM pg_proc \
            WHERE pronamespace = \(connection.namespace) AND proname ~ '^chronicle_') AS definitions
            """
        }
    }
#endif

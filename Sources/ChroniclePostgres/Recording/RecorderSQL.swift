#if Postgres
    import ChronicleCore
    import Foundation

    /// The triggers that record the changes of the models' tables, for every program. A trigger runs once for a statement,
    /// in its transaction, with the rows before and after it, so that many rows cost one more statement.
    /// <https://www.postgresql.org/docs/current/plpgsql-trigger.html>
    ///
    /// A session that replicates changes (`session_replication_role`), such as that of a logical subscription, fires no
    /// triggers of statements; a trigger of rows records its changes. Exactly one of the two is active in a session.
    ///
    /// A statement fires the triggers of the table that it names, but can change the rows of its partitions and of tables
    /// that inherit from it. If a table has any, or is one, the trigger of rows is the only one.
    enum RecorderSQL {
        struct Trigger {
            let name: String
            /// The event with the rows before and after it.
            let event: String
            /// The trigger is active always, or only in sessions that replicate changes or only in others.
            let activation: String
            let function: HistoryFunction

            /// Whether it runs for each row, so that partitions have it of their parent.
            var isOfRows: Bool { event.hasSuffix("FOR EACH ROW") }

            /// Returns the statements that create the trigger for a table.
            ///
            /// - Parameter table: The qualified and quoted name of the table.
            func statements(on table: String) -> [String] {
                [
                    "DROP TRIGGER IF EXISTS \(name) ON \(table)",
                    "CREATE TRIGGER \(name) \(event.replacingOccurrences(of: "§", with: table)) "
                        + "EXECUTE FUNCTION \(function.qualifiedName)()",
                    "ALTER TABLE \(table) \(activation) TRIGGER \(name)",
                ]
            }
        }

        struct Rows: Equatable {
            let old: String
            let new: String

            static let ofStatement = Rows(old: "chronicle_old", new: "chronicle_new")
            /// The row of a trigger that runs for each.
            static let single = Rows(old: "(SELECT OLD.*)", new: "(SELECT NEW.*)")
            static let ofTable = Rows(old: table, new: table)
            /// The name of the table in a statement that ``Event/truncate`` completes.
            static let table = "chronicle_emptied"
        }

        enum Event: String, CaseIterable {
            case insert, update, delete, truncate

            var clause: String {
                let rows = Rows.ofStatement
                return switch self {
                case .insert: "AFTER INSERT ON § REFERENCING NEW TABLE AS \(rows.new) FOR EACH STATEMENT"
                case .update:
                    "AFTER UPDATE ON § REFERENCING OLD TABLE AS \(rows.old) NEW TABLE AS \(rows.new) "
                        + "FOR EACH STATEMENT"
                case .delete: "AFTER DELETE ON § REFERENCING OLD TABLE AS \(rows.old) FOR EACH STATEMENT"
                // The rows still exist.
                case .truncate: "BEFORE TRUNCATE ON § FOR EACH STATEMENT"
                }
            }
        }

        /// The trigger for rows that a session replicates.
        static let rowTrigger = "chronicle_row"
        /// The name of the trigger that notes the links of a row before its delete.
        static let linksTrigger = "chronicle_links"
        /// The beginning of the names of its functions, which end with the number of the entity.
        static let linksFunction = "chronicle_links_"

        /// - Parameter suffix: The end of the functions' names.
        /// - Parameter statements: Returns the statements that insert the changes of an event.
        static func triggers(
            of table: RecordedTable, suffix: String, _ statements: (Event, Rows) -> [String]
        ) -> [Trigger] {
            func function(_ prefix: String, _ recording: String, isDeferred: Bool) -> HistoryFunction {
                let body = body(recording, table, isDeferred: isDeferred)
                return HistoryFunction(
                    schema: table.schema, name: TableNames.shortened("chronicle_\(prefix)_\(suffix)"),
                    settings: table.tracking?.settings ?? PreservedText.settings(for: body), body: body)
            }
            func run(_ event: Event, _ rows: Rows) -> String {
                statements(event, rows).map { "    \($0);\n    isChanged := isChanged OR FOUND;\n" }.joined()
            }
            // A statement fires the triggers of the table that it names, also if the rows belong to another one.
            let isStatement = !table.isInherited
            let events = isStatement ? Event.allCases : [.truncate]
            var triggers = events.map { event in
                let recording =
                    event == .truncate
                    ? statements(event, .ofTable).map { truncating($0, table) }.joined() : run(event, .ofStatement)
                return Trigger(
                    name: "chronicle_\(event.rawValue)", event: event.clause,
                    activation: event == .truncate ? "ENABLE ALWAYS" : "ENABLE",
                    function: function(
                        event.rawValue, recording,
                        isDeferred: event == .insert ? table.isInsertDeferred : table.isDeferred))
            }
            triggers.append(
                Trigger(
                    name: rowTrigger, event: "AFTER INSERT OR UPDATE OR DELETE ON § FOR EACH ROW",
                    activation: isStatement ? "ENABLE REPLICA" : "ENABLE ALWAYS",
                    function: function(
                        "row",
                        """
                            IF TG_OP = 'INSERT' THEN
                        \(run(.insert, .single))    ELSIF TG_OP = 'UPDATE' THEN
                        \(run(.update, .single))    ELSE
                        \(run(.delete, .single))    END IF;

                        """, isDeferred: table.isDeferred)))
            return triggers
        }

        /// TRUNCATE fires the triggers of each table that it empties, so a trigger ignores the rows of tables that inherit,
        /// unless they were added since the triggers were created.
        private static func truncating(_ statement: String, _ table: RecordedTable) -> String {
            let rows = """
                (SELECT * FROM \(table.tracking?.readsOnly == true ? "ONLY " : "")%I.%I AS t WHERE t.tableoid = %s OR NOT EXISTS (SELECT FROM pg_trigger AS g \
                WHERE g.tgrelid = t.tableoid AND g.tgname = ''chronicle_truncate''))
                """
            return """
                    EXECUTE replace(\(literal(statement)), '\(Rows.table)',
                        format('\(rows)', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_RELID));
                    GET DIAGNOSTICS changed = ROW_COUNT;
                    isChanged := isChanged OR changed > 0;

                """
        }

        private static func body(_ recording: String, _ table: RecordedTable, isDeferred: Bool) -> String {
            // A statement that changes nothing leaves no pending row, and of several statements only the first one does.
            // A simple expression reads the sequence; a query would cost as much as the insert.
            let newest = "pg_sequence_last_value(\(literal(table.schema + ".chronicle_change_id")))"
            // An error in a declaration cannot be handled.
            let isHandled = table.tracking != nil
            return """

                DECLARE
                    after bigint\(isHandled ? "" : " := \(newest)");
                    isChanged boolean := FALSE;
                    changed bigint;
                BEGIN
                    \(isHandled ? "after := \(newest);" : table.requireSchemaName)
                \(recording)\
                    IF isChanged THEN
                        \(HistoryTables.insertPending(table.schema, isDeferred: isDeferred));
                    END IF;
                    RETURN NULL;
                \(table.tracking.map(noteFailure) ?? "")END

                """
        }

        /// A statement of another program never fails because its changes cannot be recorded, for example after a column was
        /// dropped. A table of the history notes the reason once.
        private static func noteFailure(_ table: RecordedTable.Tracking) -> String {
            """
            EXCEPTION WHEN OTHERS THEN
                BEGIN
                    INSERT INTO \(table.schema).chronicle_interruption(entity, occurred, reason)
                        SELECT \(table.entity), clock_timestamp(), SQLERRM WHERE NOT EXISTS (
                            SELECT FROM \(table.schema).chronicle_interruption AS i WHERE i.entity = \(table.entity));
                EXCEPTION WHEN OTHERS THEN
                    RETURN NULL;
                END;
                RETURN NULL;

            """
        }

        /// The default of the column numbers the changes: a volatile function in the query would make it a subquery.
        static func insertChanges(_ schema: String) -> String {
            """
            INSERT INTO \(schema).chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, \
            old_values, new_values) SELECT pg_current_xact_id(),
            """
        }

        /// Returns the triggers of an entity's table.
        ///
        /// - Parameters:
        ///   - entity: The entity, which inherits from no other one.
        ///   - types: The types of the table's columns, as the server names them.
        ///   - links: The links of the schema.
        ///   - table: The table.
        static func triggers(
            of entity: RecordedEntity, types: [String: String], _ links: [Schema.Links], _ table: RecordedTable
        ) -> [Trigger] {
            let sql = EntityRecorder(
                entity, types: types, lists: recordedLists(of: entity, links), schema: table.schema)
            let recording = triggers(of: table, suffix: "\(entity.number)") { event, rows in
                switch event {
                case .insert: [sql.inserts(rows)]
                case .update: [sql.updates(rows, areRepeated: table.repeatsUpdates && rows == .ofStatement)]
                case .delete: [sql.deletes(from: rows.old, links: .noted)]
                // Their own table records them, too.
                case .truncate: [sql.deletes(from: rows.old, links: .stored)]
                }
            }
            return recording + [linksTrigger(of: entity, links, table)].compactMap { $0 }
        }
    }
#endif

#if Postgres
    import ChronicleCore
    import Foundation

    /// The triggers that record the changes of the models' tables, for every program that writes to them.
    ///
    /// A trigger runs once for a statement, with the rows before and after it, so that recording a change of many rows
    /// costs one more statement. It runs in the transaction of the statement.
    /// <https://www.postgresql.org/docs/current/plpgsql-trigger.html>
    ///
    /// A session that replicates changes (`session_replication_role`), such as that of a logical subscription, applies them
    /// without firing triggers of statements. Another trigger, of rows, records them. Exactly one of the two is active in a
    /// session, so that each change is recorded once.
    ///
    /// A statement fires the triggers of the table that it names, but can change the rows of its partitions and of tables
    /// that inherit from it. If a table has any, or is one, the trigger of rows is the only one.
    enum RecorderSQL {
        /// A trigger of a table.
        struct Trigger {
            let name: String
            /// The event, and the rows before and after it.
            let event: String
            /// When the trigger is active: always, or only in sessions that replicate changes or only in others.
            let activation: String
            let function: HistoryFunction

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

        /// The rows before and after a change in a trigger.
        struct Rows: Equatable {
            let old: String
            let new: String

            /// All rows of a statement.
            static let ofStatement = Rows(old: "chronicle_old", new: "chronicle_new")
            /// The row of a trigger that runs for each.
            static let single = Rows(old: "(SELECT OLD.*)", new: "(SELECT NEW.*)")
            /// The rows that TRUNCATE is going to delete.
            static let ofTable = Rows(old: table, new: table)
            /// The name of the table that TRUNCATE is going to empty, in a statement that ``Event/truncate`` completes.
            static let table = "chronicle_emptied"
        }

        /// The events that a table records.
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

        /// The name of the trigger for rows that a session replicates.
        static let rowTrigger = "chronicle_row"

        /// Returns the triggers of a table.
        ///
        /// - Parameters:
        ///   - table: The table.
        ///   - suffix: The end of the functions' names.
        ///   - statements: A closure that returns the statements that insert the changes of an event.
        static func triggers(
            of table: RecordedTable, suffix: String, _ statements: (Event, Rows) -> [String]
        ) -> [Trigger] {
            func function(_ prefix: String, _ recording: String, isDeferred: Bool) -> HistoryFunction {
                let body = body(recording, table, isDeferred: isDeferred)
                return HistoryFunction(
                    schema: table.schema, name: TableNames.shortened("chronicle_\(prefix)_\(suffix)"),
                    settings: PreservedText.settings(for: body), body: body)
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
                    ? statements(event, .ofTable).map(truncating).joined() : run(event, .ofStatement)
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

        /// Returns the statements that record the rows of the table that TRUNCATE is going to empty.
        ///
        /// TRUNCATE fires the triggers of each table that it empties, so a trigger ignores the rows of tables that inherit
        /// from its own one, unless they were added since the triggers were created.
        private static func truncating(_ statement: String) -> String {
            let rows = """
                (SELECT * FROM %I.%I AS t WHERE t.tableoid = %s OR NOT EXISTS (SELECT FROM pg_trigger AS g \
                WHERE g.tgrelid = t.tableoid AND g.tgname = ''chronicle_truncate''))
                """
            return """
                    EXECUTE replace(\(literal(statement)), '\(Rows.table)',
                        format('\(rows)', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_RELID));
                    GET DIAGNOSTICS changed = ROW_COUNT;
                    isChanged := isChanged OR changed > 0;

                """
        }

        /// Returns the body of a function that runs statements, which insert changes.
        private static func body(_ recording: String, _ table: RecordedTable, isDeferred: Bool) -> String {
            // A statement that changes nothing leaves no pending row, and of several statements only the first one does.
            // A simple expression reads the sequence; a query would cost as much as the insert.
            """

            DECLARE
                after bigint := pg_sequence_last_value(\(literal(table.schema + ".chronicle_change_id")));
                isChanged boolean := FALSE;
                changed bigint;
            BEGIN
                \(table.requireSchemaName)
            \(recording)\
                IF isChanged THEN
                    \(HistoryTables.insertPending(table.schema, isDeferred: isDeferred));
                END IF;
                RETURN NULL;
            END

            """
        }

        /// Returns the beginning of a statement that records changes. Their numbers are the default of the column: a
        /// volatile function in the query would make it a subquery.
        ///
        /// - Parameter schema: The quoted name of the schema.
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
        ///   - table: The table.
        static func triggers(
            of entity: RecordedEntity, types: [String: String], _ table: RecordedTable
        ) -> [Trigger] {
            let sql = EntityRecorder(entity, types: types, schema: table.schema)
            return triggers(of: table, suffix: "\(entity.number)") { event, rows in
                switch event {
                case .insert: [sql.inserts(rows)]
                case .update: [sql.updates(rows, areRepeated: table.repeatsUpdates && rows == .ofStatement)]
                case .delete, .truncate: [sql.deletes(from: rows.old)]
                }
            }
        }
    }
#endif

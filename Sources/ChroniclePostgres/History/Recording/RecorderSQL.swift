#if Postgres
    import ChronicleCore

    /// The triggers that record the changes of the models' tables, for every program that writes to them.
    ///
    /// A trigger runs once for a statement, with the rows before and after it, so that recording a change of many rows
    /// costs one more statement. It runs in the transaction of the statement, and also if the session replicates changes.
    /// <https://www.postgresql.org/docs/current/plpgsql-trigger.html>
    enum RecorderSQL {
        /// A trigger of a table.
        struct Trigger {
            let table: String
            let name: String
            /// The event, and the rows before and after it.
            let event: String
            let function: HistoryFunction

            var statements: [String] {
                let (trigger, table) = (quoted(name), quoted(table))
                return function.statements + [
                    "DROP TRIGGER IF EXISTS \(trigger) ON \(table)",
                    "CREATE TRIGGER \(trigger) \(event) FOR EACH STATEMENT EXECUTE FUNCTION \(quoted(function.name))()",
                    "ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(trigger)",
                ]
            }
        }

        /// The rows before and after a statement in its triggers.
        enum Rows {
            static let old = "chronicle_old"
            static let new = "chronicle_new"
        }

        /// The events that a table records.
        enum Event: String, CaseIterable {
            case insert, update, delete, truncate

            func clause(_ table: String) -> String {
                let table = quoted(table)
                return switch self {
                case .insert: "AFTER INSERT ON \(table) REFERENCING NEW TABLE AS \(Rows.new)"
                case .update: "AFTER UPDATE ON \(table) REFERENCING OLD TABLE AS \(Rows.old) NEW TABLE AS \(Rows.new)"
                case .delete: "AFTER DELETE ON \(table) REFERENCING OLD TABLE AS \(Rows.old)"
                // The rows still exist.
                case .truncate: "BEFORE TRUNCATE ON \(table)"
                }
            }
        }

        /// Returns a trigger that runs statements.
        ///
        /// - Parameters:
        ///   - event: The event.
        ///   - table: The name of the table.
        ///   - functionName: The name of the function.
        ///   - path: The search path of the function.
        ///   - statements: The statements, which insert changes.
        static func trigger(
            _ event: Event, on table: String, functionName: String, path: String,
            do statements: [String]
        ) -> Trigger {
            let recording = statements.map { "    \($0);\n    isChanged := isChanged OR FOUND;\n" }.joined()
            // A statement that changes nothing leaves no pending row, and of several statements only the first one does.
            // A simple expression reads the sequence; a query would cost as much as the insert.
            let body = """

                DECLARE
                    after bigint := pg_sequence_last_value('chronicle_change_id');
                    isChanged boolean := FALSE;
                BEGIN
                \(recording)\
                    IF isChanged THEN
                        \(HistoryTables.insertPending);
                    END IF;
                    RETURN NULL;
                END

                """
            return Trigger(
                table: table, name: "chronicle_\(event.rawValue)", event: event.clause(table),
                function: HistoryFunction(
                    name: functionName, path: path, settings: PreservedText.settings(for: body), body: body))
        }

        /// The beginning of a statement that records changes. Their numbers are the default of the column: a volatile
        /// function in the query would make it a subquery.
        static let insertChanges = """
            INSERT INTO chronicle_change(transaction, entity, kind, primary_key, attributes, preserved, old_values, \
            new_values) SELECT pg_current_xact_id(),
            """

        /// Returns the triggers of an entity's table.
        ///
        /// - Parameters:
        ///   - entity: The entity, which inherits from no other one.
        ///   - types: The types of the table's columns, as the server names them.
        ///   - path: The search path of the triggers' functions.
        static func triggers(of entity: RecordedEntity, types: [String: String], path: String) -> [Trigger] {
            let sql = EntityRecorder(entity, types: types)
            return Event.allCases.map { event in
                let statement =
                    switch event {
                    case .insert: sql.inserts
                    case .update: sql.updates
                    case .delete: sql.deletes(from: Rows.old)
                    case .truncate: sql.deletes(from: quoted(entity.name))
                    }
                return trigger(
                    event, on: entity.name, functionName: "chronicle_\(event.rawValue)_\(entity.number)", path: path,
                    do: [statement])
            }
        }
    }
#endif

#if Postgres
    // The functions of the history, most of which number the pending transactions.
    extension HistoryTables {
        /// The functions run as their owner, so that a role without privileges on the tables of the history can write
        /// models. No other role may execute the functions of the recorder, not even as the triggers of other tables.
        static func functions(_ schema: String) -> [HistoryFunction] {
            let settings = ["enable_seqscan = off", "jit = off"]
            func function(
                _ name: String, _ arguments: String = "", _ result: String = "trigger", isPublic: Bool = false,
                settings: [String] = settings, body: String
            ) -> HistoryFunction {
                HistoryFunction(
                    schema: schema, name: name, arguments: arguments, result: result, settings: settings,
                    isPublic: isPublic, body: body)
            }
            return [
                function(
                    "chronicle_description",
                    """
                    header text, OUT check_value bigint, OUT "timestamp" double precision, OUT author text, \
                    OUT context text, OUT process text, OUT bundle text, OUT metadata jsonb
                    """, "record", settings: [], body: description),
                function(
                    "chronicle_number_next", "OUT newest bigint, OUT is_complete boolean", "record", isPublic: true,
                    body: numberNext(schema)),
                function("chronicle_number", "", "bigint", isPublic: true, body: number(schema)),
                function("chronicle_order", body: order(schema)),
                function("chronicle_merge", "", "void", isPublic: true, body: merge(schema)),
                function(
                    "chronicle_merge_released", "entities bigint[], keys bigint[]", "void", isPublic: true,
                    body: merge(schema, released: "SELECT * FROM unnest($1, $2)")),
            ]
        }

        /// Reads the parts of a description, which a program can set to any text. What cannot be read is missing: an error
        /// would prevent the numbering of all transactions.
        private static let description = """
            DECLARE
                parts jsonb;
                number numeric;
            BEGIN
                IF header IS NULL THEN
                    RETURN;
                END IF;
                BEGIN
                    parts := header::jsonb;
                EXCEPTION WHEN OTHERS THEN
                    RETURN;
                END;
                IF jsonb_typeof(parts) <> 'object' THEN
                    RETURN;
                END IF;
                IF jsonb_typeof(parts->'check') = 'number' THEN
                    BEGIN
                        number := (parts->'check')::numeric;
                        IF number BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
                            check_value := number;
                        END IF;
                    EXCEPTION WHEN OTHERS THEN
                        check_value := NULL;
                    END;
                END IF;
                IF jsonb_typeof(parts->'timestamp') = 'number' THEN
                    BEGIN
                        number := (parts->'timestamp')::numeric;
                        IF number BETWEEN -1e12 AND 1e12 THEN
                            "timestamp" := number;
                        END IF;
                    EXCEPTION WHEN OTHERS THEN
                        "timestamp" := NULL;
                    END;
                END IF;
                author := parts->>'author';
                context := parts->>'context';
                process := parts->>'process';
                bundle := parts->>'bundle';
                IF jsonb_typeof(parts->'metadata') = 'object' THEN
                    IF NOT EXISTS (
                        SELECT FROM jsonb_each(parts->'metadata') AS m WHERE jsonb_typeof(m.value) <> 'string'
                    ) THEN
                        metadata := parts->'metadata';
                    END IF;
                END IF;
            END
            """

        /// Gives a transaction with deferred constraints its place in the history. Whether such a constraint is met may
        /// depend on a transaction that was committed after the last change. Checks run at the end of a transaction in the
        /// order in which they were deferred, and those that are deferred meanwhile after all of them. The function is
        /// therefore called twice: the second time, no check is left.
        /// no check is left.
        private static func order(_ schema: String) -> String {
            """
            BEGIN
                IF NEW.last = 0 THEN
                    UPDATE \(schema).chronicle_pending AS p SET last = -1
                        WHERE p.transaction = NEW.transaction AND p.began = NEW.began AND p.last = 0;
                ELSE
                    UPDATE \(schema).chronicle_pending AS p SET last = nextval(\(literal(schema + ".chronicle_change_id")))
                        WHERE p.transaction = NEW.transaction AND p.began = NEW.began AND p.last = -1;
                END IF;
                RETURN NULL;
            END
            """
        }

        /// Numbers all committed transactions that have no position, and returns the newest position.
        private static func number(_ schema: String) -> String {
            """
            DECLARE
                result record;
            BEGIN
                LOOP
                    SELECT newest, is_complete INTO STRICT result FROM \(schema).chronicle_number_next();
                    EXIT WHEN result.is_complete;
                END LOOP;
                RETURN result.newest;
            END
            """
        }

        /// The approximate number of transactions that are numbered together, in less than 100 ms.
        private static let partSize = 1_000

        /// Numbers the next committed transactions, and returns the newest position and whether none is left.
        ///
        /// The order is that of the last changes: a transaction that waited for a row that another one had locked made its
        /// change after all changes of the other one. A transaction with deferred constraints has a later place; see
        /// ``order(_:)``. Transactions of later calls were not visible to this one, or have a later place, so none of them
        /// precedes one that depends on it.
        ///
        /// If there are more than about 1,000, those are chosen whose place precedes the first change of all others. The
        /// changes of a transaction follow the value of its `after`.
        private static func numberNext(_ schema: String) -> String {
            // The sums in the subquery are not in an index: with that by `after`, it would read all later transactions.
            func numbering(_ condition: String) -> String {
                """
                WITH visible AS MATERIALIZED (
                            SELECT p.transaction, p.began, p.after, p.changed, p.header, p.last, coalesce((
                                SELECT min(q.after + 0) FROM \(schema).chronicle_pending AS q
                                WHERE q.transaction = p.transaction AND q.after + 0 > p.after), 9223372036854775807) AS until
                            FROM \(schema).chronicle_pending AS p
                            WHERE \(condition) AND p.transaction IS DISTINCT FROM pg_current_xact_id_if_assigned()
                        ), bounded AS MATERIALIZED (
                            SELECT v.transaction, v.began, v.header, c.first, c.last, c.count,
                                greatest(c.last, v.last) AS place, extract(epoch FROM v.changed) - 978307200 AS recorded
                            FROM visible AS v CROSS JOIN LATERAL (
                                SELECT min(c.id) AS first, max(c.id) AS last, count(*) AS count
                                FROM \(schema).chronicle_change AS c
                                WHERE c.transaction = v.transaction AND c.id > v.after AND c.id <= v.until
                            ) AS c
                        ), chosen AS MATERIALIZED (
                            SELECT * FROM bounded WHERE count = 0 OR place <= border
                        ), moved AS (
                            DELETE FROM \(schema).chronicle_pending AS p USING chosen AS c
                            WHERE p.transaction = c.transaction AND p.began = c.began
                        ), numbered AS (
                            INSERT INTO \(schema).chronicle_transaction(position, transaction, first_change, last_change,
                                change_count, first_number, check_value, timestamp, author, context, process, bundle,
                                metadata, recorded)
                            SELECT state.position + row_number() OVER ordered, c.transaction, c.first, c.last, c.count,
                                state.next_change + sum(c.last - c.first + 1) OVER ordered - (c.last - c.first + 1),
                                coalesce(d.check_value, \(randomCheckValue)), coalesce(d.timestamp, c.recorded),
                                d.author, d.context, d.process, d.bundle, d.metadata, c.recorded
                            FROM chosen AS c CROSS JOIN LATERAL \(schema).chronicle_description(c.header) AS d
                            WHERE c.count > 0 WINDOW ordered AS (ORDER BY c.place)
                            RETURNING position, check_value, first_number + last_change - first_change + 1 AS next_change
                        )
                        SELECT *, pg_snapshot_xmin(pg_current_snapshot()) AS horizon INTO final
                            FROM numbered ORDER BY position DESC LIMIT 1
                """
            }
            return """
                DECLARE
                    largest CONSTANT bigint := 9223372036854775807;
                    state \(schema).chronicle_history%ROWTYPE;
                    started timestamptz := pg_postmaster_start_time();
                    low xid8;
                    size bigint := \(partSize);
                    border bigint := largest;
                    final record;
                BEGIN
                    SELECT * INTO STRICT state FROM \(schema).chronicle_history;
                    low := CASE WHEN state.server = started THEN state.horizon ELSE '0'::xid8 END;
                    newest := state.position;
                    is_complete := TRUE;
                    IF NOT EXISTS (SELECT FROM \(schema).chronicle_pending WHERE transaction >= low) THEN
                        RETURN;
                    END IF;
                    IF pg_is_in_recovery() THEN
                        RETURN;
                    END IF;
                    IF current_setting('transaction_read_only')::boolean THEN
                        RAISE EXCEPTION 'transactions cannot be numbered in a read-only transaction'
                            USING ERRCODE = 'read_only_sql_transaction';
                    END IF;
                    IF current_setting('transaction_isolation') <> 'read committed' THEN
                        RAISE EXCEPTION 'transactions are numbered at the isolation level READ COMMITTED'
                            USING ERRCODE = 'feature_not_supported';
                    END IF;
                    -- Only roles that may read the history may lock it.
                    IF NOT has_table_privilege(
                        CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END,
                        \(literal(schema + ".chronicle_transaction")), 'SELECT')
                    THEN
                        RAISE EXCEPTION 'permission denied for the history: SELECT on chronicle_transaction is needed'
                            USING ERRCODE = 'insufficient_privilege';
                    END IF;
                    IF current_setting('lock_timeout') = '0' THEN
                        PERFORM set_config('lock_timeout', '30s', TRUE);
                    END IF;
                    -- The next statement sees what was committed before this one returned.
                    SELECT * INTO STRICT state FROM \(schema).chronicle_history FOR UPDATE;
                    low := CASE WHEN state.server = started THEN state.horizon ELSE '0'::xid8 END;
                    LOOP
                        border := largest;
                        IF size < (
                            SELECT count(*) FROM (
                                SELECT FROM \(schema).chronicle_pending WHERE transaction >= low LIMIT size + 1
                            ) AS p
                        ) THEN
                            -- In the order of the index by `after`: that by transaction would read all of them.
                            SELECT after INTO border FROM \(schema).chronicle_pending
                                WHERE (transaction >= low) IS NOT FALSE ORDER BY after OFFSET size LIMIT 1;
                            border := coalesce(border, largest);
                        END IF;
                        IF border = largest THEN
                            \(numbering("p.transaction >= low"));
                        ELSE
                            \(numbering("p.after < border AND (p.transaction >= low) IS NOT FALSE"));
                        END IF;
                        IF final.position IS NOT NULL OR border = largest THEN
                            EXIT;
                        END IF;
                        size := size * 2;
                    END LOOP;
                    is_complete := border = largest;
                    newest := state.position;
                    IF final.position IS NOT NULL THEN
                        newest := final.position;
                        UPDATE \(schema).chronicle_history SET position = final.position,
                            check_value = final.check_value, next_change = final.next_change,
                            horizon = CASE WHEN is_complete THEN final.horizon ELSE low END, server = started;
                    END IF;
                END
                """
        }

        /// Merges the changes of each model in the current transaction: updates, and an insert with its links. A save
        /// writes a row and its links with several statements, and each records a change.
        ///
        /// Other programs can have triggers that update a row again. The statement of a trigger is recorded before the one
        /// that executes the trigger, so the order of such updates is not known. Updates of the same attribute are
        /// therefore not merged, and neither is an insert with updates of its row.
        ///
        /// The last change remains, because the transactions of a numbering have the order of their last changes. Any role
        /// can execute the function: it changes no earlier transaction, and nothing that a reader has seen.
        ///
        /// - Parameter released: A query for the rows whose updates of the same attribute are merged, too, and whose
        ///   inserts with their updates: those of a save that changed unique values for a while, or the other sides of
        ///   one-to-one relationships. The result has the value before the first and after the last of them, or none if one
        ///   of them does not preserve it.
        private static func merge(_ schema: String, released: String? = nil) -> String {
            let isReleased = released.map { "(c.entity, c.primary_key) IN (\($0))" } ?? "FALSE"
            return """
                DECLARE
                    earlier bigint := (SELECT p.after FROM \(schema).chronicle_pending AS p
                        WHERE p.transaction = pg_current_xact_id_if_assigned() AND p.began = now());
                BEGIN
                    IF earlier IS NULL OR NOT EXISTS (
                        SELECT FROM \(schema).chronicle_change AS c
                        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
                        GROUP BY c.entity, c.primary_key HAVING count(*) > 1
                    ) THEN
                        RETURN;
                    END IF;
                    WITH RECURSIVE root AS (
                        SELECT id AS entity, id AS root FROM \(schema).chronicle_entity WHERE superentity IS NULL
                        UNION ALL SELECT e.id, r.root FROM \(schema).chronicle_entity AS e JOIN root AS r ON e.superentity = r.entity
                    ), stored AS (
                        SELECT r.entity, array_agg(a.number) AS stored
                        FROM root AS r JOIN \(schema).chronicle_attribute AS a ON a.entity = r.root WHERE a.present GROUP BY r.entity
                    ), change AS MATERIALIZED (
                        SELECT c.*, coalesce(s.stored, '{}') AS stored
                        FROM \(schema).chronicle_change AS c LEFT JOIN stored AS s ON s.entity = c.entity
                        WHERE c.transaction = pg_current_xact_id() AND c.id > earlier AND c.kind <> 'd'
                    ), again AS (
                        SELECT c.entity, c.primary_key FROM change AS c CROSS JOIN unnest(c.attributes) AS a(number)
                        WHERE a.number = ANY (c.stored) AND NOT \(isReleased) GROUP BY c.entity, c.primary_key, a.number HAVING count(*) > 1
                    ), model AS (
                        SELECT c.entity, c.primary_key, max(c.id) AS last, bool_or(c.kind = 'i') AS is_insert FROM change AS c
                        WHERE (c.entity, c.primary_key) NOT IN (SELECT entity, primary_key FROM again)
                        GROUP BY c.entity, c.primary_key
                        HAVING count(*) > 1
                            AND (\(isReleased) OR NOT (bool_or(c.kind = 'i') AND bool_or(c.attributes && c.stored)))
                    ), repeated AS MATERIALIZED (
                        SELECT c.id, c.kind, c.attributes, c.preserved, c.old_values, c.new_values, c.stored, m.last, m.is_insert
                        FROM change AS c JOIN model AS m ON m.entity = c.entity AND m.primary_key = c.primary_key
                    ), counted AS MATERIALIZED (
                        SELECT r.last, a.number, count(DISTINCT r.id) AS count
                        FROM repeated AS r CROSS JOIN unnest(r.attributes) AS a(number) GROUP BY r.last, a.number
                    ), updated AS (
                        SELECT last, array_agg(number ORDER BY number) AS numbers FROM counted GROUP BY last
                    ), listed AS (
                        SELECT r.last, r.id, r.kind, v.number, v.old, v.new, v.place, v.number = ANY (r.stored) AS is_stored
                        FROM repeated AS r CROSS JOIN unnest(r.preserved, r.old_values, r.new_values)
                            WITH ORDINALITY AS v(number, old, new, place)
                    ), value AS (
                        SELECT last, id, number, old, new, place, FALSE AS is_stored, TRUE AS is_complete FROM listed
                        WHERE NOT is_stored
                        UNION ALL
                        SELECT l.last, min(l.id), l.number,
                            CASE WHEN NOT bool_or(l.kind = 'i') THEN (array_agg(l.old ORDER BY l.id))[1] END,
                            (array_agg(l.new ORDER BY l.id DESC))[1], min(l.place), TRUE,
                            count(*) FILTER (WHERE l.kind = 'u') >= coalesce(min(n.count), 0)
                        FROM listed AS l LEFT JOIN counted AS n ON n.last = l.last AND n.number = l.number
                        WHERE l.is_stored GROUP BY l.last, l.number
                    ), preserved AS (
                        SELECT v.last, array_agg(v.number ORDER BY v.number, v.id, v.place) AS numbers,
                            array_agg(v.old ORDER BY v.number, v.id, v.place) AS old_values,
                            array_agg(v.new ORDER BY v.number, v.id, v.place) AS new_values
                        FROM value AS v WHERE NOT v.is_stored OR v.is_complete GROUP BY v.last
                    ), removed AS (
                        DELETE FROM \(schema).chronicle_change AS c USING repeated AS r
                        WHERE c.transaction = pg_current_xact_id() AND c.id = r.id AND r.id <> r.last
                    )
                    UPDATE \(schema).chronicle_change AS c SET kind = CASE WHEN r.is_insert THEN 'i'::"char" ELSE 'u' END,
                        attributes = CASE WHEN NOT r.is_insert THEN u.numbers END, preserved = p.numbers,
                        old_values = p.old_values, new_values = p.new_values
                    FROM repeated AS r LEFT JOIN updated AS u ON u.last = r.last LEFT JOIN preserved AS p ON p.last = r.last
                    WHERE c.transaction = pg_current_xact_id() AND c.id = r.last AND r.id = r.last;
                END
                """
        }
    }

    struct HistoryFunction {
        /// The quoted name of the schema.
        let schema: String
        let name: String
        var arguments = ""
        var result = "trigger"
        var settings: [String] = []
        var isPublic = false
        let body: String

        /// Only the operators, functions and types of the server, and no temporary objects before them. A role that may
        /// create objects in the schema cannot replace what a function calls.
        static let path = "SET search_path = pg_catalog, pg_temp"

        var qualifiedName: String { "\(schema).\(quoted(name))" }

        var statements: [String] {
            let signature = "\(qualifiedName)(\(arguments))"
            let settings = ([Self.path] + settings.map { "SET \($0)" }).joined(separator: " ")
            return [
                "CREATE OR REPLACE FUNCTION \(signature) RETURNS \(result) LANGUAGE plpgsql SECURITY DEFINER "
                    + "\(settings) AS \(literal(body))",
                "\(isPublic ? "GRANT EXECUTE" : "REVOKE ALL") ON FUNCTION \(signature) "
                    + "\(isPublic ? "TO" : "FROM") PUBLIC",
            ]
        }

        /// An untrusted owner of a function could replace what it executes. Throws `SwiftDataError.notAChronicleStore`.
        static func requireTrustedOwners(_ connection: Connection, _ names: [String]) throws {
            let found = try connection.run(
                """
                SELECT p.proname, pg_get_userbyid(p.proowner) FROM pg_proc AS p \
                JOIN pg_namespace AS n ON n.oid = p.pronamespace \(StoreRelations.roles) \
                WHERE n.oid = \(connection.namespace) AND p.proname IN (\(names.map(literal).joined(separator: ", "))) \
                AND NOT \(StoreRelations.isTrusted("p.proowner")) ORDER BY 1 LIMIT 1
                """, isPrepared: false)
            guard found.count > 0 else { return }
            throw StoreRelations.untrusted("the function \(found.text(0, 0))", found.text(0, 1), connection)
        }
    }
#endif

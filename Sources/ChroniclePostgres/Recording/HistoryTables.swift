#if Postgres
    /// See also `HistoryFunctions.swift`, and `Documentation/Design/0036-postgres-store.md` for the rationale.
    enum HistoryTables {
        /// The parameter with the description of a save; see ``PendingTransaction``.
        static let header = "chronicle.save"

        /// The tables:
        /// - `chronicle_history` has one row: the newest position, the number of the next change, the floor up to which
        ///   the history was deleted, and the gap after which recording resumed. A reader that numbers transactions locks it.
        ///   `horizon` is a transaction before which nothing is pending as long as the server, which `server` identifies
        ///   by the time at which it started, is not restarted.
        /// - `chronicle_pending` has the transactions that have no position yet. Only the recorder inserts rows. In a
        ///   restored dump, transaction identifiers begin again, so a row also has the time at which its transaction
        ///   began and the last change before it. `header` is the description of a save, a text that any program can set;
        ///   only the numbering reads it. `last` is a number that a transaction with deferred constraints takes at its end.
        /// - `chronicle_transaction` has the transactions in the order of their positions. `timestamp` is the time that the
        ///   program states, `recorded` that of the server, which is missing in rows of the format 1.
        /// - `chronicle_change` has the changes. `attributes` are the attributes that an update changed; `old_values` and
        ///   `new_values` are the preserved values of the attributes `preserved`; see ``PreservedText``.
        /// - `chronicle_removed` has the links of rows whose delete is not recorded yet; see ``RecorderSQL``.
        ///
        /// - Parameters:
        ///   - schema: Quoted.
        ///   - present: The tables, indexes and sequences that exist. Those of a store were checked; another role cannot
        ///     create one in between, because the statements then fail.
        static func createTables(_ schema: String, except present: Set<String>) -> [String] {
            let statements: [(name: String, sql: String)] = [
                (
                    "chronicle_history",
                    """
                    CREATE TABLE \(schema).chronicle_history(position bigint NOT NULL, \
                    check_value bigint NOT NULL, next_change bigint NOT NULL, floor bigint NOT NULL, \
                    floor_check bigint NOT NULL, gap bigint NOT NULL, gap_check bigint NOT NULL, \
                    is_recording boolean NOT NULL, definitions text NOT NULL, horizon xid8 NOT NULL, \
                    server timestamptz NOT NULL) WITH (fillfactor = 10)
                    """
                ),
                (
                    "chronicle_history",
                    "INSERT INTO \(schema).chronicle_history SELECT 0, 0, 1, 0, 0, 0, 0, FALSE, '', '0', '-infinity'"
                ),
                (
                    "chronicle_pending",
                    """
                    CREATE TABLE \(schema).chronicle_pending(transaction xid8 NOT NULL, \
                    began timestamptz NOT NULL, after bigint NOT NULL, changed timestamptz NOT NULL, header text, \
                    last bigint, PRIMARY KEY (transaction, began)) \
                    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, fillfactor = 70)
                    """
                ),
                (
                    "chronicle_pending_after",
                    "CREATE INDEX chronicle_pending_after ON \(schema).chronicle_pending(after)"
                ),
                (
                    "chronicle_transaction",
                    """
                    CREATE TABLE \(schema).chronicle_transaction(position bigint PRIMARY KEY, \
                    transaction xid8 NOT NULL, first_change bigint NOT NULL, last_change bigint NOT NULL, \
                    change_count bigint NOT NULL, first_number bigint NOT NULL, check_value bigint NOT NULL, \
                    timestamp double precision NOT NULL, author text COLLATE "C", context text COLLATE "C", \
                    process text COLLATE "C", bundle text COLLATE "C", metadata jsonb, recorded double precision)
                    """
                ),
                (
                    "chronicle_transaction_check",
                    "CREATE INDEX chronicle_transaction_check ON \(schema).chronicle_transaction(check_value)"
                ),
                // The order of the numbers is that in which they were taken, so sessions must not cache them.
                ("chronicle_change_id", "CREATE SEQUENCE \(schema).chronicle_change_id MINVALUE 0 START 0 CACHE 1"),
                ("chronicle_change_id", "SELECT nextval(\(literal(schema + ".chronicle_change_id")))"),
                (
                    "chronicle_change",
                    """
                    CREATE TABLE \(schema).chronicle_change(transaction xid8 NOT NULL, \
                    id bigint NOT NULL DEFAULT nextval(\(literal(schema + ".chronicle_change_id"))), \
                    entity bigint NOT NULL, kind "char" NOT NULL, primary_key bigint NOT NULL, attributes smallint[], \
                    preserved smallint[], old_values text[], new_values text[], PRIMARY KEY (transaction, id))
                    """
                ),
                (
                    "chronicle_removed",
                    """
                    CREATE TABLE \(schema).chronicle_removed(transaction xid8, entity bigint, primary_key bigint, \
                    attribute smallint, destination bigint, \
                    PRIMARY KEY (transaction, entity, primary_key, attribute, destination)) \
                    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)
                    """
                ),
                (
                    "chronicle_tag",
                    """
                    CREATE TABLE \(schema).chronicle_tag(name text COLLATE "C" PRIMARY KEY, \
                    position bigint NOT NULL, check_value bigint, date double precision NOT NULL)
                    """
                ),
                (
                    "chronicle_consumer",
                    """
                    CREATE TABLE \(schema).chronicle_consumer(\
                    id bigint GENERATED BY DEFAULT AS IDENTITY UNIQUE, name text COLLATE "C" PRIMARY KEY, \
                    position bigint, check_value bigint, rebuild text, fence bigint NOT NULL, attempts bigint NOT NULL, \
                    acknowledged double precision, seen double precision NOT NULL, skip_count bigint NOT NULL, skips text)
                    """
                ),
            ]
            return statements.filter { !present.contains($0.name) }.map(\.sql)
        }

        /// Changes the tables of the format 1.
        static func upgradeTables(_ schema: String) -> [String] {
            [
                """
                ALTER TABLE IF EXISTS \(schema).chronicle_pending ALTER COLUMN header TYPE text USING header::text, \
                ADD COLUMN IF NOT EXISTS last bigint, SET (fillfactor = 70)
                """,
                """
                ALTER TABLE IF EXISTS \(schema).chronicle_transaction \
                ADD COLUMN IF NOT EXISTS recorded double precision
                """,
            ]
        }

        /// Determines the place of a transaction with deferred constraints; see ``order(_:)``.
        static func orderTrigger(_ schema: String) -> [String] {
            [
                "DROP TRIGGER IF EXISTS chronicle_order ON \(schema).chronicle_pending",
                """
                CREATE CONSTRAINT TRIGGER chronicle_order AFTER INSERT OR UPDATE ON \(schema).chronicle_pending \
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.last <= 0) \
                EXECUTE FUNCTION \(schema).chronicle_order()
                """,
                "ALTER TABLE \(schema).chronicle_pending ENABLE ALWAYS TRIGGER chronicle_order",
            ]
        }

        /// Inserts the row of the current transaction, at its first change, in a function with the variable `after`.
        ///
        /// - Parameter isDeferred: Whether the table of the change has deferred constraints. The transaction then takes its
        ///   place in the history when they have been checked.
        static func insertPending(_ schema: String, isDeferred: Bool) -> String {
            """
            INSERT INTO \(schema).chronicle_pending AS p (transaction, began, after, changed, header, last) \
            VALUES (pg_current_xact_id(), now(), after, clock_timestamp(), \
            nullif(current_setting('\(header)', true), ''), \(isDeferred ? "0" : "NULL")) \
            ON CONFLICT \(isDeferred
                ? "(transaction, began) DO UPDATE SET last = 0 WHERE p.last IS DISTINCT FROM 0" : "DO NOTHING")
            """
        }

        static func mergeChanges(_ schema: String) -> String { "SELECT \(schema).chronicle_merge()" }

        /// Also merges updates of the same attribute of some rows; the parameters are the numbers of their entities and
        /// their keys.
        static func mergeReleasedChanges(_ schema: String) -> String {
            "SELECT \(schema).chronicle_merge_released($1, $2)"
        }

        static let randomCheckValue = "('x' || md5(random()::text || clock_timestamp()::text))::bit(64)::bigint"
    }
#endif

#if Postgres
    import ChronicleCore

    package struct PostgresProblem: Hashable, Sendable {
        /// The names are those of `StoreProblem.Kind`.
        package enum Kind: String, Sendable {
            /// The history is not recorded, or was not for a while.
            case trigger
            /// Positions of the history are missing, or there are too many.
            case position
            /// A transaction does not describe its changes.
            case header
            /// A change belongs to no transaction, or to an unknown entity or attribute.
            case change
            case tag, consumer
            case row
        }

        package let kind: Kind
        package let table: String?
        package let row: Int64?
        package let detail: String

        package var description: String {
            ([table, row.map(String.init)].compactMap { $0 } + [detail]).joined(separator: " ")
        }
    }

    extension PostgresStore {
        /// Checks the triggers, positions, transactions, changes, tags and consumers of the history, and whether each row
        /// is there or not as its history says, in one snapshot, in which transactions have positions that were committed
        /// before. `report` does not use the store. Takes time proportional to the length of the history and the number of
        /// rows.
        package func verify(
            progress: (Double) -> Void = { _ in }, _ report: (PostgresProblem) throws -> Void
        ) throws {
            try attributingErrors {
                try pool.use { connection in
                    // Whether it is recorded is one of the checks.
                    let found = try connection.run(HistoryState.select(connection))
                    guard found.count == 1, found.bool(0, 6) else {
                        return try report(
                            PostgresProblem(
                                kind: .trigger, table: nil, row: nil,
                                detail: "the history is not recorded: the store was last opened without it"))
                    }
                    try connection.numberTransactions()
                    try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") { connection in
                        try withoutActuallyEscaping(progress) { progress in
                            try withoutActuallyEscaping(report) { report in
                                try Verification(self, connection, progress, report).run()
                            }
                        }
                    }
                }
            }
        }
    }

    private struct Verification {
        private let store: PostgresStore
        private let connection: Connection
        private let state: HistoryState
        private let progress: (Double) -> Void
        private let report: (PostgresProblem) throws -> Void

        /// The number of reported problems of one kind.
        private static let limit = 100

        init(
            _ store: PostgresStore, _ connection: Connection, _ progress: @escaping (Double) -> Void,
            _ report: @escaping (PostgresProblem) throws -> Void
        ) throws {
            (self.store, self.connection) = (store, connection)
            (self.progress, self.report) = (progress, report)
            state = try HistoryState(connection.run(HistoryState.select(connection)))
        }

        func run() throws {
            let entities = store.schema.entities.filter { $0.superentity == nil }
            let checks: [() throws -> Void] =
                [checkTriggers, checkPositions, checkHeaders, checkChanges, checkTokens]
                + entities.map { entity in { try checkRows(of: entity) } }
            for (index, check) in checks.enumerated() {
                progress(Double(index) / Double(checks.count))
                try check()
            }
        }

        private func report(
            _ kind: PostgresProblem.Kind, _ table: String? = nil, _ row: Int64? = nil, _ detail: String
        ) throws {
            try report(PostgresProblem(kind: kind, table: table, row: row, detail: detail))
        }

        /// The query returns a row number and a detail.
        private func check(_ kind: PostgresProblem.Kind, _ table: String, _ query: String) throws {
            let found = try connection.run(
                "SELECT p.id::bigint, p.detail::text FROM (\(query)) AS p(id, detail) ORDER BY 1 LIMIT \(Self.limit)",
                isPrepared: false)
            for row in 0..<found.count {
                try report(kind, table, found.isNull(row, 0) ? nil : found.int64(row, 0), found.text(row, 1))
            }
        }

        private var schema: String { connection.schema }

        private func checkTriggers() throws {
            if let tracked = store.layout.tracked {
                for table in try TableTracking(connection: connection, schemaName: tracked.schemaName).tables() {
                    guard case .interrupted(let reason) = table.state else { continue }
                    try report(
                        .trigger, table.name, nil, "\(reason): changes may be missing; use `chronicle track FILE`")
                }
                return
            }
            let missing = try connection.run(
                """
                SELECT e.name, n.name, t.tgname IS NULL FROM \(schema).chronicle_entity AS e \
                JOIN pg_class AS c ON c.relname = e.name AND c.relnamespace = \(connection.namespace) \
                CROSS JOIN unnest(ARRAY['chronicle_insert', 'chronicle_update', 'chronicle_delete', 'chronicle_truncate', \
                'chronicle_row']) AS n(name) \
                LEFT JOIN pg_trigger AS t ON t.tgrelid = c.oid AND t.tgname = n.name \
                WHERE e.superentity IS NULL AND t.tgenabled IS DISTINCT FROM 'O' AND t.tgenabled IS DISTINCT FROM 'A' \
                AND NOT (t.tgenabled IS NOT DISTINCT FROM 'R' AND n.name = 'chronicle_row') \
                AND (n.name IN ('chronicle_truncate', 'chronicle_row') OR c.relkind <> 'p' \
                AND NOT EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = c.oid)) \
                AND NOT EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = c.oid) ORDER BY 1, 2
                """, isPrepared: false)
            for row in 0..<missing.count {
                let name = missing.text(row, 1)
                try report(
                    .trigger, missing.text(row, 0), nil,
                    missing.bool(row, 2)
                        ? "the trigger \(name) is missing: changes are not recorded"
                        : "the trigger \(name) is disabled: changes are not recorded")
            }
            let links = try connection.run("\(HistoryLayout.linksTriggers(connection)) ORDER BY 1", isPrepared: false)
            for row in 0..<links.count {
                try report(
                    .trigger, links.text(row, 0), nil,
                    "the trigger \(RecorderSQL.linksTrigger) is missing or disabled: deletes are recorded without their links"
                )
            }
            if missing.count == 0, links.count == 0, try HistoryLayout.isChanged(connection) {
                try report(
                    .trigger, nil, nil,
                    "a trigger or a function of the history was changed, or rows were replaced without firing triggers, since "
                        + "the latest opening by the owner of the tables: changes may be missing")
            }
        }

        private func checkPositions() throws {
            // The position of a gap has no transaction. Only the latest one is known.
            try check(
                .position, "chronicle_transaction",
                """
                SELECT p.position, 'there is no transaction at the position' \
                FROM generate_series(\(max(state.floor, state.gap)) + 1, \(state.position)) AS p(position) \
                LEFT JOIN \(schema).chronicle_transaction AS h ON h.position = p.position \
                WHERE h.position IS NULL
                """)
            try check(
                .position, "chronicle_transaction",
                """
                SELECT position, CASE WHEN position > \(state.position) \
                THEN 'the position is greater than the newest one, \(state.position)' \
                ELSE 'the check value is not that of the newest position' END FROM \(schema).chronicle_transaction \
                WHERE position > \(state.position) OR position < 1 \
                OR position = \(state.position) AND check_value <> \(state.checkValue)
                """)
        }

        private func checkHeaders() throws {
            try check(
                .header, "chronicle_transaction",
                """
                SELECT h.position, 'the transaction has ' || count(c.id) || ' changes instead of ' || h.change_count \
                FROM \(schema).chronicle_transaction AS h LEFT JOIN \(schema).chronicle_change AS c \
                ON c.transaction = h.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                GROUP BY h.position, h.change_count HAVING count(c.id) <> h.change_count
                """)
            try check(
                .header, "chronicle_transaction",
                """
                SELECT position, 'the numbers of its changes are not greater than those of the transaction before' FROM (\
                SELECT position, first_number, \
                lag(first_number + last_change - first_change) OVER (ORDER BY position) AS earlier \
                FROM \(schema).chronicle_transaction) AS h WHERE first_number <= earlier
                """)
        }

        private func checkChanges() throws {
            try check(
                .change, "chronicle_change",
                """
                SELECT c.id, 'the change belongs to no transaction' FROM \(schema).chronicle_change AS c \
                WHERE NOT EXISTS (SELECT FROM \(schema).chronicle_transaction AS h \
                WHERE h.transaction = c.transaction AND c.id BETWEEN h.first_change AND h.last_change) \
                AND NOT EXISTS (SELECT FROM \(schema).chronicle_pending AS p \
                WHERE p.transaction = c.transaction AND c.id > p.after)
                """)
            try check(
                .change, "chronicle_change",
                """
                SELECT min(c.id), 'the entity ' || c.entity || ' is missing in chronicle_entity' \
                FROM \(schema).chronicle_change AS c WHERE NOT EXISTS (\
                SELECT FROM \(schema).chronicle_entity AS e WHERE e.id = c.entity) GROUP BY c.entity
                """)
            try check(
                .change, "chronicle_change",
                """
                WITH RECURSIVE root AS (SELECT id AS entity, id AS root FROM \(schema).chronicle_entity \
                WHERE superentity IS NULL UNION ALL SELECT e.id, r.root FROM \(schema).chronicle_entity AS e \
                JOIN root AS r ON e.superentity = r.entity), used AS (SELECT c.entity, a.number, min(c.id) AS id \
                FROM \(schema).chronicle_change AS c CROSS JOIN unnest(c.attributes || c.preserved) AS a(number) \
                GROUP BY c.entity, a.number) \
                SELECT u.id, 'the attribute ' || u.number || ' is missing in chronicle_attribute' \
                FROM used AS u JOIN root AS r ON r.entity = u.entity WHERE NOT EXISTS (\
                SELECT FROM \(schema).chronicle_attribute AS a WHERE a.entity = r.root AND a.number = u.number)
                """)
        }

        private func checkTokens() throws {
            for (kind, table) in [(PostgresProblem.Kind.tag, "chronicle_tag"), (.consumer, "chronicle_consumer")] {
                let found = try connection.run(
                    """
                    SELECT t.name, t.position, t.position > \(state.position) FROM \(schema).\(table) AS t \
                    LEFT JOIN \(schema).chronicle_transaction AS h ON h.position = t.position \
                    WHERE t.position > \(state.position) OR t.position < 0 OR h.check_value <> t.check_value \
                    ORDER BY 1 LIMIT \(Self.limit)
                    """, isPrepared: false)
                for row in 0..<found.count {
                    let reason =
                        found.bool(row, 2)
                        ? "greater than the newest one, \(state.position)" : "that of another transaction"
                    try report(
                        kind, table, nil, "the position \(found.int64(row, 1)) of '\(found.text(row, 0))' is \(reason)")
                }
            }
        }

        /// Compares the rows with the latest change of each.
        private func checkRows(of entity: Schema.Entity) throws {
            let kinds = store.schema.kinds(of: entity.name)
            let numbers = store.layout.recorded.filter { kinds.contains($0.name) }.map { "\($0.number)" }
            guard !numbers.isEmpty else { return }
            // Changes before a gap may be incomplete. Those without a position are the latest.
            try check(
                .row, entity.name,
                """
                SELECT k.primary_key, CASE WHEN k.kind = 'd' THEN 'the row exists, but its latest change is a delete' \
                ELSE 'the row does not exist, but its latest change is no delete' END FROM (\
                SELECT DISTINCT ON (c.primary_key) c.primary_key, c.kind FROM \(schema).chronicle_change AS c \
                LEFT JOIN \(schema).chronicle_transaction AS h \
                ON h.transaction = c.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                WHERE c.entity IN (\(numbers.joined(separator: ", "))) \
                AND (h.position IS NULL OR h.position > \(state.gap)) \
                ORDER BY c.primary_key, h.position DESC NULLS FIRST, c.id DESC) AS k \
                LEFT JOIN \(connection.table(entity.name)) AS t ON t._rowid_ = k.primary_key \
                WHERE (k.kind = 'd') = (t._rowid_ IS NOT NULL)
                """)
        }
    }
#endif

#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// SQL over the models as of any position and over their history, compared with the rows after each step.
    @Suite("PostgreSQL queries in SQL", .requiresPostgres) struct PostgresQueryTests {
        private struct State {
            let token: DefaultHistoryToken
            let rows: [String: [String]]
        }

        private func lines(
            _ store: PostgresStore, _ sql: String, replacesUnknownValues: Bool = false
        ) throws -> [String] {
            var lines: [String] = []
            try store.query(sql, replacesUnknownValues: replacesUnknownValues) { row in
                lines.append(row.map(QueryText.text).joined(separator: ", "))
            }
            return lines
        }

        private func sorted(_ store: PostgresStore, _ sql: String) throws -> [String] {
            try lines(store, sql).sorted()
        }

        private func store(_ container: ModelContainer) throws -> PostgresStore {
            try #require(container.stores.first as? PostgresStore)
        }

        private func past(_ store: PostgresStore, _ token: DefaultHistoryToken) throws -> PostgresStore {
            try #require(try store.store(asOf: token) as? PostgresStore)
        }

        // MARK: Random changes

        @Test(arguments: TestSeed.rounds(1)) func viewsHaveTheRowsThatWereKept(_ number: Int) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let schemaName = try #require(configuration.schemaName)
            let cluster = try PostgresCluster.shared.get()
            let clubs = try RandomClubs(configuration) {
                _ = try cluster.psql("SET search_path = \(schemaName); \($0)")
            }
            let store = try store(clubs.container)
            let models = ["Club", "Member", "Player", "Sponsor", "Stadium"]
            let links = store.layout.linksByName.keys.sorted()
            var random = TestSeed.generator(number)
            var states: [State] = []
            for _ in 0..<30 {
                _ = try clubs.step(&random)
                var rows: [String: [String]] = [:]
                for view in models + links { rows[view] = try sorted(store, "SELECT * FROM \(quoted(view))") }
                for table in ["Club", "Sponsor"] + links {
                    var columns: [String] = []
                    try store.query("TABLE \(quoted(table))", columns: { columns = $0 }, row: { _ in })
                    let names = columns.map(quoted).joined(separator: ", ")
                    let present = try sorted(store, "SELECT \(names) FROM \(store.layout.qualified(table))")
                    try #require(rows[table] == present, "\(TestSeed.description)")
                }
                states.append(State(token: try #require(try store.currentHistoryToken()), rows: rows))
            }
            for state in states.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
                let past = try past(store, state.token)
                for (view, rows) in state.rows {
                    try #require(
                        try sorted(past, "SELECT * FROM \(quoted(view))") == rows, "\(view) \(TestSeed.description)")
                }
                #expect(
                    try lines(past, #"SELECT count(*), (SELECT count(*) FROM "Member") FROM "Club""#)
                        == ["\(state.rows["Club"]?.count ?? 0), \(state.rows["Member"]?.count ?? 0)"])
            }
            for view in models {
                try expectRevisions(of: view, states, store)
            }
            try expectHistory(of: store)
        }

        private func expectRevisions(of view: String, _ states: [State], _ store: PostgresStore) throws {
            let name = quoted("\(view)_revisions")
            #expect(
                try lines(store, "SELECT DISTINCT unknown FROM \(name)").allSatisfy { $0 == "NULL" },
                "\(TestSeed.description)")
            var columns: [String] = []
            try store.query("SELECT * FROM \(name) LIMIT 0", columns: { columns = $0 }, row: { _ in })
            #expect(columns.first == "from" && columns.last == "unknown")
            let values = columns.dropFirst(2).dropLast().map(quoted).joined(separator: ", ")
            for state in states.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
                let position = state.token.position(in: store.identifier) ?? 0
                let current = "coalesce(\"from\", 0) <= \(position) AND (\"to\" IS NULL OR \"to\" > \(position))"
                try #require(
                    try sorted(store, "SELECT \(values) FROM \(name) WHERE \(current)") == state.rows[view],
                    "\(view) as of \(position) \(TestSeed.description)")
            }
        }

        /// The history has the values of the transactions.
        private func expectHistory(of store: PostgresStore) throws {
            var expected: Set<String> = []
            for transaction in try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
                for change in transaction.changes where change.changedPersistentIdentifier.entityName == "Club" {
                    let kind =
                        switch change {
                        case .insert: "insert"
                        case .update: "update"
                        case .delete: "delete"
                        }
                    for value in change.preservedValues where ["city", "number"].contains(value.name) {
                        let (old, new) = (QueryText.text(value.previousValue), QueryText.text(value.value))
                        expected.insert(
                            """
                            \(transaction.transactionIdentifier), \(transaction.author ?? "NULL"), \(kind), \
                            \(change.changedPersistentIdentifier.integerPrimaryKey ?? 0), \(value.name), \(old), \(new)
                            """)
                    }
                }
            }
            #expect(!expected.isEmpty)
            let found = try lines(
                store,
                """
                SELECT position, author, operation, key, attribute, previous, value FROM "Club_history" \
                WHERE attribute IN ('city', 'number')
                """)
            #expect(Set(found) == expected, "\(TestSeed.description)")
            #expect(try lines(store, #"SELECT count(*) FROM "Club_history" WHERE unknown OR date IS NULL"#) == ["0"])
        }

        @Test func changesWithoutAPosition() throws {
            let fixture = try HistoryFixture {
                $0.preservesValues = true
                $0.numbering = .onDemand
            }
            try fixture.add("a", author: "app")
            let store = try store(fixture.container)
            for balance in [7, 8] { try fixture.psql(#"UPDATE "Account" SET balance = \#(balance)"#) }
            #expect(
                try lines(
                    store,
                    #"SELECT position, author, previous, value FROM "Account_history" WHERE operation = 'update'"#)
                    == ["2, NULL, 0, 7", "3, NULL, 7, 8"])
            #expect(
                try lines(store, #"SELECT "from", "to", balance FROM "Account_revisions" ORDER BY 1"#)
                    == ["1, 2, 0", "2, 3, 7", "3, NULL, 8"])
        }

        // MARK: Unknown values

        @Test func unknownValuesAreNamed() throws {
            let fixture = try HistoryFixture()
            let context = fixture.context("app")
            let account = Account("a")
            account.note = String(repeating: "x", count: 100_000)
            context.insert(account)
            try context.save()
            let token = try fixture.token
            account.note = "short"
            try context.save()
            let store = try store(fixture.container)
            let past = try past(store, token)
            #expect(try lines(past, #"SELECT name FROM "Account""#) == ["a"])
            let sql = #"SELECT note FROM "Account""#
            let error = #expect(throws: SwiftDataError.self) { try past.query(sql) { _ in } }
            #expect(error == .historyValueMissing && error?.propertyName == "note")
            #expect(try lines(past, sql, replacesUnknownValues: true) == ["NULL"])
            #expect(
                try lines(store, #"SELECT note, unknown FROM "Account_revisions" ORDER BY "from""#)
                    == ["NULL, note", "short, NULL"])
            #expect(
                try lines(
                    store,
                    #"SELECT attribute, previous, value FROM "Account_history" WHERE operation = 'update' AND unknown"#
                ) == ["note, NULL, NULL"])
        }

        @Test func unknownLinksAreNamed() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let container = try ModelContainer(for: Schema(clubModels), configurations: [configuration])
            let context = ModelContext(container)
            let (club, sponsor) = (Club("c", city: "Rome", number: 1), Sponsor("s", 1))
            context.insert(club)
            context.insert(sponsor)
            try context.save()
            let store = try store(container)
            let token = try #require(try store.currentHistoryToken())
            club.sponsors = [sponsor]
            try context.save()
            _ = try store.currentHistoryToken()
            // As a retention rule for values does.
            _ = try PostgresCluster.shared.get().psql(
                """
                UPDATE \(configuration.schemaName ?? "").chronicle_change \
                SET preserved = NULL, old_values = NULL, new_values = NULL WHERE kind = 'u'
                """)
            let past = try past(store, token)
            let sql = #"SELECT * FROM "Club.sponsors""#
            let error = #expect(throws: SwiftDataError.self) { try past.query(sql) { _ in } }
            #expect(error == .historyValueMissing && ["sponsors", "clubs"].contains(error?.propertyName))
            #expect(try lines(past, sql, replacesUnknownValues: true) == [])
            #expect(try lines(past, #"SELECT code FROM "Club""#) == ["c"])
            #expect(
                try lines(store, #"SELECT DISTINCT attribute FROM "Club_history" WHERE unknown"#) == ["sponsors"])
        }

        @Test func purgedTransactionsAreAbsent() throws {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            let context = fixture.context()
            let account = Account("a")
            context.insert(account)
            try context.save()
            let token = try fixture.token
            for name in ["b", "c"] {
                account.name = name
                try context.save()
            }
            try context.deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
            let store = try store(fixture.container)
            #expect(
                try sorted(store, #"SELECT "from" IS NULL, name FROM "Account_revisions""#) == ["0, b", "0, c", "1, a"])
            #expect(
                try lines(store, #"SELECT operation, value FROM "Account_history""#) == ["update, b", "update, c"])
            #expect(throws: SwiftDataError.historyTokenExpired) {
                try fixture.context().deleteHistory(.before(fixture.token))
                _ = try self.past(store, token)
            }
        }

        /// Rows that were deleted before an attribute was added have its default value.
        @Test func attributesThatWereAdded() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let old = ModelContext(
                try ModelContainer(for: Schema([LaterAttributesV1.Item.self]), configurations: [configuration]))
            let item = LaterAttributesV1.Item("a")
            old.insert(item)
            try old.save()
            old.delete(item)
            try old.save()
            let container = try ModelContainer(
                for: Schema([LaterAttributesV2.Item.self]), configurations: [configuration])
            #expect(
                try lines(store(container), #"SELECT "from", "to", name, extra, count, unknown FROM "Item_revisions""#)
                    == ["1, 2, a, x, NULL, NULL"])
        }

        // MARK: Statements

        @Test func valuesHaveTheirTypes() throws {
            let store = try store(HistoryFixture().container)
            var rows: [[PropertyValue]] = []
            var names: [String] = []
            try store.query(
                #"""
                SELECT TRUE AS a, 1::smallint, 2::int AS b, 3::bigint, 1.5::real, 'NaN'::float8, 'x'::varchar, '\xff00'::bytea,
                ''::bytea, 1.50 AS c, DATE '2026-01-02', '2026-01-02 03:04:05+01'::timestamptz, ARRAY[1, 2], NULL, '' -- end
                """#, columns: { names = $0 }, row: { rows.append($0) })
            #expect(names.prefix(3) == ["a", "int2", "b"])
            let row = try #require(rows.first)
            #expect(row[..<5] == [.integer(1), .integer(1), .integer(2), .integer(3), .real(1.5)])
            if case .real(let real) = row[5] { #expect(real.isNaN) } else { Issue.record("\(row[5])") }
            #expect(
                row[6...] == [
                    .text("x"), .blob(Data([255, 0])), .blob(Data()), .text("1.50"), .text("2026-01-02"),
                    .text("2026-01-02 02:04:05+00"), .text("{1,2}"), .null, .text(""),
                ])
        }

        @Test func allFormsOfQueries() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a", "b")
            let store = try store(fixture.container)
            #expect(try lines(store, "VALUES (1, 'x'), (2, 'y')") == ["1, x", "2, y"])
            #expect(
                try lines(store, "WITH n AS (SELECT name FROM \"Account\") SELECT * FROM n ORDER BY 1;") == ["a", "b"])
            #expect(try lines(store, "TABLE \"Account\"").count == 2)
            #expect(try lines(store, #"SELECT name FROM U&"\0041ccount" ORDER BY name"#) == ["a", "b"])
            for explain in ["EXPLAIN", " explain (analyze, timing off)"] {
                #expect(try lines(store, "\(explain) SELECT * FROM \"Account\"").contains { $0.contains("Scan") })
            }
            var count: Int64 = 0
            try store.query("SELECT n FROM generate_series(1, 2500) AS s(n) ORDER BY n") { row in
                count += 1
                #expect(row == [.integer(count)])
            }
            #expect(count == 2_500)
            var names: [String] = []
            try store.query("SELECT name FROM \"Account\" WHERE FALSE", columns: { names = $0 }, row: { _ in })
            #expect(names == ["name"])
        }

        @Test(
            arguments: [
                #"DELETE FROM §."Account""#, #"INSERT INTO "Account"(name) VALUES ('x')"#,
                #"WITH d AS (DELETE FROM §."Account" RETURNING 1) SELECT * FROM d"#, "SELECT 1; SELECT 2",
                #"SELECT 1; DELETE FROM §."Account""#, "COMMIT", "BEGIN", "CREATE TEMP TABLE t(a int)",
                #"DROP VIEW "Account""#, #"SELECT * INTO t FROM "Account""#, "SELECT nextval('§.chronicle_change_id')",
                "SELECT set_config('transaction_read_only', 'off', FALSE)", #"SELECT * FROM §."Account" FOR UPDATE"#,
                #"COPY "Account" TO PROGRAM 'cat'"#, "DO $$BEGIN END$$", "SET search_path = §", "VACUUM", "LISTEN x",
                #"EXPLAIN ANALYZE DELETE FROM §."Account""#, "EXPLAIN SELECT 1; SELECT 2", "SELECT * FROM Account",
                "SELECT nme FROM \"Account\"", "", "/* EXPLAIN */", "SELECT 1/0", "SELECT '\u{0}'", "FETCH 1 FROM x",
                #"SELECT * FROM "Account" WHERE name = $1"#, "EXPLAIN SELECT $1::int", "SELECT nosuch.f(1)",
            ], [false, true])
        func queriesOnlyRead(_ sql: String, isPast: Bool) throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let present = try store(fixture.container)
            let token = try fixture.token
            try fixture.add("b")
            _ = try present.currentHistoryToken()
            let store = isPast ? try past(present, token) : present
            let rows =
                #"SELECT string_agg(a::text, ';') FROM "Account" AS a; SELECT count(*), max(id) FROM chronicle_change; "#
                + "SELECT * FROM chronicle_history; SELECT relname FROM pg_class WHERE relname IN ('t', 'x')"
            let before = try fixture.psql(rows)
            let error = #expect(throws: SwiftDataError.self) {
                try store.query(sql.replacing("§", with: fixture.schema)) { _ in }
            }
            #expect(error == .unsupportedFeature, "\(String(describing: error))")
            #expect(try fixture.psql(rows) == before)
            #expect(
                try lines(store, #"SELECT name FROM "Account" ORDER BY 1"#) == (isPast ? ["a"] : ["a", "b"]))
        }

        @Test func anErrorOfAClosureEndsTheQuery() throws {
            struct Enough: Error {}
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let store = try store(fixture.container)
            #expect(throws: Enough.self) { try store.query(#"SELECT * FROM "Account""#) { _ in throw Enough() } }
            #expect(throws: Enough.self) {
                try store.query("SELECT 1", columns: { _ in throw Enough() }, row: { _ in })
            }
            #expect(try lines(store, #"SELECT name FROM "Account""#) == ["a"])
        }

        // MARK: Roles

        /// A role needs no privileges but to read, and to create temporary tables.
        @Test func aRoleThatReads() throws {
            let cluster = try PostgresCluster.shared.get()
            let database = try cluster.makeDatabase()
            let owner = PostgresConfiguration(
                cluster.connectionString(database: database), schemaName: "trips", preservesValues: true)
            let context = ModelContext(try HistoryFixture.open(owner))
            let account = Account("a")
            context.insert(account)
            try context.save()
            let token: DefaultHistoryToken = try context.currentHistoryToken()
            account.name = "b"
            try context.save()
            let role = "reader_\(database)"
            try cluster.psql(
                """
                REVOKE TEMPORARY ON DATABASE \(database) FROM PUBLIC; CREATE ROLE \(role) LOGIN; \
                GRANT USAGE ON SCHEMA trips TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA trips TO \(role)
                """, database: database)
            var configuration = owner
            configuration.connectionString = cluster.connectionString(database: database, user: role)
            configuration.allowsSave = false
            let store = try store(HistoryFixture.open(configuration))
            let past = try past(store, token)
            for store in [store, past] {
                let error = #expect(throws: SwiftDataError.self) { try store.query("SELECT 1") { _ in } }
                #expect(error == .storeReadOnly)
                #expect(
                    error?.detail?.contains("GRANT TEMPORARY ON DATABASE \(database) TO \(role)") == true,
                    "\(String(describing: error))")
            }
            try cluster.psql("GRANT TEMPORARY ON DATABASE \(database) TO \(role)", database: database)
            #expect(try lines(store, #"SELECT name FROM "Account""#) == ["b"])
            #expect(try lines(past, #"SELECT name FROM "Account""#) == ["a"])
            #expect(try lines(store, #"SELECT count(*) FROM "Account_revisions""#) == ["2"])
            for sql in ["SELECT pg_read_file('PG_VERSION')", #"SELECT * FROM pg_authid"#] {
                let error = #expect(throws: SwiftDataError.self) { try store.query(sql) { _ in } }
                #expect(error == .unsupportedFeature && error?.detail?.contains("permission denied") == true)
            }
        }
    }

    /// Values of queries as texts.
    enum QueryText {
        static func text(_ value: PropertyValue) -> String {
            switch value {
            case .integer(let integer): "\(integer)"
            case .real(let real): "\(real)"
            case .text(let text): text
            case .blob(let data): data.base64EncodedString()
            case .null, .reference, .references: "NULL"
            }
        }

        static func text(_ value: (any Sendable)?) -> String { value.map { "\($0)" } ?? "NULL" }
    }
#endif

#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Ways in which rows change without firing the triggers of the statement's table. Each change is recorded once.
    @Suite("PostgreSQL replicated and inherited rows", .requiresPostgres) struct ReplicationTests {
        private static let insert = #"INSERT INTO "Account"(name, balance, rate) VALUES ('a', 1, 0.5), ('b', 2, NULL)"#

        /// The statements of a writer, and the changes that they record.
        static let statements: [(String, [String])] = [
            (insert, ["insert Account/1", "insert Account/2"]),
            (#"UPDATE "Account" SET balance = balance + 1"#, ["update Account/1 balance", "update Account/2 balance"]),
            (#"UPDATE "Account" SET balance = balance"#, []),
            (
                #"INSERT INTO "Account"(name, balance) VALUES ('a', 7), ('c', 8) "#
                    + #"ON CONFLICT (name) DO UPDATE SET balance = excluded.balance"#,
                ["update Account/1 balance", "insert Account/4"]
            ),
            (#"UPDATE "Account" SET _rowid_ = 9 WHERE name = 'b'"#, ["delete Account/2", "insert Account/9"]),
            (
                #"COPY "Account"(name, balance) FROM PROGRAM 'seq -f "%g,1" 2' WITH (FORMAT csv)"#,
                ["insert Account/5", "insert Account/6"]
            ),
            (#"DELETE FROM "Account" WHERE name = 'a'"#, ["delete Account/1"]),
            (
                #"TRUNCATE "Account" CASCADE"#,
                ["delete Account/4", "delete Account/5", "delete Account/6", "delete Account/9"]
            ),
        ]

        private func expectStatements(_ fixture: HistoryFixture, _ prefix: String) throws {
            var token = try fixture.token
            for (statement, expected) in Self.statements {
                try fixture.psql("\(prefix); \(statement)")
                let found = try fixture.transactions(after: token)
                #expect(found.count == (expected.isEmpty ? 0 : 1), "\(statement)")
                #expect(found.flatMap(\.changes).map(\.line).sorted() == expected.sorted(), "\(statement)")
                token = try fixture.token
            }
        }

        @Test(arguments: ["origin", "local", "replica"]) func roleOfTheSession(_ role: String) throws {
            try expectStatements(try HistoryFixture(), "SET session_replication_role = \(role)")
        }

        /// A subscription copies the rows of a table, and then applies changes, without firing triggers of statements.
        @Test func aSubscriptionIsRecorded() throws {
            let cluster = try PostgresCluster(["wal_level": "logical"])
            defer { try? cluster.remove() }  // Its guardian removes it otherwise.
            let (source, destination) = (try cluster.makeDatabase(), try cluster.makeDatabase())
            let fixture = try HistoryFixture(
                PostgresConfiguration(
                    cluster.connectionString(database: destination), schemaName: "s", preservesValues: true), cluster)
            try cluster.psql(
                """
                CREATE SCHEMA s;
                CREATE TABLE s."Account"(_rowid_ bigint PRIMARY KEY, name text, balance bigint, rate double precision, \
                photo bytea, note text);
                CREATE TABLE s."Entry"(_rowid_ bigint PRIMARY KEY, amount bigint, account bigint);
                INSERT INTO s."Account"(_rowid_, name, balance) SELECT n, 'copied ' || n, n FROM generate_series(1, 3) AS n;
                CREATE PUBLICATION p FOR TABLE s."Account", s."Entry"
                """, database: source)
            try cluster.psql("SELECT pg_create_logical_replication_slot('chronicle', 'pgoutput')", database: source)
            try cluster.psql(
                """
                CREATE SUBSCRIPTION chronicle CONNECTION '\(cluster.connectionString(database: source))' PUBLICATION p \
                WITH (create_slot = false, slot_name = 'chronicle')
                """, database: destination)
            func wait(for transactions: Int) throws -> [DefaultHistoryTransaction] {
                // The server does not report the progress of a subscription to its clients.
                let end = ContinuousClock.now + .seconds(60)
                while true {
                    let found = try fixture.transactions()
                    if found.count >= transactions || ContinuousClock.now > end { return found }
                    Thread.sleep(forTimeInterval: 0.05)
                }
            }
            #expect(try wait(for: 1).map { $0.changes.count } == [3])
            for statement in [
                #"INSERT INTO s."Account"(_rowid_, name, balance) VALUES (10, 'x', 1), (11, 'y', 2)"#,
                #"UPDATE s."Account" SET balance = balance + 1 WHERE _rowid_ >= 10"#,
                #"DELETE FROM s."Account" WHERE _rowid_ = 11"#, #"INSERT INTO s."Entry" VALUES (1, 5), (2, 6)"#,
                #"TRUNCATE s."Entry""#,
            ] { try cluster.psql(statement, database: source) }
            let lines = try wait(for: 6).dropFirst().map { $0.changes.map(\.line) }
            #expect(
                Array(lines) == [
                    ["insert Account/10", "insert Account/11"],
                    ["update Account/10 balance", "update Account/11 balance"],
                    ["delete Account/11"], ["insert Entry/1", "insert Entry/2"], ["delete Entry/1", "delete Entry/2"],
                ])
            // The triggers are those that the store created.
            let again = try HistoryFixture(fixture.configuration, cluster)
            #expect(try again.transactions(after: try #require(fixture.transactions().first).token).count == 5)
            try cluster.psql("ALTER SUBSCRIPTION chronicle DISABLE", database: destination)
            try cluster.psql("ALTER SUBSCRIPTION chronicle SET (slot_name = NONE)", database: destination)
            try cluster.psql("DROP SUBSCRIPTION chronicle", database: destination)
        }

        /// Replaces the table of the entries by one with partitions, which has the same triggers after the next opening.
        private func partitioned() throws -> HistoryFixture {
            let fixture = try HistoryFixture { $0.preservesValues = true }
            try fixture.psql(
                """
                CREATE SCHEMA \(fixture.schema)_parts;
                DROP TABLE "Entry";
                CREATE TABLE "Entry"(_rowid_ bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, amount bigint NOT NULL \
                DEFAULT 0, account bigint) PARTITION BY RANGE (_rowid_);
                CREATE TABLE part1 PARTITION OF "Entry" FOR VALUES FROM (0) TO (100);
                CREATE TABLE \(fixture.schema)_parts.part2 PARTITION OF "Entry" FOR VALUES FROM (100) TO (200)
                """)
            return try HistoryFixture(fixture.configuration, fixture.cluster)
        }

        @Test(arguments: ["origin", "replica"]) func partitionsAreRecordedOnce(_ role: String) throws {
            let fixture = try partitioned()
            var token = try fixture.token
            func expect(_ statement: String, _ lines: [String]) throws {
                try fixture.psql("SET session_replication_role = \(role); \(statement)")
                let found = try fixture.transactions(after: token)
                #expect(found.flatMap(\.changes).map(\.line).sorted() == lines.sorted(), "\(statement)")
                token = try fixture.token
            }
            let second = "\(fixture.schema)_parts.part2"
            try expect(
                #"INSERT INTO "Entry"(_rowid_, amount) VALUES (1, 1), (101, 2)"#,
                ["insert Entry/1", "insert Entry/101"])
            try expect("INSERT INTO part1(_rowid_, amount) VALUES (2, 1)", ["insert Entry/2"])
            try expect("INSERT INTO \(second)(_rowid_, amount) VALUES (102, 1)", ["insert Entry/102"])
            try expect("UPDATE \(second) SET amount = 9", ["update Entry/101 amount", "update Entry/102 amount"])
            try expect(
                #"UPDATE "Entry" SET amount = 8 WHERE amount = 9"#,
                [
                    "update Entry/101 amount", "update Entry/102 amount",
                ])
            try expect(#"UPDATE "Entry" SET _rowid_ = 150 WHERE _rowid_ = 2"#, ["delete Entry/2", "insert Entry/150"])
            try expect("DELETE FROM part1", ["delete Entry/1"])
            try expect("INSERT INTO part1(_rowid_, amount) VALUES (3, 1)", ["insert Entry/3"])
            try expect("TRUNCATE \(second)", ["delete Entry/101", "delete Entry/102", "delete Entry/150"])
            // A partition that is added while the store is open.
            try fixture.psql(#"CREATE TABLE part3 PARTITION OF "Entry" FOR VALUES FROM (200) TO (300)"#)
            try expect(
                #"INSERT INTO "Entry"(_rowid_, amount) VALUES (201, 1); INSERT INTO part3(_rowid_) VALUES (202)"#,
                ["insert Entry/201", "insert Entry/202"])
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(try again.transactions(after: token).isEmpty)
            try expect(#"TRUNCATE "Entry""#, ["delete Entry/3", "delete Entry/201", "delete Entry/202"])
        }

        @Test func newPartitionsAreTruncatedBeforeTheNextOpening() throws {
            let fixture = try partitioned()
            try fixture.psql(
                """
                CREATE TABLE part3 PARTITION OF "Entry" FOR VALUES FROM (200) TO (300);
                INSERT INTO "Entry"(_rowid_) VALUES (1), (201)
                """)
            let token = try fixture.token
            try fixture.psql(#"TRUNCATE "Entry""#)
            let lines = try fixture.transactions(after: token).flatMap(\.changes).map(\.line)
            #expect(lines.sorted() == ["delete Entry/1", "delete Entry/201"])
        }

        @Test func tablesThatInheritAreRecorded() throws {
            let fixture = try HistoryFixture()
            try fixture.psql(#"CREATE TABLE special() INHERITS ("Entry")"#)
            let open = try HistoryFixture(fixture.configuration, fixture.cluster)
            let token = try open.token
            try open.psql(
                """
                INSERT INTO special(_rowid_, amount) VALUES (50, 1); INSERT INTO "Entry"(_rowid_, amount) VALUES (51, 1);
                UPDATE "Entry" SET amount = 2
                """)
            let lines = try open.transactions(after: token).flatMap(\.changes).map(\.line)
            #expect(
                lines.sorted() == [
                    "insert Entry/50", "insert Entry/51", "update Entry/50 amount", "update Entry/51 amount",
                ])
        }

        /// What is written to a table before the store has found that it inherits from a model's table is missing.
        @Test func rowsOfANewInheritingTableAreAGap() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let token = try fixture.token
            try fixture.psql(#"CREATE TABLE special() INHERITS ("Entry")"#)
            #expect(try HistoryFixture(fixture.configuration, fixture.cluster).transactions(after: token).isEmpty)
            try fixture.psql(
                #"CREATE TABLE other() INHERITS ("Entry"); INSERT INTO other(_rowid_, amount) VALUES (50, 1)"#)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
            let resumed = try again.token
            #expect(try HistoryFixture(fixture.configuration, fixture.cluster).transactions(after: resumed).isEmpty)
            try fixture.psql("DROP TABLE other")
            #expect(throws: SwiftDataError.historyTokenGap) {
                try HistoryFixture(fixture.configuration, fixture.cluster).transactions(after: resumed)
            }
        }

        /// A table whose values were converted has other values, which no trigger records.
        @Test func aRewrittenTableIsAGap() throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let token = try fixture.token
            // Another definition without other values, and another file with the same values.
            try fixture.psql(#"ALTER TABLE "Account" ALTER COLUMN note SET STATISTICS 200"#)
            _ = try HistoryFixture(fixture.configuration, fixture.cluster)
            try fixture.cluster.psql("VACUUM FULL \(fixture.schema).\"Account\"")
            try fixture.psql(#"CREATE INDEX other ON "Account"(balance)"#)
            let first = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(try first.transactions(after: token).isEmpty)
            try fixture.psql(#"ALTER TABLE "Account" ALTER COLUMN balance TYPE bigint USING balance + 1"#)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
            let resumed = try again.token
            #expect(try HistoryFixture(fixture.configuration, fixture.cluster).transactions(after: resumed).isEmpty)
        }

        /// A partition whose trigger was disabled, or is not enabled in all sessions, did not record changes.
        @Test(
            arguments: ["part1", "second"],
            [
                "DISABLE TRIGGER chronicle_row", "DISABLE TRIGGER ALL", "DISABLE TRIGGER ALL, ENABLE TRIGGER ALL",
            ])
        func disabledTriggersOfPartitionsAreAGap(_ partition: String, _ change: String) throws {
            let fixture = try partitioned()
            let table = partition == "second" ? "\(fixture.schema)_parts.part2" : partition
            try fixture.add("a")
            let token = try fixture.token
            try fixture.psql("ALTER TABLE \(table) \(change)")
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
            let resumed = try again.token
            for role in ["origin", "replica"] {
                let row = (partition == "second" ? 100 : 1) + (role == "origin" ? 0 : 1)
                try again.psql("SET session_replication_role = \(role); INSERT INTO \(table)(_rowid_) VALUES (\(row))")
            }
            #expect(try again.transactions(after: resumed).count == 2)
            // The next opening changes nothing.
            let third = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(try third.transactions(after: resumed).count == 2)
        }

        /// A truncate trigger of a partition in another schema.
        @Test func disabledTriggersInOtherSchemasAreAGap() throws {
            let fixture = try partitioned()
            let token = try fixture.token
            try fixture.psql("ALTER TABLE \(fixture.schema)_parts.part2 DISABLE TRIGGER chronicle_truncate")
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
        }

        /// No trigger records rows that appear or disappear with a partition.
        @Test(arguments: [
            """
            CREATE TABLE part3(LIKE "Entry" INCLUDING ALL); INSERT INTO part3(_rowid_, amount) VALUES (201, 1);
            ALTER TABLE "Entry" ATTACH PARTITION part3 FOR VALUES FROM (200) TO (300)
            """,
            """
            BEGIN; CREATE TABLE part3(LIKE "Entry" INCLUDING ALL); INSERT INTO part3(_rowid_, amount) VALUES (201, 1);
            ALTER TABLE "Entry" ATTACH PARTITION part3 FOR VALUES FROM (200) TO (300); COMMIT
            """,
            """
            CREATE TABLE group3(LIKE "Entry") PARTITION BY RANGE (_rowid_);
            CREATE TABLE part3 PARTITION OF group3 FOR VALUES FROM (200) TO (300);
            INSERT INTO group3(_rowid_, amount) VALUES (201, 1);
            ALTER TABLE "Entry" ATTACH PARTITION group3 FOR VALUES FROM (200) TO (300)
            """,
            #"ALTER TABLE "Entry" DETACH PARTITION part1"#, "DROP TABLE part1", "DROP TABLE §_parts.part2",
            """
            ALTER TABLE "Entry" DETACH PARTITION part1; UPDATE part1 SET amount = 2;
            ALTER TABLE "Entry" ATTACH PARTITION part1 FOR VALUES FROM (0) TO (100)
            """,
            """
            ALTER TABLE "Entry" DETACH PARTITION §_parts.part2; DELETE FROM §_parts.part2;
            ALTER TABLE "Entry" ATTACH PARTITION §_parts.part2 FOR VALUES FROM (100) TO (200)
            """,
        ])
        func rowsOfOtherPartitionsAreAGap(_ change: String) throws {
            let fixture = try partitioned()
            try fixture.psql(#"INSERT INTO "Entry"(_rowid_, amount) VALUES (1, 1), (101, 1)"#)
            let token = try fixture.token
            #expect(try fixture.problems() == [])
            try fixture.psql(change.replacing("§", with: fixture.schema))
            #expect(try fixture.problems().contains { $0.contains("rows were replaced without firing triggers") })
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            #expect(throws: SwiftDataError.historyTokenGap) { try again.transactions(after: token) }
            #expect(try again.problems() == [])
            let resumed = try again.token
            try again.psql(#"UPDATE "Entry" SET amount = amount + 1"#)
            let third = try HistoryFixture(fixture.configuration, fixture.cluster)
            let updated = try third.transactions(after: resumed).flatMap(\.changes).count
            #expect(try third.psql(#"SELECT count(*) FROM "Entry""#) == "\(updated)")
        }

        /// A partition without rows, and one that the program creates as such, have nothing that is not recorded.
        @Test func emptyPartitionsAreNoGap() throws {
            let fixture = try partitioned()
            let token = try fixture.token
            try fixture.psql(
                """
                CREATE TABLE part3(LIKE "Entry" INCLUDING ALL);
                ALTER TABLE "Entry" ATTACH PARTITION part3 FOR VALUES FROM (200) TO (300);
                CREATE TABLE group4 PARTITION OF "Entry" FOR VALUES FROM (300) TO (500) PARTITION BY RANGE (_rowid_);
                CREATE TABLE part4 PARTITION OF group4 FOR VALUES FROM (300) TO (400);
                INSERT INTO "Entry"(_rowid_) VALUES (301)
                """)
            let again = try HistoryFixture(fixture.configuration, fixture.cluster)
            try again.psql(
                """
                CREATE TABLE part5 PARTITION OF group4 FOR VALUES FROM (400) TO (500);
                INSERT INTO "Entry"(_rowid_) VALUES (201), (401)
                """)
            let third = try HistoryFixture(fixture.configuration, fixture.cluster)
            let lines = try third.transactions(after: token).flatMap(\.changes).map(\.line)
            #expect(lines == ["insert Entry/301", "insert Entry/201", "insert Entry/401"])
            #expect(try third.problems() == [])
        }

        /// The store does not know a partition that is dropped before its next opening. `verify` finds the rows that are missing.
        @Test func aPartitionThatIsDroppedBeforeTheNextOpeningIsFound() throws {
            let fixture = try partitioned()
            try fixture.psql(
                """
                CREATE TABLE part3 PARTITION OF "Entry" FOR VALUES FROM (200) TO (300);
                INSERT INTO "Entry"(_rowid_) VALUES (201)
                """)
            try fixture.psql("DROP TABLE part3")
            #expect(
                try fixture.problems() == ["Entry 201 the row does not exist, but its latest change is no delete"])
        }

        /// Partitions that are added to another schema while the store is open, also the first one of a table.
        @Test(arguments: [true, false]) func newPartitionsInOtherSchemasAreRecorded(isFirst: Bool) throws {
            let fixture = try HistoryFixture()
            try fixture.psql(
                """
                CREATE SCHEMA \(fixture.schema)_parts; DROP TABLE "Entry";
                CREATE TABLE "Entry"(_rowid_ bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, amount bigint NOT NULL \
                DEFAULT 0, account bigint) PARTITION BY RANGE (_rowid_);
                \(isFirst ? "" : "CREATE TABLE part1 PARTITION OF \"Entry\" FOR VALUES FROM (0) TO (100);")
                """)
            let open = try HistoryFixture(fixture.configuration, fixture.cluster)
            let token = try open.token
            try open.psql(
                """
                CREATE TABLE \(fixture.schema)_parts.part2 PARTITION OF "Entry" FOR VALUES FROM (100) TO (200);
                INSERT INTO "Entry"(_rowid_) VALUES (101); INSERT INTO \(fixture.schema)_parts.part2(_rowid_) VALUES (102);
                UPDATE "Entry" SET amount = 2; DELETE FROM \(fixture.schema)_parts.part2 WHERE _rowid_ = 101
                """)
            #expect(
                try open.transactions(after: token).flatMap(\.changes).map(\.line) == [
                    "insert Entry/101", "insert Entry/102", "update Entry/101 amount", "update Entry/102 amount",
                    "delete Entry/101",
                ])
            // The schema of the store has another name, and its name belongs to another store.
            try open.cluster.psql("ALTER SCHEMA \(open.schema) RENAME TO \(open.schema)_new")
            _ = try HistoryFixture.open(open.configuration)
            let error = #expect(throws: Shell.Failure.self) {
                try open.cluster.psql("INSERT INTO \(open.schema)_parts.part2(_rowid_) VALUES (103)")
            }
            #expect("\(error.map(String.init(describing:)) ?? "")".contains("the schema of the store was renamed"))
        }
    }
#endif

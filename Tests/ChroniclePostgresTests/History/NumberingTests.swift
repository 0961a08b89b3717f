#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL numbering", .requiresPostgres) struct NumberingTests {
        /// Inserts entries in as many transactions.
        private func addPending(_ count: Int, _ session: PsqlSession) throws {
            try session.run(
                """
                DO $$ BEGIN FOR n IN 1..\(count) LOOP INSERT INTO "Entry"(amount) VALUES (n); COMMIT; END LOOP; END $$;
                """)
        }

        @Test func aBacklogIsNumberedInSteps() throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            try addPending(3_500, session)
            var (newest, steps) = (0, 0)
            while true {
                let result = try fixture.psql("SELECT newest, is_complete FROM chronicle_number_next()")
                    .split(separator: "|")
                let position = try #require(result.first.flatMap { Int($0) })
                steps += 1
                #expect(position > newest && position <= newest + 1_500)
                newest = position
                if result.last == "t" { break }
            }
            #expect(newest == 3_500 && steps >= 3)
            let amounts = try fixture.transactions().flatMap(\.changes).map(\.line)
            #expect(amounts == (1...3_500).map { "insert Entry/\($0)" })
        }

        /// A limit that ends the numbering of the whole backlog does not prevent progress.
        @Test func aLimitForStatementsDoesNotPreventProgress() throws {
            let fixture = try HistoryFixture { $0.statementTimeout = .milliseconds(1_000) }
            let session = try PsqlSession(fixture)
            try addPending(20_000, session)
            var pending = 20_000
            for _ in 0..<40 where pending > 0 {
                do { _ = try fixture.token } catch SwiftDataError.storeBusy {}
                let rest = try Int(fixture.psql("SELECT count(*) FROM chronicle_pending")) ?? -1
                #expect(rest < pending)
                pending = rest
            }
            #expect(try fixture.token.tokenValue?.values.first == 20_000)
        }

        /// Long transactions begin before a backlog and end after it, or between. Their changes of rows that others change
        /// show the order.
        @Test func stepsKeepTheOrderOfDependentTransactions() throws {
            let fixture = try HistoryFixture()
            var random = TestSeed.generator(1)
            try fixture.psql(
                #"INSERT INTO "Account"(name, balance) SELECT 'a' || n, 0 FROM generate_series(1, 5) AS n"#)
            let start = try fixture.token
            let long = try (0..<4).map { _ in try PsqlSession(fixture) }
            let short = try PsqlSession(fixture)
            var open: Set<Int> = []
            for _ in 0..<40 {
                let index = Int.random(in: 0..<long.count, using: &random)
                if open.contains(index) {
                    // Each account belongs to the transactions of one session, and to the short ones between them.
                    try long[index].run(
                        #"UPDATE "Account" SET balance = balance + 1 WHERE name = 'a\#(index)'; COMMIT;"#)
                    open.remove(index)
                } else {
                    try long[index].run(#"BEGIN; INSERT INTO "Entry"(amount) VALUES (-1);"#)
                    open.insert(index)
                }
                try short.run(
                    """
                    DO $$ BEGIN FOR n IN 1..\(Int.random(in: 1...200, using: &random)) LOOP
                    UPDATE "Account" SET balance = balance + 1 WHERE name = 'a' || (n % 5 + 1); COMMIT;
                    END LOOP; END $$;
                    """)
            }
            for index in open { try long[index].run("COMMIT;") }
            let pending = try Int(fixture.psql("SELECT count(*) FROM chronicle_pending")) ?? 0
            #expect(pending > 1_500, "\(TestSeed.description)")
            var balances: [PersistentIdentifier: Int] = [:]
            for change in try fixture.transactions(after: start).flatMap(\.changes) {
                guard case .update(let update as DefaultHistoryUpdate<Account>) = change else { continue }
                let model = change.changedPersistentIdentifier
                #expect(update.value(\.balance) == balances[model, default: 0] + 1, "\(TestSeed.description)")
                balances[model] = update.value(\.balance)
            }
            #expect(!balances.isEmpty)
            for session in long + [short] { try session.end() }
        }

        /// A program that only reads, by the defaults of its role or database, sees the whole history.
        @Test(arguments: [true, false]) func readOnlySessionsReadEverything(allowsSave: Bool) throws {
            let fixture = try HistoryFixture()
            try fixture.add("a")
            let role = "reader_\(fixture.schema)"
            try fixture.psql(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fixture.schema) TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA \(fixture.schema) TO \(role);
                ALTER ROLE \(role) SET default_transaction_read_only = on
                """)
            var configuration = fixture.configuration
            configuration.connectionString = fixture.cluster.connectionString(user: role)
            configuration.allowsSave = allowsSave
            let reader = try HistoryFixture(configuration, fixture.cluster)
            for name in ["b", "c"] {
                try fixture.psql("INSERT INTO \"Account\"(name, balance) VALUES ('\(name)', 0)")
                #expect(try reader.transactions().count == (name == "b" ? 2 : 3))
            }
            guard allowsSave else { return }
            let error = try #require(throws: SwiftDataError.self) { try reader.add("d") }
            #expect(error == .storeReadOnly)
            #expect(error.detail?.contains("the server is read-only") == true)
        }

        @Test(arguments: ["serializable", "repeatable read", "read committed"])
        func theDefaultIsolationHasNoEffect(_ isolation: String) throws {
            let cluster = try PostgresCluster.shared.get()
            let database = try cluster.makeDatabase()
            try cluster.psql("ALTER DATABASE \(database) SET default_transaction_isolation = '\(isolation)'")
            for usesPooling in [false, true] {
                let fixture = try HistoryFixture(
                    PostgresConfiguration(
                        cluster.connectionString(database: database), schemaName: "s\(usesPooling)",
                        returnsHistoryTokens: true, usesTransactionPooling: usesPooling), cluster)
                try fixture.add("a", "b")
                let context = fixture.context()
                let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
                context.insert(Entry(1, of: account))
                account.balance = 2
                try context.save()
                try context.delete(model: Entry.self)
                #expect(try fixture.transactions().count == 4)
                try context.tag("here")
                let consumer = try fixture.container.historyConsumer(named: "reader", startingNewAt: .beginning)
                let batch = try #require(try consumer.nextBatch())
                try consumer.acknowledge(batch)
                try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
                #expect(try fixture.transactions().isEmpty)
            }
        }

        /// A role that may not read the history cannot keep others from it.
        @Test func aRoleWithoutPrivilegesCannotLockTheHistory() throws {
            let fixture = try HistoryFixture { $0.lockTimeout = .milliseconds(300) }
            let role = "stranger_\(fixture.schema)"
            try fixture.psql("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(fixture.schema) TO \(role)")
            try fixture.psql(#"INSERT INTO "Entry"(amount) VALUES (1)"#)
            for function in ["chronicle_number()", "chronicle_number_next()"] {
                let error = try #require(throws: Shell.Failure.self) {
                    try fixture.psql("SELECT * FROM \(function)", user: role)
                }
                #expect(error.description.contains("permission denied for the history"))
            }
            #expect(throws: Shell.Failure.self) {
                try fixture.psql("SELECT chronicle_description('{}')", user: role)
            }
            #expect(try fixture.transactions().count == 1)
            // A role that may read the history can lock it. Others wait for a limited time.
            try fixture.psql("GRANT SELECT ON ALL TABLES IN SCHEMA \(fixture.schema) TO \(role)")
            try fixture.psql(#"INSERT INTO "Entry"(amount) VALUES (1)"#)
            let session = try PsqlSession(fixture, user: role)
            try session.run("BEGIN; SELECT chronicle_number();")
            try fixture.psql(#"INSERT INTO "Entry"(amount) VALUES (1)"#)
            let error = try #require(throws: SwiftDataError.self) { try fixture.transactions() }
            #expect(error == .storeBusy)
            #expect(error.detail?.contains("another session keeps the history locked") == true)
            try session.end()
            #expect(try fixture.transactions().count == 3)
        }
    }
#endif

#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import ChronicleTesting
    import Dispatch
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Stores behind PgBouncer, which assigns a session of the server to each transaction.
    @Suite(
        "PostgreSQL pooling proxies", .requiresPostgres,
        .enabled("PgBouncer is needed: sudo apt-get install pgbouncer") { PgBouncer.isAvailable })
    struct PoolingTests {
        private let cluster: PostgresCluster
        private let pool: PgBouncer

        init() throws {
            cluster = try PostgresCluster.shared.get()
            pool = try PgBouncer.shared.get()
        }

        private func configuration(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws
            -> PostgresConfiguration
        {
            try .testing { configuration in
                configuration.connectionString = pool.connectionString
                configuration.usesTransactionPooling = true
                change(&configuration)
            }
        }

        @Test func storeConforms() throws {
            let worker = StoreWorker<PostgresConfiguration>(program: programURL("ChronicleConformanceWorker")) {
                "pooled \($0.schemaName ?? "") \($0.connectionString)"
            }
            typealias Rule = StoreRule<PostgresStore>
            // Those for which sessions and transactions matter. All of them take several times as long.
            let some = Rule.batches + Rule.concurrency + Rule.atomicity + Rule.positions + Rule.consumers
            let isComplete = ProcessInfo.processInfo.environment["CHRONICLE_POOLED_RULES"] == "all"
            let rules = isComplete ? Rule.models + Rule.history : some
            let report = checkRules(
                rules, supporting: .all.subtracting(.nulCharacters), fixture: StoreFixture(worker: worker)
            ) { try configuration { $0.returnsHistoryTokens = true } }
            #expect(report.conforms, "\(report)")
        }

        /// The temporary views do not remain in a session of the server.
        @Test func queriesInSQL() throws {
            let fixture = try HistoryFixture(configuration(), cluster)
            try fixture.add("a")
            let token = try fixture.token
            try fixture.add("b")
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let past = try #require(try store.store(asOf: token) as? PostgresStore)
            for _ in 0..<3 {
                for (store, count) in [(store, 2), (past, 1)] {
                    var rows: [[PropertyValue]] = []
                    try store.query(#"SELECT count(*) FROM "Account""#) { rows.append($0) }
                    #expect(rows == [[.integer(Int64(count))]])
                }
                try store.query(#"SELECT * FROM "Account_history""#) { _ in }
            }
            #expect(try cluster.psql("SELECT count(*) FROM pg_class WHERE relname = 'Account_history'").contains("0"))
        }

        /// Sixteen threads with stores in two schemas share eight sessions.
        @Test func sessionsOfTheServerAreShared() throws {
            let fixtures = try (0..<2).map { _ in try HistoryFixture(configuration(), cluster) }
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 16) { thread in
                let context = fixtures[thread % 2].context("\(thread)")
                do {
                    for number in 0..<10 {
                        context.insert(Account("\(thread) \(number)"))
                        try context.save()
                        let all = FetchDescriptor<Account>(predicate: #Predicate { $0.balance == 0 })
                        if try context.fetchCount(all) <= number { throw Shell.Failure(description: "too few models") }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            #expect(failures.withLock(\.self) == [])
            for fixture in fixtures {
                #expect(try fixture.psql(#"SELECT count(*) FROM "Account""#) == "80")
                let authors = try fixture.transactions().map { $0.author ?? "" }
                #expect(
                    Dictionary(grouping: authors) { $0 }.mapValues(\.count).values.sorted()
                        == Array(repeating: 10, count: 8))
            }
        }

        /// Nothing of a transaction remains in the session for its next user.
        @Test func sessionsHaveNoSettingsAndStatementsOfTheStore() throws {
            let own = try PgBouncer(cluster, sessions: 1)
            let fixture = try HistoryFixture(
                configuration {
                    $0.connectionString = own.connectionString
                    $0.statementTimeout = .seconds(60)
                }, cluster)
            try fixture.add("a", "b")
            let other = try Connection(
                ConnectionSettings(connectionString: own.connectionString, usesTransactionPooling: true))
            let found = try other.run(
                """
                SELECT current_setting('search_path'), current_setting('lock_timeout'), \
                current_setting('statement_timeout'), coalesce(current_setting('chronicle.save', TRUE), ''), \
                (SELECT count(*) FROM pg_prepared_statements)::text
                """)
            #expect((0..<5).map { found.text(0, $0) } == [#""$user", public"#, "0", "0", "", "0"])
            try own.stop()
        }

        @Test func commitsOfOtherProgramsAreReported() throws {
            let fixture = try HistoryFixture(configuration(), cluster)
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let called = DispatchSemaphore(value: 0)
            let observation = try store.observeCommits { called.signal() }
            try fixture.psql(#"INSERT INTO "Account"(name, balance) VALUES ('a', 1)"#)
            #expect(called.wait(timeout: .now() + 10) == .success)
            observation.cancel()
        }

        /// Each consumer keeps a session of the proxy for its lock, until it is released.
        @Test func aConsumerIsLocked() throws {
            let fixture = try HistoryFixture(configuration(), cluster)
            try fixture.add("a")
            let direct = try HistoryFixture(
                {
                    var direct = fixture.configuration
                    direct.connectionString = cluster.connectionString()
                    direct.usesTransactionPooling = false
                    return direct
                }(), cluster)
            let other = try direct.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            do {
                let consumer = try fixture.container.historyConsumer(named: "reader", startingNewAt: .beginning)
                let batch = try #require(try consumer.nextBatch())
                // It excludes consumers that are connected to the server directly.
                #expect(throws: SwiftDataError.historyConsumerInUse) { try other.nextBatch() }
                let context = fixture.context()
                context.insert(Account("b"))
                try context.save(acknowledging: batch)
            }
            #expect(try other.nextBatch()?.changes.count == 1)
        }

        @Test func canceledFetchEndsOnTheServer() async throws {
            let configuration = try configuration { $0.lockTimeout = nil }
            let container = try ModelContainer(for: GraphSeat.self, configurations: configuration)
            var direct = configuration.connectionSettings
            direct.connectionString = cluster.connectionString()
            direct.usesTransactionPooling = false
            let blocker = try Connection(direct)
            let table = blocker.table("GraphSeat")
            try blocker.script("BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
            let task = Task {
                _ = #expect(throws: CancellationError.self) {
                    try ModelContext(container).fetch(FetchDescriptor<GraphSeat>())
                }
            }
            try await task.cancel(
                afterRows: "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\(table)'::regclass", blocker)
            await task.value
            try blocker.script("ROLLBACK")
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<GraphSeat>()) == 0)
        }

        /// The error names the option that is missing.
        @Test func theOptionIsMissing() throws {
            let own = try PgBouncer(cluster, sessions: 1)
            let first = try HistoryFixture(
                .testing {
                    $0.connectionString = own.connectionString
                    $0.usesTransactionPooling = true
                }, cluster)
            var configuration = first.configuration
            configuration.usesTransactionPooling = false
            var found: [SwiftDataError] = []
            // Two clients prepare statements with the same names in one session of the server.
            for _ in 0..<2 {
                do {
                    let fixtures = try (0..<2).map { _ in try HistoryFixture(configuration, cluster) }
                    for fixture in fixtures { try fixture.add("\(UUID())") }
                } catch let error as SwiftDataError { found.append(error) }
            }
            #expect(found.contains { $0.detail?.contains("usesTransactionPooling") == true }, "\(found)")
            try own.stop()
        }

        /// With pooling per session, the server process is not the one that the proxy reports to libpq.
        @Test func sessionIsIdentifiedThroughAProxy() throws {
            let sessions = try PgBouncer(cluster, mode: "session")
            let connection = try Connection(ConnectionSettings(connectionString: sessions.connectionString))
            let found = try connection.run("SELECT pg_backend_pid()")
            #expect(connection.session?.process == found.int64(0, 0))
            try sessions.stop()
        }
    }
#endif

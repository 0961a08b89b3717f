#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Stores that are opened on a standby server.
    @Suite("PostgreSQL standby servers", .requiresPostgres, .serialized) struct StandbyTests {
        @Test func everythingCanBeReadAndNothingWritten() async throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            for number in 1...3 { try primary.add(number, author: "a") }
            let consumer = try primary.historyConsumer(named: "search", startingNewAt: .beginning)
            try ModelContext(primary).tag("three")
            try primary.add(4)
            let token = try primary.token

            let logger = TestLogger()
            let standby = try replicas.container(replicas.standby.connectionString()) { $0.logger = logger }
            #expect(logger.entries.contains { $0.event == "standbyOpened" })
            try await standby.waitUntilVisible(token)
            #expect(try standby.numbers == [1, 2, 3, 4])
            #expect(try standby.transactions().map(\.token) == primary.transactions().map(\.token))
            #expect(try standby.token == token)
            #expect(try ModelContext(standby).tags().map(\.name) == ["three"])
            #expect(try standby.historyConsumers().map { "\($0.name) \($0.lag?.transactions ?? 0)" } == ["search 4"])
            #expect(try standby.historyStatistics().map(\.transactions) == [4])

            let isReadOnly = { (error: any Error) in (error as? SwiftDataError) == .storeReadOnly }
            #expect(performing: { try standby.add(5) }, throws: isReadOnly)
            #expect(performing: { try ModelContext(standby).tag("four") }, throws: isReadOnly)
            #expect(performing: { try standby.historyConsumer(named: "new", startingNewAt: .now) }, throws: isReadOnly)
            #expect(
                performing: { try ModelContext(standby).delete(model: GraphSeat.self) }, throws: isReadOnly)
            let error = try #require(throws: SwiftDataError.self) { try standby.add(5) }
            #expect(error.detail?.contains("standby server") == true)
            let store = try #require(standby.stores.first as? PostgresStore)
            let refused = try #require(throws: SwiftDataError.self) { try store.query("SELECT 1") { _ in } }
            #expect(refused == .unsupportedFeature && refused.detail?.contains("primary server") == true)
            withExtendedLifetime(consumer) {}
            try replicas.remove()
        }

        /// The tables cannot be created or changed there.
        @Test func incompleteStoreCannotBeOpened() throws {
            let replicas = try Replicas()
            let string = replicas.standby.connectionString()
            var error = try #require(throws: SwiftDataError.self) {
                try ModelContainer(
                    for: GraphSeat.self, GraphNode.self, GraphOwner.self, Trip.self,
                    configurations: PostgresConfiguration(string, schemaName: "seats"))
            }
            #expect(error == .loadIssueModelContainer && error.detail?.contains("on the primary server") == true)
            for schema in ["public", "other"] {
                error = try #require(throws: SwiftDataError.self) {
                    try ModelContainer(
                        for: Trip.self, configurations: PostgresConfiguration(string, schemaName: schema))
                }
                #expect(error == .loadIssueModelContainer && error.detail?.contains("on the primary server") == true)
            }
            try replicas.remove()
        }

        @Test func pausedStandbyIsBehind() async throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            let standby = try replicas.container(replicas.standby.connectionString())
            try primary.add(1)
            try await standby.waitUntilVisible(try primary.token)
            var status = try standby.postgres.replicationStatus()
            #expect(status.isStandby && status.isReceiving && !status.isPaused && status.pendingTransactionCount == 0)
            #expect(status.newestToken == (try primary.token) && status.newestCommitDate != nil)

            try replicas.standby.psql("SELECT pg_wal_replay_pause()")
            try replicas.wait { try standby.postgres.replicationStatus().isPaused }
            try primary.add(2)
            let token = try primary.token
            let error = try await #require(throws: SwiftDataError.self) {
                try await standby.waitUntilVisible(token, timeout: .milliseconds(100))
            }
            #expect(error == .storeBusy)
            try replicas.wait { try standby.postgres.replicationStatus().unappliedByteCount ?? 0 > 0 }
            #expect(try standby.postgres.replicationStatus().delay ?? .zero > .zero)
            #expect(try standby.numbers == [1])

            try replicas.standby.psql("SELECT pg_wal_replay_resume()")
            try await standby.waitUntilVisible(token)
            #expect(try standby.numbers == [1, 2])
            status = try primary.postgres.replicationStatus()
            #expect(!status.isStandby && !status.isReceiving && status.unappliedByteCount == nil)
            #expect(status.delay == .zero)
            // What the primary server does not have, it never will.
            let identifier = try primary.postgres.identifier
            let ahead = DefaultHistoryToken(storeIdentifier: identifier, position: 99, checkValue: 1)
            await #expect(throws: SwiftDataError.historyTokenAhead) { try await primary.waitUntilVisible(ahead) }
            let other = DefaultHistoryToken(storeIdentifier: "other", position: 1)
            await #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
                try await primary.waitUntilVisible(other)
            }
            try replicas.remove()
        }

        /// Transactions of other programs get their positions from a store that is open on the primary server.
        @Test func positionsAreGivenInTheBackground() throws {
            let replicas = try Replicas()
            let standby = try replicas.container(replicas.standby.connectionString())
            let insert = "INSERT INTO seats.\"GraphSeat\"(number) VALUES "
            let demand = try replicas.container(replicas.primary.connectionString()) { $0.numbering = .onDemand }
            try replicas.primary.psql("\(insert) (1)")
            try replicas.wait { try standby.postgres.replicationStatus().pendingTransactionCount == 1 }
            #expect(try standby.transactions().isEmpty && standby.numbers == [1])
            for numbering in [PostgresConfiguration.Numbering.automatic, .every(.milliseconds(10))] {
                let count = try standby.transactions().count
                let primary = try replicas.container(replicas.primary.connectionString()) { $0.numbering = numbering }
                try replicas.primary.psql("\(insert) (\(count + 10))")
                try replicas.wait("\(numbering)") {
                    try standby.numbers.contains(count + 10)
                        && standby.postgres.replicationStatus().pendingTransactionCount == 0
                        && standby.numbers.count == standby.transactions().count
                }
                withExtendedLifetime(primary) {}
            }
            #expect(try standby.transactions().count == 3)
            withExtendedLifetime(demand) {}
            try replicas.remove()
        }

        /// A standby server has no notifications. After its promotion, it does.
        @Test func observersLookForCommits() throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            let standby = try replicas.container(replicas.standby.connectionString())
            let count = Atomic(0)
            let observation = try standby.postgres.observeCommits { count.wrappingAdd(1, ordering: .relaxed) }
            try primary.add(1)
            _ = try primary.token
            try replicas.wait { count.load(ordering: .relaxed) > 0 }
            #expect(try standby.numbers == [1])
            try replicas.standby.promote()
            let before = count.load(ordering: .relaxed)
            try replicas.container(replicas.standby.connectionString()).add(2)
            try replicas.wait { count.load(ordering: .relaxed) > before }
            try standby.add(3)
            #expect(try standby.numbers == [1, 2, 3])
            observation.cancel()
            try replicas.remove()
        }

        /// The connections of a pool can be to different servers. A connection to the primary server has the transaction, and one to
        /// the standby server may get it, whichever threads use them.
        @Test func roleIsThatOfTheConnection() async throws {
            let replicas = try Replicas()
            try replicas.standby.stop()
            let string = PostgresCluster.connectionString(replicas.standby, replicas.primary)
            let container = try replicas.container(string) {
                $0.connectionLimit = 2
                $0.numbering = .onDemand
            }
            let store = try container.postgres
            try replicas.standby.start()
            try replicas.standby.psql("SELECT pg_wal_replay_pause()")
            try replicas.wait { try replicas.standby.psql("SELECT pg_get_wal_replay_pause_state()") == "paused" }
            let primary = try replicas.container(replicas.primary.connectionString())
            try primary.add(1)
            let token = try primary.token
            // The first connection is to the primary server, and the second one to the standby server.
            let second = try store.pool.use { _ in try store.hasApplied(token) }
            #expect(try !second && store.hasApplied(token))
            let look: @Sendable () throws -> Void = { for _ in 1...300 { _ = try store.hasApplied(token) } }
            try await inThreads([look, look, look])
            try replicas.remove()
        }

        /// Every read returns a prefix of the history, and no token becomes invalid.
        @Test func historyUnderLoad() async throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            let standby = try replicas.container(replicas.standby.connectionString())
            let last = Mutex<DefaultHistoryToken?>(nil)
            let read = Mutex<DefaultHistoryToken?>(nil)
            try await inThreads([
                {
                    for number in 1...300 {
                        if number % 50 == 0 {
                            try replicas.primary.psql("INSERT INTO seats.\"GraphSeat\"(number) VALUES (\(number))")
                        } else {
                            try primary.add(number)
                        }
                        if number % 20 == 0 { _ = try primary.token }
                    }
                    let token = try primary.token
                    last.withLock { $0 = token }
                },
                {
                    var (position, token): (Int64, DefaultHistoryToken?) = (0, nil)
                    while position < 300 {
                        for transaction in try standby.transactions(after: token) {
                            try #require(
                                transaction.transactionIdentifier == position + 1 && transaction.changes.count == 1)
                            (position, token) = (transaction.transactionIdentifier, transaction.token)
                        }
                    }
                    read.withLock { [token] in $0 = token }
                },
            ])
            #expect(last.withLock(\.self) == read.withLock(\.self))
            #expect(try standby.numbers == Array(1...300))
            try replicas.remove()
        }

        /// The standby server cancels a read that needs rows which the primary server has removed.
        @Test func canceledReadIsRepeated() throws {
            let replicas = try Replicas(["max_standby_streaming_delay": "0"])
            let primary = try replicas.container(replicas.primary.connectionString())
            for number in 1...9 { try primary.add(number) }
            _ = try primary.token
            let standby = try replicas.container(replicas.standby.connectionString()).postgres
            try replicas.waitForStandby()
            func read(conflicts: Int) throws -> (count: Int64, attempts: Int) {
                var attempts = 0
                let count = try standby.attributingErrors {
                    try standby.pool.read { connection in
                        attempts += 1
                        let table = connection.table("GraphSeat")
                        return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ") {
                            let count = try $0.run("SELECT count(*) FROM \(table)").int64(0, 0)
                            guard attempts <= conflicts else { return count }
                            // While a statement runs: the standby server ends a session that is idle in a transaction.
                            Thread.detachNewThread {
                                // Without a conflict, the statement does not fail.
                                _ = try? replicas.primary.psql(
                                    "DELETE FROM \(table) WHERE number = (SELECT max(number) FROM \(table))")
                                _ = try? replicas.primary.psql("VACUUM (FREEZE) \(table)")
                            }
                            try $0.run("SELECT pg_sleep(20)")
                            return count
                        }
                    }
                }
                return (count, attempts)
            }
            #expect(try read(conflicts: 0) == (9, 1))
            #expect(try read(conflicts: 1) == (8, 2))
            let error = try #require(throws: SwiftDataError.self) { _ = try read(conflicts: 3) }
            #expect(error == .storeBusy && error.detail?.contains("hot_standby_feedback") == true, "\(error)")
            try replicas.remove()
        }
    }
#endif

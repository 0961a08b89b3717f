#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Standby servers that take over, and those that do not respond.
    @Suite("PostgreSQL failover", .requiresPostgres, .serialized) struct FailoverTests {
        /// What a commit waited for is on the standby server, with its positions.
        @Test func promotionWithoutLoss() async throws {
            let replicas = try Replicas(isSynchronous: true)
            let string = PostgresCluster.connectionString(replicas.primary, replicas.standby, target: "read-write")
            let container = try replicas.container(string)
            for number in 1...3 { try container.add(number) }
            let consumer = try container.historyConsumer(named: "search", startingNewAt: .beginning)
            let token = try container.token
            #expect(try container.transactions().count == 3)
            try container.add(4)

            try replicas.primary.stop(mode: "immediate")
            #expect(throws: SwiftDataError.storeUnavailable) { try container.add(5) }
            try replicas.standby.promote()
            #expect(try container.numbers == [1, 2, 3, 4])
            #expect(try container.transactions(after: token).map(\.transactionIdentifier) == [4])
            try container.add(5)
            #expect(try container.transactions().map(\.transactionIdentifier) == [1, 2, 3, 4, 5])
            #expect(try consumer.nextBatch()?.changes.count == 5)
            try replicas.remove()
        }

        /// Transactions that the standby server did not receive are missing, and their tokens are detected.
        @Test func promotionWithLoss() async throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            try primary.add(1)
            let common = try primary.token
            try replicas.waitForStandby()
            // A standby server whose receiver is stopped gets nothing more.
            try replicas.standby.psql("ALTER SYSTEM SET primary_conninfo = ''")
            try replicas.standby.psql("SELECT pg_reload_conf()")
            try replicas.wait { try replicas.primary.psql("SELECT count(*) FROM pg_stat_replication") == "0" }
            try primary.add(2)
            let consumer = try primary.historyConsumer(named: "search", startingNewAt: .beginning)
            let lost = try primary.token
            let standby = try replicas.container(replicas.standby.connectionString())
            #expect(try !standby.postgres.replicationStatus().isReceiving)
            withExtendedLifetime(consumer) {}

            try replicas.primary.stop(mode: "immediate")
            try replicas.standby.promote()
            #expect(throws: SwiftDataError.historyTokenAhead) { try standby.transactions(after: lost) }
            await #expect(throws: SwiftDataError.historyTokenAhead) { try await standby.waitUntilVisible(lost) }
            try standby.add(3)
            #expect(throws: SwiftDataError.historyTokenForked) { try standby.transactions(after: lost) }
            await #expect(throws: SwiftDataError.historyTokenForked) { try await standby.waitUntilVisible(lost) }
            #expect(try standby.transactions(after: common).count == 1)
            #expect(try standby.numbers == [1, 3])
            try replicas.remove()
        }

        /// A consumer whose position was lost begins again.
        @Test func consumerOfLostTransactionsIsReset() throws {
            let replicas = try Replicas()
            let primary = try replicas.container(replicas.primary.connectionString())
            try primary.add(1)
            // The position in the record is restored from a primary server that had more transactions.
            let consumer = try primary.historyConsumer(named: "search", startingNewAt: .beginning)
            try consumer.acknowledge(try #require(try consumer.nextBatch()))
            try replicas.waitForStandby()
            let record = try replicas.primary.psql("SELECT position FROM seats.chronicle_consumer")
            #expect(record == "1")
            try replicas.primary.stop(mode: "immediate")
            try replicas.standby.promote()
            try replicas.standby.psql(
                "UPDATE seats.chronicle_consumer SET position = 7, check_value = 7 WHERE name = 'search'")
            let standby = try replicas.container(replicas.standby.connectionString())
            let again = try standby.historyConsumer(named: "search", startingNewAt: .beginning)
            let batch = try #require(try again.nextBatch())
            guard case .reset = batch.content else {
                Issue.record("\(batch)")
                return
            }
            try replicas.remove()
        }

        /// Each save of several writers, during whose work the primary server dies, was committed, rolled back, or is unknown.
        @Test func savesDuringAFailover() async throws {
            let replicas = try Replicas(isSynchronous: true)
            let string = PostgresCluster.connectionString(replicas.primary, replicas.standby, target: "read-write")
            enum Outcome { case saved, notSaved, unknown }
            let found = Mutex<[(number: Int, outcome: Outcome)]>([])
            let isPromoted = Mutex(false)
            let end = ContinuousClock.now + .seconds(60)
            func writer(_ number: Int) throws -> @Sendable () throws -> Void {
                let container = try replicas.container(string)
                return {
                    var savesAfterFailover = 0
                    for number in (number * 100_000)... {
                        guard ContinuousClock.now < end else { throw POSIXError(.ETIMEDOUT) }
                        var outcome = Outcome.saved
                        do {
                            try container.add(number)
                            if isPromoted.withLock(\.self) { savesAfterFailover += 1 }
                        } catch SwiftDataError.storeUnavailable {
                            outcome = .notSaved
                        } catch SwiftDataError.saveOutcomeUnknown {
                            outcome = .unknown
                        }
                        found.withLock { [outcome] in $0.append((number, outcome)) }
                        guard savesAfterFailover < 5 else { return }
                    }
                }
            }
            try await inThreads([
                writer(1), writer(2), writer(3),
                {
                    try replicas.wait {
                        try replicas.primary.psql("SELECT count(*) > 100 FROM seats.\"GraphSeat\"") == "t"
                    }
                    try replicas.primary.stop(mode: "immediate")
                    try replicas.standby.promote()
                    isPromoted.withLock { $0 = true }
                },
            ])
            let outcomes = found.withLock(\.self)
            let container = try replicas.container(string)
            let numbers = Set(try container.numbers)
            for (number, outcome) in outcomes {
                switch outcome {
                case .saved: #expect(numbers.contains(number), "\(number) is lost")
                case .notSaved: #expect(!numbers.contains(number), "\(number) is there")
                case .unknown: break
                }
            }
            #expect(try container.transactions().count == numbers.count)
            try replicas.remove()
        }

        /// A standby server that has not been promoted does not tell whether a save was committed, also if it is behind a proxy
        /// that repeats the state of the server to which it was connected before.
        @Test(arguments: [false, true]) func standbyDoesNotDetermineAnOutcome(claimsPrimary: Bool) throws {
            let replicas = try Replicas()
            let proxy = try CuttingProxy(replicas.primary)
            let second = try CuttingProxy(replicas.standby, claimsPrimary: claimsPrimary)
            let hosts = "\(proxy.directory.path),\(second.directory.path)"
            let string = "host=\(hosts) user=\(replicas.primary.user) dbname=postgres"
            let container = try replicas.container(string) { $0.connectionTimeout = .milliseconds(300) }
            let context = ModelContext(container)
            context.insert(GraphSeat(1))
            try context.save()
            try replicas.waitForStandby()
            try replicas.standby.psql("SELECT pg_wal_replay_pause()")
            try replicas.wait { try replicas.standby.psql("SELECT pg_get_wal_replay_pause_state()") == "paused" }
            // The open connection remains.
            try FileManager.default.removeItem(atPath: proxy.directory.path + "/.s.PGSQL.5432")
            proxy.setMode(.cuttingResponse)
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .saveOutcomeUnknown && error.detail?.contains("standby server") == true)
            #expect(try replicas.primary.psql("SELECT count(*) FROM seats.\"GraphSeat\"") == "2")
            #expect(try container.numbers == [1])
            try replicas.remove()
        }

        /// Sessions that only read by default give positions, also if a proxy reports the state from before a promotion.
        @Test func promotedServerBehindAProxyGivesPositions() throws {
            let cluster = try PostgresCluster.shared.get()
            let proxy = try CuttingProxy(cluster, claimsStandby: true)
            let schemaName = try cluster.makeSchema()
            let configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: schemaName, numbering: .onDemand)
            let container = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            try container.add(1)
            let string =
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres "
                + "options='-c default_transaction_read_only=on'"
            let reader = try Connection(ConnectionSettings(connectionString: string, schemaName: schemaName))
            #expect(try reader.numberTransactions() > 0)
        }

        /// The state of a server that a proxy reports is not that of the server behind it.
        @Test func standbyBehindAProxyIsOpened() throws {
            let replicas = try Replicas()
            let proxy = try CuttingProxy(replicas.standby, claimsPrimary: true)
            let logger = TestLogger()
            let container = try replicas.container(
                "host=\(proxy.directory.path) user=\(replicas.primary.user) dbname=postgres"
            ) {
                $0.logger = logger
                $0.commitTimeout = .seconds(5)
            }
            #expect(logger.entries.contains { $0.event == "standbyOpened" })
            #expect(try container.numbers.isEmpty)
            #expect(throws: SwiftDataError.storeReadOnly) { try container.add(1) }
            let observation = try container.postgres.observeCommits {}
            observation.cancel()
            try replicas.remove()
        }
    }
#endif

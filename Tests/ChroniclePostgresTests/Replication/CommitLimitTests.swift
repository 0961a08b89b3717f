#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Commits that wait: for a synchronous standby server that does not respond, or for a server that is paused.
    @Suite("PostgreSQL commits that wait", .requiresPostgres, .serialized) struct CommitLimitTests {
        @Test func synchronousStandbyThatIsDown() throws {
            let replicas = try Replicas(isSynchronous: true)
            let container = try replicas.container(replicas.primary.connectionString()) {
                $0.commitTimeout = .milliseconds(300)
                $0.lockTimeout = .milliseconds(300)
            }
            let author = ModelContext(container)
            try container.add(1)
            let token = try container.token
            try replicas.standby.stop()
            let error = try #require(throws: SwiftDataError.self) { try container.add(2) }
            #expect(error == .saveOutcomeUnknown && error.detail?.contains("synchronous standby server") == true)
            // What needs no commit works.
            #expect(try container.numbers == [1])
            #expect(try container.token == token)
            // The session still waits, and holds what it has written.
            #expect(throws: SwiftDataError.storeBusy) { try container.add(2) }
            // A transaction that does not wait is visible, and reading its position does wait.
            try replicas.primary.psql(
                "SET synchronous_commit = local; INSERT INTO seats.\"GraphSeat\"(number) VALUES (3)")
            for _ in 1...2 {
                let error = try #require(throws: SwiftDataError.self) { try container.transactions() }
                #expect(error == .storeBusy)
            }
            // Whatever else is written, too.
            let tag = try #require(throws: SwiftDataError.self) { try author.tag("down") }
            #expect([.saveOutcomeUnknown, .storeBusy].contains(tag))

            try replicas.standby.start()
            try replicas.wait { (try? container.numbers) == [1, 2, 3] }
            try replicas.wait { (try? container.transactions().count) == 3 }
            try container.add(4)
            #expect(try container.transactions(after: token).count == 3)
            try replicas.remove()
        }

        /// Through a proxy, the session is one of those of the role that logged in, which the role of the store does not see.
        @Test func commitOfAnotherRoleThroughAProxyIsLimited() throws {
            let replicas = try Replicas(isSynchronous: true)
            try replicas.primary.psql("CREATE ROLE app; CREATE SCHEMA app AUTHORIZATION app")
            let container = try replicas.container(replicas.primary.connectionString() + " options='-c role=app'") {
                $0.schemaName = "app"
                $0.numbering = .onDemand
                $0.commitTimeout = .milliseconds(300)
                $0.usesTransactionPooling = true
            }
            try container.add(1)
            try replicas.standby.stop()
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try container.add(2) }
            try replicas.remove()
        }

        /// A session that waits for the standby server is not ended: that would make its changes visible.
        @Test func connectionIsLostWhileACommitWaits() async throws {
            let replicas = try Replicas(isSynchronous: true)
            let proxy = try CuttingProxy(replicas.primary)
            let string = "host=\(proxy.directory.path) user=\(replicas.primary.user) dbname=postgres"
            let container = try replicas.container(string) { $0.numbering = .onDemand }
            try container.add(1)
            // Otherwise the look for the transaction gives positions, which waits as well.
            _ = try container.token
            try replicas.standby.stop()
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            try await inThreads([
                { #expect(throws: SwiftDataError.saveOutcomeUnknown) { try container.add(2) } },
                {
                    try replicas.wait { try replicas.primary.psql(waiting) == "1" }
                    proxy.cut()
                },
            ])
            #expect(try replicas.primary.psql(waiting) == "1")
            #expect(try container.numbers == [1])
            try replicas.standby.start()
            try replicas.wait { try container.numbers == [1, 2] }
            try replicas.remove()
        }

        /// Canceling the wait would end it, and the commit would be visible although the standby server does not have it.
        @Test func canceledTaskDoesNotEndTheWait() async throws {
            let replicas = try Replicas(isSynchronous: true)
            try replicas.container(replicas.primary.connectionString()).add(1)
            let container = try replicas.container(replicas.primary.connectionString()) {
                $0.numbering = .onDemand
                $0.commitTimeout = .seconds(1)
            }
            let consumer = try container.historyConsumer(named: "search", startingNewAt: .beginning)
            let batch = try #require(try consumer.nextBatch())
            let positions =
                "SELECT position, (SELECT count(*) FROM seats.chronicle_transaction) FROM seats.chronicle_consumer"
            let before = try replicas.primary.psql(positions)
            let look = try Connection(ConnectionSettings(connectionString: replicas.primary.connectionString()))
            let waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            try replicas.standby.stop()

            let acknowledgement = Task {
                _ = #expect(throws: SwiftDataError.saveOutcomeUnknown) { try consumer.acknowledge(batch) }
            }
            try await acknowledgement.cancel(afterRows: waiting, look)
            await acknowledgement.value
            #expect(try replicas.primary.psql(positions) == before)

            // Reading the position of a transaction that does not wait is a commit.
            try replicas.primary.psql(
                "SET synchronous_commit = local; INSERT INTO seats.\"GraphSeat\"(number) VALUES (2)")
            let read = Task { _ = #expect(throws: SwiftDataError.storeBusy) { try container.transactions() } }
            try await read.cancel(afterRows: waiting + " OFFSET 1", look)
            await read.value
            #expect(try replicas.primary.psql(positions) == before)
            #expect(try look.run(waiting).count == 2)
            // It does not begin in a task that was canceled before.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = #expect(throws: CancellationError.self) { try container.transactions() }
            }
            await late.value
            try replicas.remove()
        }

        /// Without a limit, only cancellation ends the wait for a session that keeps the history locked.
        @Test func waitForTheHistoryIsCanceled() async throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing {
                ($0.lockTimeout, $0.statementTimeout, $0.numbering) = (nil, .seconds(10), .onDemand)
            }
            let container = try ModelContainer(
                for: GraphSeat.self, GraphNode.self, configurations: configuration)
            try container.add(1)
            let table = "\(try #require(configuration.schemaName)).chronicle_history"
            let settings = ConnectionSettings(connectionString: cluster.connectionString())
            let (other, look) = (try Connection(settings), try Connection(settings))
            try other.run("BEGIN")
            try other.run("SELECT 1 FROM \(table) FOR UPDATE")
            let read = Task { _ = #expect(throws: CancellationError.self) { try container.transactions() } }
            try await read.cancel(
                afterRows: "SELECT 1 FROM pg_stat_activity WHERE \(other.serverProcess) = ANY (pg_blocking_pids(pid))",
                look)
            await read.value
            try other.run("ROLLBACK")
        }

        /// A read commits nothing, even though a proxy needs a transaction for it.
        @Test func waitOfAnotherSessionDoesNotLimitReads() throws {
            let replicas = try Replicas(isSynchronous: true)
            try replicas.container(replicas.primary.connectionString()).add(1)
            let container = try replicas.container(replicas.primary.connectionString()) {
                $0.numbering = .onDemand
                $0.commitTimeout = .milliseconds(100)
                $0.usesTransactionPooling = true
            }
            try replicas.standby.stop()
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try container.add(2) }
            let store = try container.postgres
            var attempts = 0
            let count = try store.attributingErrors {
                try store.pool.read { connection in
                    attempts += 1
                    return try connection.run("SELECT pg_sleep(0.5)").count
                }
            }
            #expect(count == 1 && attempts == 1)
            try replicas.remove()
        }

        /// A response that is lost on its way leaves a session that is idle.
        @Test func responseDoesNotArrive() throws {
            let cluster = try PostgresCluster.shared.get()
            let proxy = try CuttingProxy(cluster)
            let schemaName = try cluster.makeSchema()
            let container = try ModelContainer(
                for: GraphSeat.self, GraphNode.self,
                configurations: PostgresConfiguration(
                    "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                    commitTimeout: .milliseconds(300)))
            let context = ModelContext(container)
            // The keys are chosen before, so that the request ends with COMMIT.
            let node = GraphNode("parent")
            node.children = [GraphNode("child")]
            context.insert(node)
            proxy.setMode(.holdingCommit)
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try context.save() }
            #expect(try cluster.psql("SELECT count(*) FROM \(schemaName).\"GraphNode\"") == "2")
        }

        /// The other session looks at the server of the save, not at the first one of the connection string.
        @Test func anotherServerIsNotObserved() throws {
            let replicas = try Replicas()
            try replicas.standby.stop()
            let string = PostgresCluster.connectionString(replicas.standby, replicas.primary)
            let container = try replicas.container(string) {
                $0.connectionLimit = 1
                $0.numbering = .onDemand
                $0.commitTimeout = .milliseconds(100)
            }
            try makeSavesSlow(replicas.primary, replicas.schemaName)
            try replicas.standby.start()
            try container.add(1)
            #expect(try container.numbers == [1])
            try replicas.remove()
        }

        /// Each of the commits of other clients waits for a moment.
        @Test func waitsOfOtherSessionsDoNotEndALongSave() async throws {
            let replicas = try Replicas(isSynchronous: true, ["recovery_min_apply_delay": "100ms"])
            let container = try replicas.container(replicas.primary.connectionString()) {
                $0.numbering = .onDemand
                $0.commitTimeout = .seconds(2)
                $0.usesTransactionPooling = true
            }
            try makeSavesSlow(replicas.primary, replicas.schemaName, seconds: 2)
            try replicas.primary.psql("CREATE TABLE noise(number int)")
            let isSaved = Mutex(false)
            let noise: @Sendable () throws -> Void = {
                let other = try Connection(ConnectionSettings(connectionString: replicas.primary.connectionString()))
                try other.run("SET synchronous_commit = remote_apply")
                while !isSaved.withLock(\.self) { try other.run("INSERT INTO public.noise VALUES (1)") }
            }
            let save: @Sendable () throws -> Void = {
                defer { isSaved.withLock { $0 = true } }
                try container.add(1)
            }
            try await inThreads([save] + Array(repeating: noise, count: 4))
            #expect(try container.numbers == [1])
            try replicas.remove()
        }

        private func makeSavesSlow(_ cluster: PostgresCluster, _ schemaName: String, seconds: Double = 0.5) throws {
            try cluster.psql(
                """
                SET search_path = \(schemaName);
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS \
                'BEGIN PERFORM pg_sleep(\(seconds)); RETURN NEW; END';
                CREATE TRIGGER slow BEFORE INSERT ON "GraphSeat" FOR EACH ROW EXECUTE FUNCTION slow();
                CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON "GraphSeat" DEFERRABLE INITIALLY DEFERRED \
                FOR EACH ROW EXECUTE FUNCTION slow()
                """)
        }

        /// The limit is not one for statements, which may take longer.
        @Test func longStatementsAreNotInterrupted() throws {
            let configuration = try PostgresConfiguration.testing { $0.commitTimeout = .milliseconds(100) }
            let container = try ModelContainer(
                for: GraphSeat.self, GraphNode.self, configurations: configuration)
            try makeSavesSlow(PostgresCluster.shared.get(), configuration.schemaName ?? "")
            try container.add(1)
            #expect(try container.numbers == [1])
        }

        /// The beginning of a transaction commits nothing, and is not given up before a commit that began later.
        @Test func serverThatIsPausedBeforeATransaction() async throws {
            let cluster = try PostgresCluster()
            func connection(_ limit: Duration) throws -> Connection {
                try Connection(
                    ConnectionSettings(connectionString: cluster.connectionString(), commitTimeout: limit))
            }
            let (first, second) = (try connection(.milliseconds(100)), try connection(.seconds(1)))
            try cluster.signal("STOP")
            try await inThreads([
                { try first.beginUntilClosed() },
                {
                    let error = Result { try second.script("SELECT 1") }
                    try cluster.signal("CONT")
                    let failure = try #require(throws: PostgresError.self) { try error.get() }
                    #expect(failure.isCommitTimeout)
                },
            ])
            #expect(first.isInTransaction)
            try cluster.remove()
        }

        /// A server that is paused responds neither to the save nor to the session that looks at it.
        @Test func serverThatIsPaused() throws {
            let cluster = try PostgresCluster()
            let container = try ModelContainer(
                for: GraphSeat.self, GraphNode.self,
                configurations: PostgresConfiguration(
                    cluster.connectionString(), schemaName: "seats", commitTimeout: .milliseconds(300)))
            try container.add(1)
            // The notification of the save uses a connection.
            let notified = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'NOTIFY%' AND state = 'idle'"
            while try cluster.psql(notified) == "0" {}
            try cluster.signal("STOP")
            let error = Result { try container.add(2) }
            try cluster.signal("CONT")
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try error.get() }
            try cluster.remove()
        }
    }
#endif

#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// Connections that are cut while a save is committed.
    @Suite("PostgreSQL unknown commits", .requiresPostgres) struct PostgresCommitTests {
        private let cluster: PostgresCluster
        private let proxy: CuttingProxy
        private let context: ModelContext
        private let schemaName: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            proxy = try CuttingProxy(cluster)
            schemaName = try cluster.makeSchema()
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                connectionTimeout: .milliseconds(300))
            context = ModelContext(
                try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration))
            // The statements of a save are prepared, so that the next one is a single request.
            context.insert(GraphSeat(1))
            try context.save()
        }

        private func numbers() throws -> String {
            try cluster.psql("SELECT string_agg(number::text, ',' ORDER BY number) FROM \(schemaName).\"GraphSeat\"")
        }

        @Test func committedSaveReturns() throws {
            proxy.setMode(.cuttingResponse)
            let seats = [GraphSeat(2), GraphSeat(3)]
            for seat in seats { context.insert(seat) }
            try context.save()
            #expect(try numbers() == "1,2,3")
            // The models have the identifiers of their rows.
            for seat in seats {
                let key = try #require(seat.persistentModelID.primaryKey(as: Int.self))
                let number = try cluster.psql("SELECT number FROM \(schemaName).\"GraphSeat\" WHERE _rowid_ = \(key)")
                #expect(number == "\(seat.number)")
            }
            seats[0].number = 20
            context.delete(seats[1])
            try context.save()
            #expect(try numbers() == "1,20")
        }

        /// The keys of restored rows are known, and those of the others are read from the history.
        @Test func committedSaveOfRestoredModelsReturns() throws {
            let schemaName = try cluster.makeSchema()
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                preservesValues: true)
            let context = ModelContext(
                try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration))
            let seat = GraphSeat(1)
            context.insert(seat)
            try context.save()
            let identifier = seat.persistentModelID
            context.delete(seat)
            try context.save()
            let deletion = try #require(
                try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            try context.revert(deletion)
            let new = GraphSeat(2)
            context.insert(new)
            proxy.setMode(.cuttingCommit)
            try context.save()
            let key = try #require(new.persistentModelID.primaryKey(as: Int.self))
            #expect(try cluster.psql("SELECT number FROM \(schemaName).\"GraphSeat\" WHERE _rowid_ = \(key)") == "2")
            #expect((try context.existingModel(for: identifier) as? GraphSeat)?.number == 1)
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 2 && !context.hasChanges)
        }

        /// Rows that a trigger inserts cannot be distinguished from those of the models.
        @Test func identifiersAreUnknownIfATriggerInsertsRows() throws {
            _ = try cluster.psql(
                """
                SET search_path = \(schemaName);
                CREATE FUNCTION seat() RETURNS trigger LANGUAGE plpgsql AS \
                'BEGIN INSERT INTO \(schemaName)."GraphSeat"(number) VALUES (100); RETURN NEW; END';
                CREATE TRIGGER seat BEFORE INSERT ON "GraphSeat" FOR EACH ROW WHEN (NEW.number = 2) \
                EXECUTE FUNCTION seat()
                """)
            proxy.setMode(.cuttingResponse)
            context.insert(GraphSeat(2))
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try context.save() }
            #expect(try numbers() == "1,2,100")
            context.rollback()
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 3)
        }

        @Test func committedUpdateReturns() throws {
            let seat = try #require(try context.fetch(FetchDescriptor<GraphSeat>()).first)
            proxy.setMode(.cuttingResponse)
            seat.number = 7
            try context.save()
            #expect(try numbers() == "7")
            #expect(!context.hasChanges)
        }

        @Test func committedSaveReturnsItsToken() throws {
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                returnsHistoryTokens: true)
            let context = ModelContext(
                try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration))
            proxy.setMode(.cuttingCommit)
            #expect(try Self.tokenOfSave(context) == context.currentHistoryToken())
        }

        /// Inserts a seat, and returns the token that the notification of the save contains.
        private static func tokenOfSave(_ context: ModelContext) throws -> DefaultHistoryToken? {
            let found = Mutex<DefaultHistoryToken?>(nil)
            let observer = NotificationCenter.default.addObserver(
                forName: ModelContext.didSave, object: context, queue: nil
            ) { notification in
                let tokens = notification.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue]
                found.withLock { $0 = (tokens as? [String: any HistoryToken])?.values.first as? DefaultHistoryToken }
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            context.insert(GraphSeat(2))
            try context.save()
            return found.withLock(\.self)
        }

        /// A request that waits for the connection of a save does not get it before the save has its token.
        @Test func tokenNeedsNoOtherConnection() async throws {
            let cluster = cluster
            let configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: schemaName, returnsHistoryTokens: true, connectionLimit: 1,
                connectionTimeout: .seconds(5), lockTimeout: nil, numbering: .onDemand)
            let container = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            let store = try container.postgres
            let other = try Connection(ConnectionSettings(connectionString: cluster.connectionString()))
            try other.run("BEGIN")
            let table = "\(schemaName).\"GraphSeat\""
            try other.run("LOCK TABLE \(table) IN SHARE MODE")
            let locks = "SELECT 1 FROM pg_locks WHERE relation = '\(table)'::regclass AND NOT granted"
            let (begins, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            try await inThreads([
                {
                    defer { ends.signal() }
                    let token = try Self.tokenOfSave(ModelContext(container))
                    #expect(token != nil)
                },
                {
                    while try other.run(locks).count == 0 {}
                    begins.signal()
                    try store.pool.use { _ in ends.wait() }
                },
                {
                    begins.wait()
                    try cluster.psql("SELECT 1")
                    try other.run("COMMIT")
                },
            ])
        }

        /// The request for the token of a save begins after its commit, and may first discard the prepared statements.
        @Test func connectionIsLostAfterTheCommit() throws {
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                returnsHistoryTokens: true, connectionLimit: 1, numbering: .onDemand)
            let container = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            let store = try container.postgres
            let context = ModelContext(container)
            let seat = try #require(try context.fetch(FetchDescriptor<GraphSeat>()).first)
            // The statement of the update is another one.
            try store.pool.use { connection in
                var number = 0
                var next = connection.statements
                repeat {
                    number += 1
                    try connection.run("SELECT \(number)")
                    next = connection.statements
                    next.add(StatementCache.Key(sql: "", types: []), name: "")
                } while !next.isFull
            }
            seat.number = 2
            proxy.setMode(.cuttingDeallocation)
            try context.save()
            #expect(try numbers() == "2" && !context.hasChanges)
            #expect(proxy.isPassing)
        }

        @Test func saveThatDidNotArriveThrowsAndCanBeRepeated() throws {
            proxy.setMode(.cuttingRequest)
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .storeUnavailable)
            #expect(error.underlying is PostgresError)
            #expect(try numbers() == "1")
            try context.save()
            #expect(try numbers() == "1,2")
        }

        @Test func outcomeIsUnknownWithoutAServer() throws {
            proxy.setMode(.cuttingEverything)
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .saveOutcomeUnknown)
            #expect(try numbers() == "1,2")
            proxy.setMode(.passing)
            // As the documentation describes: the models show that the changes were saved.
            context.rollback()
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 2)
        }

        // MARK: Batches

        @Test func committedBatchUpdateReturnsItsCount() throws {
            context.insert(GraphSeat(2))
            try context.save()
            proxy.setMode(.cuttingCommit)
            let count = try context.update(
                model: GraphSeat.self, where: #Predicate { $0.number > 1 }, set: \.number, to: \.number + 10)
            #expect(count == 1)
            #expect(try numbers() == "1,12")
        }

        @Test func batchUpdateThatWasNotCommittedCanBeRepeated() throws {
            proxy.setMode(.cuttingBegin)
            #expect(throws: SwiftDataError.storeUnavailable) {
                try context.update(model: GraphSeat.self, set: \.number, to: \.number + 10)
            }
            #expect(try numbers() == "1")
            #expect(try context.update(model: GraphSeat.self, set: \.number, to: \.number + 10) == 1)
            #expect(try numbers() == "11")
        }

        @Test func committedBatchDeleteReturns() throws {
            proxy.setMode(.cuttingCommit)
            try context.delete(model: GraphSeat.self, where: #Predicate { $0.number == 1 })
            #expect(try numbers().isEmpty)
        }

        // MARK: Acknowledgements

        private func consumer() throws -> (
            HistoryConsumer<DefaultHistoryTransaction>, HistoryBatch<DefaultHistoryTransaction>
        ) {
            let consumer = try context.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            return (consumer, try #require(try consumer.nextBatch()))
        }

        /// An acknowledgement is in the record of the consumer and not in the history.
        @Test(arguments: [false, true]) func committedAcknowledgementReturns(withChanges: Bool) throws {
            let (consumer, batch) = try consumer()
            if withChanges { context.insert(GraphSeat(2)) }
            proxy.setMode(.cuttingCommit)
            try context.save(acknowledging: batch)
            #expect(try numbers() == (withChanges ? "1,2" : "1"))
            #expect(try consumer.nextBatch()?.changes.count == (withChanges ? 1 : nil))
        }

        @Test(arguments: [false, true]) func acknowledgementThatWasNotCommittedCanBeRepeated(withChanges: Bool) throws {
            let (consumer, batch) = try consumer()
            if withChanges { context.insert(GraphSeat(2)) }
            proxy.setMode(.cuttingBegin)
            #expect(throws: SwiftDataError.storeUnavailable) { try context.save(acknowledging: batch) }
            #expect(try numbers() == "1")
            try context.save(acknowledging: batch)
            #expect(try numbers() == (withChanges ? "1,2" : "1"))
            #expect(try consumer.nextBatch()?.changes.count == (withChanges ? 1 : nil))
        }

        @Test func acknowledgementWithoutASaveReturns() throws {
            let (consumer, batch) = try consumer()
            proxy.setMode(.cuttingCommit)
            try consumer.acknowledge(batch)
            #expect(try consumer.nextBatch() == nil)
        }

        @Test func deliveryIsCountedOnce() throws {
            let consumer = try context.container.historyConsumer(named: "reader", startingNewAt: .beginning)
            proxy.setMode(.cuttingCommit)
            let batch = try #require(try consumer.nextBatch())
            #expect(batch.attempt == 1)
            let attempts = try cluster.psql("SELECT attempts FROM \(schemaName).chronicle_consumer")
            #expect(attempts == "1")
        }

        // MARK: Pools

        /// The session that a proxy assigned to a transaction is not known, and may still commit.
        @Test func outcomeThroughATransactionPool() throws {
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                connectionTimeout: .milliseconds(300), usesTransactionPooling: true)
            let context = ModelContext(
                try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration))
            context.insert(GraphSeat(2))
            proxy.setMode(.cuttingCommit)
            try context.save()
            #expect(try numbers() == "1,2")
            context.insert(GraphSeat(3))
            proxy.setMode(.cuttingRequest)
            #expect(throws: SwiftDataError.saveOutcomeUnknown) { try context.save() }
            #expect(try numbers() == "1,2")
            context.rollback()
            // A save of models that reference each other needs several round trips. Without COMMIT, nothing is unknown.
            let node = GraphNode("parent")
            node.children = [GraphNode("child")]
            context.insert(node)
            proxy.setMode(.cuttingBegin)
            #expect(throws: SwiftDataError.storeUnavailable) { try context.save() }
            try context.save()
            #expect(try cluster.psql("SELECT count(*) FROM \(schemaName).\"GraphNode\"") == "2")
        }
    }
#endif

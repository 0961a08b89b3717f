#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// A server that stops or ends sessions while a store is open.
    @Suite("PostgreSQL server faults", .requiresPostgres) struct PostgresServerFaultTests {
        @Test(arguments: ["fast", "immediate"]) func storeConnectsAgainAfterARestart(_ mode: String) throws {
            let cluster = try PostgresCluster()
            let configuration = PostgresConfiguration(cluster.connectionString())
            let container = try ModelContainer(for: GraphSeat.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(GraphSeat(1))
            try context.save()

            try cluster.stop(mode: mode)
            #expect(throws: SwiftDataError.storeUnavailable) { try context.fetch(FetchDescriptor<GraphSeat>()) }
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .storeUnavailable)
            #expect(error.underlying is PostgresError)

            try cluster.start()
            // The context still has its changes.
            try context.save()
            let seats = try context.fetch(FetchDescriptor<GraphSeat>(sortBy: [SortDescriptor(\.number)]))
            #expect(seats.map(\.number) == [1, 2])
            try cluster.remove()
        }

        /// The connection string has two hosts, whose servers have different stores.
        @Test(arguments: [false, true]) func anotherServerBehindTheAddress(hasStore: Bool) throws {
            let (cluster, other) = (try PostgresCluster(), try PostgresCluster.shared.get())
            let schema = try other.makeSchema()
            if hasStore {
                let configuration = PostgresConfiguration(other.connectionString(), schemaName: schema)
                _ = try ModelContainer(for: GraphSeat.self, configurations: configuration)
            }
            let configuration = PostgresConfiguration(
                "host=\(cluster.directory.path),\(other.directory.path) user=\(cluster.user) dbname=postgres",
                schemaName: schema)
            let context = ModelContext(try ModelContainer(for: GraphSeat.self, configurations: configuration))
            context.insert(GraphSeat(1))
            try context.save()
            try cluster.stop()
            context.insert(GraphSeat(2))
            #expect(throws: SwiftDataError.storeMoved) { try context.save() }
            #expect(throws: SwiftDataError.storeMoved) { try context.fetchCount(FetchDescriptor<GraphSeat>()) }
            if hasStore { #expect(try other.psql("SELECT count(*) FROM \(schema).\"GraphSeat\"") == "0") }
            try cluster.start()
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 2)
            try cluster.remove()
        }

        /// A trigger ends the session in the middle of a save, whose transaction is rolled back.
        @Test func sessionThatEndsDuringASave() throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing()
            let context = ModelContext(try ModelContainer(for: GraphSeat.self, configurations: configuration))
            let schema = configuration.schemaName ?? ""
            try cluster.psql(
                """
                SET search_path = \(schema);
                CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.number = 13 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); END IF;
                RETURN NEW; END $$;
                CREATE TRIGGER cut BEFORE INSERT ON "GraphSeat" FOR EACH ROW EXECUTE FUNCTION cut()
                """)
            context.insert(GraphSeat(13))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect([.storeUnavailable, .saveOutcomeUnknown].contains(error))
            try cluster.psql("DROP TRIGGER cut ON \(schema).\"GraphSeat\"")
            #expect(try cluster.psql("SELECT count(*) FROM \(schema).\"GraphSeat\"") == "0")
            try context.save()
            #expect(try cluster.psql("SELECT number FROM \(schema).\"GraphSeat\"") == "13")
        }

        @Test func fullDiskThrows() throws {
            let cluster = try PostgresCluster.shared.get()
            let configuration = try PostgresConfiguration.testing()
            let context = ModelContext(try ModelContainer(for: GraphSeat.self, configurations: configuration))
            let schema = configuration.schemaName ?? ""
            // The code of a full disk, which a test cannot provoke on every file system.
            try cluster.psql(
                """
                SET search_path = \(schema);
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER fail BEFORE INSERT ON "GraphSeat" FOR EACH ROW EXECUTE FUNCTION fail()
                """)
            context.insert(GraphSeat(1))
            #expect(throws: SwiftDataError.storeFull) { try context.save() }
        }

        @Test func canceledFetchEndsOnTheServer() async throws {
            let configuration = try PostgresConfiguration.testing { $0.lockTimeout = nil }
            let container = try ModelContainer(for: GraphSeat.self, configurations: configuration)
            let blocker = try Connection(configuration.connectionSettings)
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
    }
#endif

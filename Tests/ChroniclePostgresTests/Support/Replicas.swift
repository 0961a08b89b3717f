#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// A primary server with a store of seats, and a standby server.
    struct Replicas {
        let primary, standby: PostgresCluster
        let schemaName = "seats"

        /// - Parameters:
        ///   - isSynchronous: Whether a commit waits for the standby server.
        ///   - preservesValues: Whether the history preserves the values of all properties.
        ///   - settings: Further settings of the standby server.
        init(isSynchronous: Bool = false, preservesValues: Bool = false, _ settings: [String: String] = [:]) throws {
            primary = try PostgresCluster()
            _ = try ModelContainer(
                for: GraphSeat.self, GraphNode.self,
                configurations: PostgresConfiguration(
                    primary.connectionString(), schemaName: "seats", preservesValues: preservesValues))
            standby = try PostgresCluster(standbyOf: primary, settings)
            if isSynchronous {
                try primary.psql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
                try primary.psql("SELECT pg_reload_conf()")
                try wait { try primary.psql("SHOW synchronous_standby_names") == "standby" }
                try wait { try primary.psql("SELECT sync_state FROM pg_stat_replication") == "sync" }
            }
        }

        func remove() throws {
            // Servers that a test has stopped are removed by their guardians.
            for cluster in [standby, primary] { try? cluster.remove() }
        }

        func container(
            _ connectionString: String, _ change: (inout PostgresConfiguration) -> Void = { _ in }
        ) throws -> ModelContainer {
            var configuration = PostgresConfiguration(connectionString, schemaName: schemaName)
            change(&configuration)
            return try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
        }

        /// Waits until a condition is met.
        func wait(_ what: String = "", until isMet: () throws -> Bool) throws {
            let end = ContinuousClock.now + .seconds(30)
            while try !isMet() {
                try #require(ContinuousClock.now < end, "\(what)")
                Thread.sleep(forTimeInterval: 0.01)
            }
        }

        /// Waits until the standby server has applied everything.
        func waitForStandby() throws {
            let position = try primary.psql("SELECT pg_current_wal_insert_lsn()")
            try wait { try standby.psql("SELECT pg_last_wal_replay_lsn() >= '\(position)'") == "t" }
        }
    }

    /// Runs closures in threads, because tasks that block would keep others from running, and waits for them.
    func inThreads(_ bodies: [@Sendable () throws -> Void]) async throws {
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for body in bodies {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            do {
                                try body()
                                continuation.resume(returning: nil)
                            } catch { continuation.resume(returning: error) }
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for case let error? in errors { throw error }
    }

    extension ModelContainer {
        /// Inserts a seat and saves it.
        func add(_ number: Int, author: String? = nil) throws {
            let context = ModelContext(self)
            context.author = author
            context.insert(GraphSeat(number))
            try context.save()
        }

        var numbers: [Int] {
            get throws {
                try ModelContext(self).fetch(FetchDescriptor<GraphSeat>(sortBy: [SortDescriptor(\.number)])).map(
                    \.number)
            }
        }

        /// The token of the newest transaction.
        var token: DefaultHistoryToken { get throws { try ModelContext(self).currentHistoryToken() } }

        func transactions(after token: DefaultHistoryToken? = nil) throws -> [DefaultHistoryTransaction] {
            let all = HistoryDescriptor<DefaultHistoryTransaction>()
            return try ModelContext(self).fetchHistory(token.map { .after($0) } ?? all)
        }

        var postgres: PostgresStore { get throws { try #require(stores.first as? PostgresStore) } }
    }
#endif

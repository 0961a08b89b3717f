#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    /// The session with which a store waits for commits of others.
    @Suite("PostgreSQL commit watcher", .requiresPostgres, .timeLimit(.minutes(2))) struct CommitWatcherTests {
        /// An error that does not end the session replaces it, too.
        @Test func failedListenerIsClosed() throws {
            let cluster = try PostgresCluster.shared.get()
            let name = "watcher-\(UInt32.random(in: .min ... .max))"
            let configuration = PostgresConfiguration(
                "\(cluster.connectionString()) application_name=\(name)", schemaName: try cluster.makeSchema(),
                connectionLimit: 1, lockTimeout: .milliseconds(100), numbering: .onDemand)
            let container = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            func sessions() throws -> Set<Substring> {
                let found = try cluster.psql("SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'")
                return Set(found.split(separator: "\n"))
            }
            let pooled = try sessions()
            let count = Atomic(0)
            let observation = try container.postgres.observeCommits { count.wrappingAdd(1, ordering: .relaxed) }
            let listening = try sessions().subtracting(pooled)
            #expect(listening.count == 1)
            var settings = configuration.connectionSettings
            settings.connectionString = cluster.connectionString()
            let other = try Connection(settings)
            try other.script("BEGIN; SELECT FROM \(other.schema).chronicle_history FOR UPDATE")
            try cluster.psql("INSERT INTO \(other.schema).\"GraphSeat\"(number) VALUES (1)")
            while try !sessions().isDisjoint(with: listening) {}
            try other.script("ROLLBACK")
            while count.load(ordering: .relaxed) == 0 {}
            while try sessions().subtracting(pooled).count != 1 {}
            observation.cancel()
        }
    }
#endif

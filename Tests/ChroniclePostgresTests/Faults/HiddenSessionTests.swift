#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Sessions whose role is not the one that logged in. It sees neither their start nor what they do.
    @Suite("PostgreSQL sessions of another role", .requiresPostgres) struct HiddenSessionTests {
        private let cluster: PostgresCluster
        private let schemaName, role: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            schemaName = try cluster.makeSchema()
            role = "app_\(schemaName)"
            try cluster.psql(
                """
                CREATE ROLE \(role); CREATE ROLE \(role)_login LOGIN; GRANT \(role) TO \(role)_login;
                ALTER ROLE \(role)_login SET role = \(role); ALTER SCHEMA \(schemaName) OWNER TO \(role)
                """)
        }

        private func container(
            host: String, _ change: (inout PostgresConfiguration) -> Void
        ) throws -> ModelContainer {
            var configuration = PostgresConfiguration(
                "host=\(host) user=\(role)_login dbname=postgres", schemaName: schemaName, numbering: .onDemand)
            change(&configuration)
            return try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
        }

        /// Inserts call a function when they are committed.
        private func addTrigger(_ statement: String) throws {
            try cluster.psql(
                """
                SET search_path = \(schemaName);
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(statement); RETURN NEW; END';
                CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON "GraphSeat" DEFERRABLE INITIALLY DEFERRED \
                FOR EACH ROW EXECUTE FUNCTION wait()
                """)
        }

        /// A session that still commits when its connection is lost is ended, so that nothing is saved later.
        @Test func commitOfALostConnection() async throws {
            let proxy = try CuttingProxy(cluster)
            let container = try container(host: proxy.directory.path) { $0.lockTimeout = nil }
            try container.add(1)
            let key = Int32.random(in: 0 ... .max)
            try addTrigger("PERFORM pg_advisory_xact_lock(\(key))")
            let other = try Connection(ConnectionSettings(connectionString: cluster.connectionString()))
            try other.run("SELECT pg_advisory_lock(\(key))::text")
            let locks = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = \(key)"
            try await inThreads([
                {
                    let error = Result { try container.add(2) }
                    #expect(throws: SwiftDataError.storeUnavailable) { try error.get() }
                },
                {
                    while try other.run(locks).count < 2 {}
                    proxy.cut()
                },
            ])
            try other.run("SELECT pg_advisory_unlock(\(key))::text")
            while try other.run(locks).count > 0 {}
            #expect(try container.numbers == [1])
        }

        @Test func longCommitIsNotInterrupted() throws {
            let container = try container(host: cluster.directory.path) { $0.commitTimeout = .milliseconds(100) }
            try addTrigger("PERFORM pg_sleep(1)")
            try container.add(1)
            #expect(try container.numbers == [1])
        }
    }
#endif

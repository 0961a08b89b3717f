#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Servers that speak the protocol of PostgreSQL.
    @Suite("PostgreSQL distributed engines", .requiresPostgres) struct DistributedEngineTests {
        private func openingError(_ connectionString: String, schemaName: String? = nil) throws -> SwiftDataError {
            try #require(throws: SwiftDataError.self) {
                try ModelContainer(
                    for: GraphSeat.self, GraphNode.self,
                    configurations: PostgresConfiguration(connectionString, schemaName: schemaName))
            }
        }

        @Test(arguments: [
            (["server_version": "13.0.0", "crdb_version": "CockroachDB CCL v24.1.0"], "CockroachDB"),
            (["server_version": "11.2-YB-2.20.1.0-b0"], "YugabyteDB"),
            (["server_version": "15.12-YB-2025.1.0.0-b0"], "YugabyteDB"),
        ])
        func parametersOfTheServer(_ parameters: [String: String], _ name: String) throws {
            let server = try ScriptedServer(parameters)
            // Its last use would otherwise be before the connection.
            let error = try withExtendedLifetime(server) { try openingError(server.connectionString) }
            #expect(error == .loadIssueModelContainer, "\(error)")
            #expect(error.detail?.hasPrefix("the server is \(name), ") == true, "\(error)")
        }

        @Test func serverWithoutPLpgSQL() throws {
            let cluster = try PostgresCluster.shared.get()
            let database = try cluster.makeDatabase()
            try cluster.psql("DROP EXTENSION plpgsql", database: database)
            let string = cluster.connectionString(database: database)
            var error = try openingError(string, schemaName: "trips")
            #expect(error == .loadIssueModelContainer && error.detail?.contains("no language plpgsql") == true)
            // Aurora DSQL has a schema of this name.
            try cluster.psql("CREATE SCHEMA sys", database: database)
            error = try openingError(string, schemaName: "trips")
            #expect(error.detail?.hasPrefix("the server is Aurora DSQL, ") == true)
            let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'trips'"
            #expect(try cluster.psql(schemas, database: database) == "0")
        }

        /// Tables that Citus does not distribute are those of PostgreSQL.
        @Test func distributedTables() throws {
            let cluster = try PostgresCluster.shared.get()
            let database = try cluster.makeDatabase()
            let string = cluster.connectionString(database: database)
            let configuration = PostgresConfiguration(string, schemaName: "seats")
            _ = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            try cluster.psql(
                """
                SET allow_system_table_mods = on;
                CREATE TABLE pg_catalog.pg_dist_partition(logicalrelid regclass, partmethod "char")
                """, database: database)
            _ = try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration)
            try cluster.psql(
                #"INSERT INTO pg_catalog.pg_dist_partition VALUES ('seats."GraphSeat"', 'h')"#, database: database)
            let error = try openingError(string, schemaName: "seats")
            #expect(error.detail?.hasPrefix("the server is Citus, which distributes the table GraphSeat, ") == true)
            _ = try ModelContainer(
                for: GraphSeat.self, GraphNode.self,
                configurations: PostgresConfiguration(string, schemaName: "other"))
        }
    }

    /// A server that accepts every connection, reports parameters, and does nothing else.
    private final class ScriptedServer: Sendable {
        private let listener: Int32
        private let directory: String

        var connectionString: String { "host=\(directory) user=postgres dbname=postgres" }

        init(_ parameters: [String: String]) throws {
            directory = "/tmp/chronicle-server-\(UInt32.random(in: .min ... .max))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            listener = CuttingProxy.makeSocket()
            let isListening = CuttingProxy.withAddress(directory + "/.s.PGSQL.5432") { bind(listener, $0, $1) == 0 }
            guard isListening, listen(listener, 4) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
            // https://www.postgresql.org/docs/current/protocol-message-formats.html
            func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
                let length = UInt32(body.count + 4)
                return [kind.asciiValue ?? 0] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
                    + body
            }
            var greeting = message("R", [0, 0, 0, 0])
            for (name, value) in parameters { greeting += message("S", Array("\(name)\0\(value)\0".utf8)) }
            greeting += message("Z", [UInt8(ascii: "I")])
            Thread.detachNewThread { [listener, greeting] in
                while case let client = accept(listener, nil, nil), client >= 0 {
                    _ = CuttingProxy.read(client)
                    _ = CuttingProxy.write(greeting, client)
                    // Until the client ends the connection.
                    while CuttingProxy.read(client) != nil {}
                    close(client)
                }
                // Not before, because another server could get the same descriptor while this thread uses it.
                close(listener)
            }
        }

        deinit {
            // Ends `accept`.
            shutdown(listener, Int32(SHUT_RDWR))
            // A directory that remains in the temporary directory does no harm.
            try? FileManager.default.removeItem(atPath: directory)
        }
    }
#endif

#if Postgres
    import ChroniclePostgres
    import ChronicleTestSupport
    import ChronicleTesting
    import Foundation
    import Testing

    @Suite("PostgreSQL history conformance", .requiresPostgres) struct HistoryConformanceTests {
        @Test func historyConforms() throws {
            let worker = StoreWorker<PostgresConfiguration>(program: programURL("ChronicleConformanceWorker")) {
                "postgres \($0.schemaName ?? "") \($0.connectionString)"
            }
            let fixture = StoreFixture<PostgresConfiguration>(
                copy: { try $0.restoredCopy(in: .shared) },
                recording: { configuration, isOn in
                    var other = configuration
                    other.recordsHistory = isOn
                    return other
                }, worker: worker)
            // Texts of PostgreSQL cannot contain NUL characters.
            let report = checkRules(
                StoreRule<PostgresStore>.history, supporting: .all.subtracting(.nulCharacters), fixture: fixture
            ) { try PostgresConfiguration.testing { $0.returnsHistoryTokens = true } }
            #expect(report.conforms, "\(report)")
        }
    }

    extension PostgresConfiguration {
        /// The cluster that a copy is restored in.
        enum Destination {
            case shared
            case cluster(PostgresCluster)
        }

        /// Dumps the schema of the store with `pg_dump`, restores it in a new database, and returns its configuration.
        func restoredCopy(in destination: Destination) throws -> PostgresConfiguration {
            let source = try PostgresCluster.shared.get()
            let target =
                switch destination {
                case .shared: source
                case .cluster(let cluster): cluster
                }
            // In a directory that the user of the server can write to.
            let file = source.directory.appending(path: "dump-\(UUID().uuidString).sql")
            defer { try? FileManager.default.removeItem(at: file) }  // A file that remains does no harm.
            try source.run(
                "pg_dump",
                ["--schema", schemaName ?? "public", "--no-owner", "--file", file.path, "--dbname", "postgres"])
            let database = try target.makeDatabase()
            try target.run(
                "psql",
                [
                    "--quiet", "--set", "ON_ERROR_STOP=1", "--output", "/dev/null", "--file", file.path, "--dbname",
                    database,
                ])
            var copy = self
            copy.connectionString = target.connectionString(database: database)
            return copy
        }
    }
#endif

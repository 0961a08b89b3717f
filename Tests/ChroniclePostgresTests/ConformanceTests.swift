#if Postgres
    import ChroniclePostgres
    import ChronicleTestSupport
    import ChronicleTesting
    import Testing

    @Suite("PostgreSQL conformance", .requiresPostgres) struct PostgresConformanceTests {
        @Test func storeConforms() throws {
            let worker = StoreWorker<PostgresConfiguration>(program: programURL("ChronicleConformanceWorker")) {
                "postgres \($0.schemaName ?? "") \($0.connectionString)"
            }
            // Texts of PostgreSQL cannot contain NUL characters.
            let report = checkRules(
                StoreRule<PostgresStore>.models, supporting: .all.subtracting(.nulCharacters),
                fixture: StoreFixture(worker: worker)
            ) { try PostgresConfiguration.testing { $0.lockTimeout = .seconds(60) } }
            #expect(report.conforms, "\(report)")
        }
    }
#endif

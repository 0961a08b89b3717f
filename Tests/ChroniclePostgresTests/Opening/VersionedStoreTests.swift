#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    /// Stores that a program opens with one version of its models after the other.
    @Suite("PostgreSQL versions of models", .requiresPostgres) struct PostgresVersionedStoreTests {
        // The foreign key is created before the values of the removed relationship are replaced.
        @Test(arguments: VersionedStore.Change.allCases.filter { $0 != .returningReference })
        func versionsHaveTheirValues(
            _ change: VersionedStore.Change
        ) throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            let store = VersionedStore { schema, plan, allowsSave in
                var configuration = configuration
                configuration.allowsSave = allowsSave
                return try ModelContainer(for: schema, migrationPlan: plan, configurations: configuration)
            } sql: {
                try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
            #expect(try store.check(change) == [])
        }
    }
#endif

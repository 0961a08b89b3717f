#if Postgres
    import ChroniclePostgres
    import ChronicleTestSupport

    extension PostgresConfiguration {
        /// Returns the configuration of a new store, in a schema of the shared cluster.
        static func testing(_ change: (inout PostgresConfiguration) -> Void = { _ in }) throws -> PostgresConfiguration
        {
            let cluster = try PostgresCluster.shared.get()
            var configuration = PostgresConfiguration(
                cluster.connectionString(), schemaName: try cluster.makeSchema(), connectionLimit: 8)
            change(&configuration)
            return configuration
        }
    }
#endif

#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// A database whose migration plan is run with the connection of the opening.
    struct MigratedDatabase: MigratedStore {
        let connection: Connection
        let configuration: PostgresConfiguration
        let schemaName: String

        var catalog: Catalog { Catalog(connection) }

        func hasStore() throws -> Bool { try SchemaCompletion.hasStore(connection) }

        /// In one snapshot: another process may migrate the database meanwhile.
        func needsStage(_ hasStages: () throws -> Bool) throws -> Bool {
            try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { _ in try hasStages() }
        }

        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            try connection.transaction { connection in
                try SchemaCompletion.lock(connection)
                // Before the stage writes models.
                try DefinitionLock.acquire(connection)
                return try body()
            }
        }

        /// A missing table is an error when the schema is completed.
        func hasTable(_ name: String) -> Bool { true }

        func checkNames(of schema: Schema) throws { try TableNames.check(schema) }

        func complete(
            _ schema: Schema, _ version: StoreVersion?, stage: SchemaPlan.Opening.Stage?, baseline: Schema?
        ) throws -> StoreLayout {
            try SchemaCompletion(
                schema, configuration, schemaName, version: version, stage: stage, baseline: baseline
            ).complete(connection)
        }

        func withStore(_ schema: Schema, _ layout: StoreLayout, _ body: (any DataStore) throws -> Void) throws {
            var configuration = configuration
            configuration.schema = schema
            // A purge and a sealer wait for the transaction.
            configuration.historyRetention = .unlimited
            configuration.historySealing = nil
            let store = PostgresStore(migrating: connection, configuration, schema, layout)
            // A context that the closure keeps must not write after the transaction.
            defer { store.pool.close() }
            try connection.withModelPath { try body(store) }
        }
    }
#endif

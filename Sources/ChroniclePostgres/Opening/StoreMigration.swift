#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import ChronicleSQL

    /// Runs the stages of a migration plan while a store is opened, each in one transaction.
    ///
    /// The version of the store is read in the transaction of each stage. If several processes open the store at the same
    /// time, one of them runs a stage, and the others find the version after it.
    struct StoreMigration {
        let schema: Schema
        let configuration: PostgresConfiguration
        let schemaName: String
        let migration: SchemaMigration

        /// Runs the stages from the version of the store to that of the schema.
        ///
        /// - Returns: The version of the store before the first stage, or `nil` if no stage was run.
        func run(_ connection: Connection) throws -> Schema.Version? {
            var finished: [MigrationStage] = []
            while let stage = try runNextStage(connection, after: finished.count) { finished.append(stage) }
            return finished.first?.fromVersion.versionIdentifier
        }

        /// Returns the stage, or `nil` if there is none.
        private func runNextStage(_ connection: Connection, after finished: Int) throws -> MigrationStage? {
            guard try !remainingStages(connection).isEmpty else { return nil }
            var progress: (MigrationStage, Int)?
            let stage: MigrationStage? = try connection.transaction { connection in
                try SchemaCompletion.lock(connection)
                let stages = try remainingStages(connection)
                guard let stage = stages.first else { return nil }
                progress = (stage, finished + stages.count)
                try run(stage, isLast: stages.count == 1, connection) {
                    report($0, stage, finished + 1, of: finished + stages.count)
                }
                return stage
            }
            if let (stage, count) = progress { report(.finished, stage, finished + 1, of: count) }
            return stage
        }

        private func report(_ phase: MigrationProgress.Phase, _ stage: MigrationStage, _ number: Int, of count: Int) {
            configuration.migrationProgress?(MigrationProgress(stage, stage: number, of: count, phase: phase))
        }

        private func remainingStages(_ connection: Connection) throws -> [MigrationStage] {
            // A store without models is new.
            guard try SchemaCompletion.hasStore(connection), try !Catalog(connection).entities().isEmpty else {
                return []
            }
            return try migration.stages(
                from: StoreVersion(MetaTable(connection))?.identifier
                    ?? migration.version(of: Catalog(connection).definitions()) { try isMatch($0, connection) })
        }

        /// Returns whether the store's description of an entity is the same, or `nil` if another store may have the entity.
        private func isMatch(_ entity: Schema.Entity, _ connection: Connection) throws -> Bool? {
            let catalog = Catalog(connection)
            guard let definition = try catalog.definitions()[entity.name] else {
                return try isPart && !catalog.entities().contains { $0.name == entity.originalName } ? nil : false
            }
            return definition.versionHash == entity.versionHash
        }

        private func run(
            _ stage: MigrationStage, isLast: Bool, _ connection: Connection, _ report: (MigrationProgress.Phase) -> Void
        ) throws {
            let baseline = try schema(of: stage.fromVersion, connection)
            if stage.hasWillMigrate {
                report(.willMigrate)
                let layout = try completion(of: baseline, baseline: baseline).complete(connection)
                try withStore(baseline, layout, connection) { try stage.willMigrate($0) }
            }
            report(.changingSchema)
            let schema = try schema(of: stage.toVersion, connection)
            let version = StoreVersion(stage.toVersion.versionIdentifier, of: schema)
            let kind: SchemaPlan.Opening.Stage = stage.hasWillMigrate || stage.hasDidMigrate ? .custom : .lightweight
            let completion = completion(of: schema, version, stage: kind, baseline: isLast ? nil : baseline)
            let layout = try completion.complete(connection)
            if stage.hasDidMigrate {
                report(.didMigrate)
                try withStore(schema, layout, connection) { try stage.didMigrate($0) }
            }
        }

        private func completion(
            of schema: Schema, _ version: StoreVersion? = nil, stage: SchemaPlan.Opening.Stage? = nil,
            baseline: Schema? = nil
        ) -> SchemaCompletion {
            SchemaCompletion(
                schema, configuration, schemaName, version: version, stage: stage, baseline: baseline)
        }

        /// Calls a closure with a store that uses the connection of the stage's transaction.
        private func withStore(
            _ schema: Schema, _ layout: StoreLayout, _ connection: Connection, _ body: (PostgresStore) throws -> Void
        ) throws {
            var configuration = configuration
            configuration.schema = schema
            // A purge waits for the transaction.
            configuration.historyRetention = .unlimited
            let store = PostgresStore(migrating: connection, configuration, schema, layout)
            // A context that the closure keeps must not write after the transaction.
            defer { store.pool.close() }
            try connection.withSessionPath { try body(store) }
        }

        /// Returns the schema of a version, without the models that the container keeps in other stores.
        private func schema(of version: any VersionedSchema.Type, _ connection: Connection) throws -> Schema {
            var schema = Schema(versionedSchema: version)
            if isPart {
                let names = Set(
                    try Catalog(connection).entities().map(\.name)
                        + self.schema.entities.flatMap { [$0.name, $0.originalName] })
                schema = Schema(
                    schema.entities.filter { names.contains($0.name) }.map(\.type), version: schema.version)
            }
            try schema.validate()
            try TableNames.check(schema)
            return schema
        }

        /// Whether the store keeps only some of the models of the plan's version.
        private var isPart: Bool {
            guard let target = migration.versions.first(where: { $0.versionIdentifier == migration.target }) else {
                return false
            }
            return Schema(versionedSchema: target).entities.count > schema.entities.count
        }
    }
#endif

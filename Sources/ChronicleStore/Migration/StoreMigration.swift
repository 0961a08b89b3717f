import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Runs the stages of a migration plan while a store is opened, each in one transaction.
///
/// The version of the file is read in the transaction of each stage. If several processes open the file at the same
/// time, one of them runs a stage, and the others find the version after it.
struct StoreMigration {
    let database: Database
    let schema: Schema
    let configuration: ModelConfiguration
    let migration: SchemaMigration
    let commits: CommitReporter

    /// Runs the stages from the version of the file to that of the schema.
    ///
    /// - Returns: The version of the file before the first stage, or `nil` if no stage was run.
    func run() throws -> Schema.Version? {
        var finished: [MigrationStage] = []
        while let stage = try database.write({ try runNextStage($0, after: finished.count) }) { finished.append(stage) }
        return finished.first?.fromVersion.versionIdentifier
    }

    /// Returns the stage, or `nil` if there is none.
    private func runNextStage(_ connection: Connection, after finished: Int) throws -> MigrationStage? {
        guard try connection.deferredRead({ try mayNeedStage(connection) }) else { return nil }
        var progress: (MigrationStage, Int)?
        let stage: MigrationStage? = try connection.nesting {
            if try FileFormat.version(connection) < FileFormat.current {
                // Upgrades the format without changing the models.
                _ = try completion(of: Schema(entities: []), connection).complete()
            }
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

    // MARK: The version of the file

    private func mayNeedStage(_ connection: Connection) throws -> Bool {
        try FileFormat.requireSupportedVersion(connection, configuration.url.path)
        guard try FileFormat.version(connection) == FileFormat.current else { return true }
        return try !remainingStages(connection).isEmpty
    }

    private func remainingStages(_ connection: Connection) throws -> [MigrationStage] {
        // A file without models is new.
        guard try FileSchema(connection).hasHistory(), try !EntityRegistry(connection).entities().isEmpty else {
            return []
        }
        return try migration.stages(
            from: StoreVersion(MetaTable(connection))?.identifier
                ?? migration.version(of: EntityRegistry(connection).definitionsByName()) { try isMatch($0, connection) }
        )
    }

    /// Returns whether the file's description of an entity is the same, or `nil` if another store may have the entity.
    private func isMatch(_ entity: Schema.Entity, _ connection: Connection) throws -> Bool? {
        let registry = EntityRegistry(connection)
        let entities = try registry.entities()
        guard let recorded = entities.first(where: { $0.name == entity.name }),
            try completion(of: schema, connection).tableExists(entity.rootName)
        else {
            return isPart && !entities.contains { $0.name == entity.originalName } ? nil : false
        }
        return try registry.definition(of: recorded)?.versionHash == entity.versionHash
    }

    // MARK: Stages

    private func run(
        _ stage: MigrationStage, isLast: Bool, _ connection: Connection, _ report: (MigrationProgress.Phase) -> Void
    ) throws {
        let baseline = try schema(of: stage.fromVersion, connection)
        if stage.hasWillMigrate {
            report(.willMigrate)
            let layout = try completion(of: baseline, connection, baseline: baseline).complete()
            try withStore(baseline, layout) { try stage.willMigrate($0) }
        }
        report(.changingSchema)
        let schema = try schema(of: stage.toVersion, connection)
        let version = StoreVersion(stage.toVersion.versionIdentifier, of: schema)
        let kind: SchemaPlan.Opening.Stage = stage.hasWillMigrate || stage.hasDidMigrate ? .custom : .lightweight
        let completion = completion(
            of: schema, connection, version, stage: kind, baseline: isLast ? nil : baseline)
        let layout = try completion.complete()
        if stage.hasDidMigrate {
            report(.didMigrate)
            try withStore(schema, layout) { try stage.didMigrate($0) }
        }
    }

    private func completion(
        of schema: Schema, _ connection: Connection, _ version: StoreVersion? = nil,
        stage: SchemaPlan.Opening.Stage? = nil, baseline: Schema? = nil
    ) -> SchemaCompletion {
        SchemaCompletion(
            connection, schema, configuration, version: version, stage: stage, baseline: baseline)
    }

    /// Calls a closure with a store that uses the connection of the stage's transaction.
    private func withStore(_ schema: Schema, _ layout: StoreLayout, _ body: (DefaultStore) throws -> Void) throws {
        let shared = Database(sharingWriterOf: database)
        // A context that the closure keeps must not write after the transaction.
        defer { shared.close() }
        var configuration = configuration
        configuration.schema = schema
        configuration.recorder = .triggers
        // A purge waits for the transaction.
        configuration.historyRetention = .unlimited
        try body(DefaultStore(migrating: shared, configuration, schema, layout, commits))
    }

    /// Returns the schema of a version, without the models that the container keeps in other stores.
    private func schema(of version: any VersionedSchema.Type, _ connection: Connection) throws -> Schema {
        var schema = Schema(versionedSchema: version)
        if isPart {
            let names = Set(
                try EntityRegistry(connection).entities().map(\.name)
                    + self.schema.entities.flatMap { [$0.name, $0.originalName] })
            schema = Schema(schema.entities.filter { names.contains($0.name) }.map(\.type), version: schema.version)
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

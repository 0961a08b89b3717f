package import ChronicleCore

/// What a store supplies to run the stages of a migration plan while it is opened.
package protocol MigratedStore {
    associatedtype Catalog: EntityCatalog
    associatedtype Layout

    /// The connection's view of the catalog.
    var catalog: Catalog { get }

    /// Returns whether the database contains a store.
    func hasStore() throws -> Bool
    /// Returns whether a stage may have to be run, without waiting for other processes that open the store.
    ///
    /// - Parameter hasStages: A closure that returns whether stages remain from the version of the store.
    func needsStage(_ hasStages: () throws -> Bool) throws -> Bool
    /// Runs `body` in a transaction that waits for other processes that open the store.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result

    /// Returns whether the database has the table of an entity that the catalog contains.
    func hasTable(_ name: String) throws -> Bool
    /// Throws an error for names that the database does not support.
    func checkNames(of schema: Schema) throws
    /// Creates what a schema requires; see ``SchemaPlan/Opening`` for the stage and the baseline.
    func complete(
        _ schema: Schema, _ version: StoreVersion?, stage: SchemaPlan.Opening.Stage?, baseline: Schema?
    ) throws -> Layout
    /// Calls a closure with a store that uses the connection of the transaction.
    func withStore(_ schema: Schema, _ layout: Layout, _ body: (any DataStore) throws -> Void) throws
}

/// Runs the stages of a migration plan while a store is opened, each in one transaction.
///
/// The version of the store is read in the transaction of each stage. If several processes open the store at the same
/// time, one of them runs a stage, and the others find the version after it.
package struct StoreMigration<Store: MigratedStore> {
    private let store: Store
    private let schema: Schema
    private let migration: SchemaMigration
    private let progress: (@Sendable (MigrationProgress) -> Void)?

    /// - Parameters:
    ///   - store: The store.
    ///   - schema: The schema of the store: that of the plan's last version, or the part of it that the container keeps in
    ///     this store.
    ///   - migration: The plan.
    ///   - progress: A closure that receives the progress, or `nil`.
    package init(
        _ store: Store, _ schema: Schema, _ migration: SchemaMigration,
        progress: (@Sendable (MigrationProgress) -> Void)?
    ) {
        (self.store, self.schema, self.migration, self.progress) = (store, schema, migration, progress)
    }

    /// Runs the stages from the version of the store to that of the schema.
    ///
    /// - Returns: The version of the store before the first stage, or `nil` if no stage was run.
    package func run() throws -> Schema.Version? {
        var finished: [MigrationStage] = []
        while let stage = try runNextStage(after: finished.count) { finished.append(stage) }
        return finished.first?.fromVersion.versionIdentifier
    }

    /// Returns the stage, or `nil` if there is none.
    private func runNextStage(after finished: Int) throws -> MigrationStage? {
        guard try store.needsStage({ try !remainingStages().isEmpty }) else { return nil }
        var count = 0
        let stage: MigrationStage? = try store.transaction {
            let stages = try remainingStages()
            guard let stage = stages.first else { return nil }
            count = finished + stages.count
            try run(stage, isLast: stages.count == 1) { report($0, stage, finished + 1, of: count) }
            return stage
        }
        if let stage { report(.finished, stage, finished + 1, of: count) }
        return stage
    }

    private func report(_ phase: MigrationProgress.Phase, _ stage: MigrationStage, _ number: Int, of count: Int) {
        progress?(MigrationProgress(stage, stage: number, of: count, phase: phase))
    }

    // MARK: The version of the store

    private func remainingStages() throws -> [MigrationStage] {
        // A store without models is new.
        guard try store.hasStore() else { return [] }
        let entities = try store.catalog.entities()
        guard !entities.isEmpty else { return [] }
        if let version = try StoreVersion(store.catalog.meta) { return try migration.stages(from: version.identifier) }
        let definitions = try store.catalog.definitionsByName()
        return try migration.stages(
            from: migration.version(of: definitions) { try isMatch($0, entities, definitions) })
    }

    /// Returns whether the store's description of an entity is the same, or `nil` if another store may have the entity.
    private func isMatch(
        _ entity: Schema.Entity, _ recorded: [Store.Catalog.Entity], _ definitions: [String: Schema.Entity]
    ) throws -> Bool? {
        guard recorded.contains(where: { $0.name == entity.name }), try store.hasTable(entity.rootName) else {
            return isPart && !recorded.contains { $0.name == entity.originalName } ? nil : false
        }
        return definitions[entity.name]?.versionHash == entity.versionHash
    }

    // MARK: Stages

    private func run(
        _ stage: MigrationStage, isLast: Bool, _ report: (MigrationProgress.Phase) -> Void
    ) throws {
        let baseline = try schema(of: stage.fromVersion)
        if stage.hasWillMigrate {
            report(.willMigrate)
            let layout = try store.complete(baseline, nil, stage: nil, baseline: baseline)
            try store.withStore(baseline, layout) { try stage.willMigrate($0) }
        }
        report(.changingSchema)
        let schema = try schema(of: stage.toVersion)
        let version = StoreVersion(
            stage.toVersion.versionIdentifier, of: schema, replacing: stage.fromVersion.versionIdentifier)
        let layout = try store.complete(
            schema, version, stage: stage.hasWillMigrate || stage.hasDidMigrate ? .custom : .lightweight,
            baseline: isLast ? nil : baseline)
        if stage.hasDidMigrate {
            report(.didMigrate)
            try store.withStore(schema, layout) { try stage.didMigrate($0) }
        }
    }

    /// Returns the schema of a version, without the models that the container keeps in other stores.
    private func schema(of version: any VersionedSchema.Type) throws -> Schema {
        var schema = Schema(versionedSchema: version)
        if isPart {
            let names = Set(
                try store.catalog.entities().map(\.name)
                    + self.schema.entities.flatMap { [$0.name, $0.originalName] })
            schema = Schema(schema.entities.filter { names.contains($0.name) }.map(\.type), version: schema.version)
        }
        try schema.validate()
        try store.checkNames(of: schema)
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

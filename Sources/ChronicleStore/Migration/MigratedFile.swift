import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// A file whose migration plan is run with the connection that writes.
struct MigratedFile: MigratedStore {
    let database: Database
    let connection: Connection
    let configuration: ModelConfiguration
    let commits: CommitReporter

    var catalog: EntityRegistry { EntityRegistry(connection) }

    func hasStore() throws -> Bool { try FileSchema(connection).hasHistory() }

    func needsStage(_ hasStages: () throws -> Bool) throws -> Bool {
        try connection.deferredRead {
            let format = try FileFormat.requireSupportedVersion(connection, configuration.url.path)
            guard FileFormat.isSupported(format) else { return true }
            return try hasStages()
        }
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.nesting {
            if try FileFormat.version(connection) < FileFormat.current {
                // Upgrades the format without changing the models.
                _ = try complete(Schema(entities: []), nil, stage: nil, baseline: nil)
            }
            return try body()
        }
    }

    func hasTable(_ name: String) throws -> Bool { try connection.tableExists(name) }

    func checkNames(of schema: Schema) throws { try TableNames.check(schema) }

    func complete(
        _ schema: Schema, _ version: StoreVersion?, stage: SchemaPlan.Opening.Stage?, baseline: Schema?
    ) throws -> StoreLayout {
        // The setting of the file changes after the stages, with the tables of the present models.
        var configuration = configuration
        configuration.preservesValues = false
        return try SchemaCompletion(
            connection, schema, configuration, version: version, stage: stage, baseline: baseline
        ).complete()
    }

    func withStore(_ schema: Schema, _ layout: StoreLayout, _ body: (any DataStore) throws -> Void) throws {
        let shared = Database(sharingWriterOf: database)
        // A context that the closure keeps must not write after the transaction.
        defer { shared.close() }
        var configuration = configuration
        configuration.schema = schema
        configuration.recorder = .triggers
        // A purge and a sealer wait for the transaction.
        configuration.historyRetention = .unlimited
        configuration.historySealing = nil
        try body(DefaultStore(migrating: shared, configuration, schema, layout, commits))
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Opens a store: inspects the file, connects to it, and creates the tables and triggers that the schema requires.
struct StoreOpener {
    let configuration: ModelConfiguration
    let schema: Schema
    let migrationPlan: (any SchemaMigrationPlan.Type)?

    init(_ configuration: ModelConfiguration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?) {
        self.configuration = configuration
        self.schema = schema
        self.migrationPlan = migrationPlan
    }

    struct Opened {
        let database: Database
        let layout: StoreLayout
        let commits: CommitReporter
        /// `nil` if the file was not migrated.
        let migratedVersion: Schema.Version?
    }

    func open() throws -> Opened {
        try TableNames.check(schema)
        let migration = try migrationPlan.map { try SchemaMigration($0, to: schema) }
        let merged = schema.mergingSubentities()
        if merged !== schema { try TableNames.check(merged) }
        let (path, file) = try path()
        let commits = CommitReporter(file: file) { [configuration] bytes, error in
            let reason =
                error.map { "SQLite reported \($0); free space on the disk, and check its state" }
                ?? "a connection still reads an earlier state; end long fetches and transactions, of other programs too"
            configuration.log(
                .notice, event: "logGrown",
                "\(bytes) bytes of the write-ahead log of \(configuration.url.path) cannot be copied to the file: \(reason)",
                metadata: ["path": configuration.url.path, "bytes": String(bytes)])
        }
        let durability = configuration.durability
        let isInMemory = configuration.isStoredInMemoryOnly
        let database = try openDatabase {
            try Database(
                path: path, inMemory: isInMemory, readOnly: !configuration.allowsSave,
                busyTimeout: configuration.busyTimeout,
                // Commits that wait for the disk take a hundred times as long as a check; others take ten times as long.
                checksEachTransaction: durability == .full,
                interruption: Interruption { ReadCancellation.isCancelled }
            ) { connection in
                try Self.prepare(connection, durability, path: isInMemory ? nil : configuration.url.path)
                // The programs of a tracked database expect no further files beside it.
                if !connection.isReadOnly, try !FileFormat.isTracked(connection) {
                    connection.didCommit = { commits.didCommit($0) }
                    connection.didCheckpoint = { commits.didCheckpoint($0, $1, $2) }
                }
            }
        }
        do {
            let version = (migration?.target ?? schema.declaredVersion).map { StoreVersion($0, of: schema) }
            var migratedVersion: Schema.Version?
            if let migration, !database.isReadOnly {
                migratedVersion = try database.write { connection in
                    let file = MigratedFile(
                        database: database, connection: connection, configuration: configuration, commits: commits)
                    return try StoreMigration(file, schema, migration, progress: configuration.migrationProgress).run()
                }
            }
            return Opened(
                database: database, layout: try layout(database, version), commits: commits,
                migratedVersion: migratedVersion)
        } catch {
            database.close()
            throw error
        }
    }

    /// Converts the error of a file beside the store that cannot be written.
    private func openDatabase(_ body: () throws -> Database) throws -> Database {
        do { return try body() } catch let error as SQLiteError
            where configuration.allowsSave && error.isReadOnly && !error.needsRecovery
        {
            throw SwiftDataError.fileReadOnly.with(detail: error.message, underlying: DatabaseError(error))
        }
    }

    /// Inspects the file. Its path without symbolic links is `nil` for a store in memory.
    private func path() throws -> (String, file: String?) {
        guard !configuration.isStoredInMemoryOnly else { return (configuration.url.path, nil) }
        try makeDefaultDirectory()
        let inspection = try FileInspection(url: configuration.url)
        if try inspection.inspect(allowsSave: configuration.allowsSave) == .tracked { try requireNoModels() }
        return (try configuration.allowsSave ? inspection.path : inspection.readOnlyPath, inspection.path)
    }

    /// The tables of a tracked database belong to its program.
    private func requireNoModels() throws {
        guard migrationPlan != nil || schema.entities.contains(where: \.hasModelClass) else { return }
        throw SwiftDataError.notAChronicleStore.with(
            detail: "\(configuration.url.path) is the database of another program, whose changes are recorded; "
                + "read its history without model classes, or choose another URL")
    }

    private func layout(_ database: Database, _ version: StoreVersion?) throws -> StoreLayout {
        if !configuration.allowsSave, !configuration.isStoredInMemoryOnly {
            return try database.read { connection in
                try SchemaCompletion(connection, schema, configuration, version: version).existingLayout()
            }
        }
        return try database.write { connection -> Result<StoreLayout, any Error> in
            guard try FileFormat.isTracked(connection) else {
                return .success(try SchemaCompletion(connection, schema, configuration, version: version).complete())
            }
            try SchemaFollowing(connection).run()
            // The schema of the caller may have names from before, which is no reason to undo this.
            return Result { try SchemaCompletion(connection, schema, configuration, version: nil).existingLayout() }
        }.get()
    }

    private func makeDefaultDirectory() throws {
        guard configuration.allowsSave, configuration.isInDefaultDirectory else { return }
        let directory = configuration.url.deletingLastPathComponent()
        do { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) } catch {
            throw SwiftDataError.missingDirectory.with(
                detail: "the directory \(directory.path) could not be created; choose another URL",
                underlying: error)
        }
    }

    /// The writer is prepared first and creates the file's header before any other connection opens it.
    static func prepare(
        _ connection: Connection, _ durability: ModelConfiguration.Durability, path: String?
    ) throws {
        try connection.define(PredicateFunctions.all)
        try connection.define(DecimalOrder.collation)
        // The first inspection did not read the log, and another process may have created the file since.
        let finding = try FileFormat.finding(connection, path: path ?? "")
        if !connection.isReadOnly {
            if finding == .new {
                // Must precede the first table. https://www.sqlite.org/pragma.html#pragma_auto_vacuum
                try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                // In rollback mode, the header in the main file identifies its format from the first commit on.
                try connection.immediate {
                    guard try FileFormat.finding(connection, path: path ?? "") == .new else { return }
                    try connection.execute("PRAGMA application_id = \(FileFormat.applicationIdentifier)")
                    try FileFormat.setVersion(FileFormat.current, connection)
                }
            }
            if path != nil, finding != .tracked { try connection.enableWAL() }
            try connection.execute(settings(durability))
        } else if path != nil, finding == .tracked {
            try TrackedRows.createViews(connection)
        }
    }

    /// https://www.sqlite.org/pragma.html
    private static func settings(_ durability: ModelConfiguration.Durability) -> String {
        let isFull = durability == .full
        return [
            // Rows that REPLACE deletes fire delete triggers too.
            "recursive_triggers = ON",
            "foreign_keys = ON",
            // Overwrites deleted content, which is not the default of every SQLite build.
            "secure_delete = ON",
            "synchronous = \(isFull ? "FULL" : "NORMAL")",
            // On Apple platforms, only F_FULLFSYNC waits for the disk; elsewhere the settings have no effect. Checkpoints
            // always need it, because the log must be on disk before the file is overwritten.
            "fullfsync = \(isFull ? "ON" : "OFF")",
            "checkpoint_fullfsync = ON",
        ].map { "PRAGMA \($0)" }.joined(separator: ";")
    }
}

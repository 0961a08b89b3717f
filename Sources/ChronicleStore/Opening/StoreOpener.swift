import ChronicleCore
import ChronicleSQLite
import Foundation

/// Opens a store: looks at the file, connects, and makes the tables and triggers that the schema asks for.
struct StoreOpener {
    let configuration: ModelConfiguration
    let schema: Schema

    init(_ configuration: ModelConfiguration, _ schema: Schema) {
        self.configuration = configuration
        self.schema = schema
    }

    func open() throws -> (database: Database, layout: StoreLayout) {
        try TableNames.check(schema)
        let path = try path()
        let durability = configuration.durability
        let isInMemory = configuration.isStoredInMemoryOnly
        let database = try Database(
            path: path, inMemory: isInMemory, readOnly: !configuration.allowsSave,
            busyTimeout: configuration.busyTimeout, interruption: Interruption { ReadCancellation.isCancelled }
        ) { connection in
            try Self.prepare(connection, durability, path: isInMemory ? nil : configuration.url.path)
        }
        do {
            return (database, try layout(database))
        } catch {
            database.close()
            throw error
        }
    }

    /// The path for SQLite, after a look at the file there.
    private func path() throws -> String {
        guard !configuration.isStoredInMemoryOnly else { return configuration.url.path }
        try makeDefaultDirectory()
        let inspection = try FileInspection(url: configuration.url)
        _ = try inspection.inspect(allowsSave: configuration.allowsSave)
        return try configuration.allowsSave ? inspection.path : inspection.readOnlyPath
    }

    private func layout(_ database: Database) throws -> StoreLayout {
        if !configuration.allowsSave, !configuration.isStoredInMemoryOnly {
            return try database.read { try SchemaCompletion($0, schema, configuration).existingLayout() }
        }
        return try database.write { connection in
            try SchemaCompletion(connection, schema, configuration).complete()
        }
    }

    /// The directory of stores that were given no URL.
    private func makeDefaultDirectory() throws {
        let directory = configuration.url.deletingLastPathComponent()
        guard configuration.allowsSave, directory.path == ModelConfiguration.defaultDirectory.path else { return }
        do { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) } catch {
            throw SwiftDataError.missingDirectory.with(detail: "\(directory.path) cannot be made", underlying: error)
        }
    }

    /// Every connection's settings; the writer's come first, and make the file what it has to be before any other opens it.
    ///
    /// - Parameter path: The file; `nil` in memory.
    private static func prepare(
        _ connection: Connection, _ durability: ModelConfiguration.Durability, path: String?
    ) throws {
        try connection.define(PredicateFunctions.all)
        // Again: what the log says was not looked at before, and another process may have been faster.
        let finding = try FileFormat.finding(connection, path: path ?? "")
        if !connection.isReadOnly {
            if finding == .new {
                // In rollback mode, so that the header in the main file says whose it is from the first moment on.
                try connection.immediate {
                    guard try FileFormat.finding(connection, path: path ?? "") == .new else { return }
                    try connection.execute(
                        "PRAGMA application_id = \(FileFormat.applicationIdentifier);"
                            + "PRAGMA user_version = \(FileFormat.version)")
                }
            }
            if path != nil { try connection.enableWAL() }
            try connection.execute(settings(durability))
        }
    }

    /// The settings of a connection that writes. https://www.sqlite.org/pragma.html
    private static func settings(_ durability: ModelConfiguration.Durability) -> String {
        let isFull = durability == .full
        return [
            // Rows that REPLACE removes fire triggers too.
            "recursive_triggers = ON",
            "foreign_keys = ON",
            // What is deleted is overwritten, and not only in builds of SQLite where that is the default.
            "secure_delete = ON",
            "synchronous = \(isFull ? "FULL" : "NORMAL")",
            // On Apple platforms fsync() does not wait for the disk and F_FULLFSYNC does; elsewhere these two do nothing. A
            // checkpoint always needs it: the log has to be on the disk before the file is overwritten.
            "fullfsync = \(isFull ? "ON" : "OFF")",
            "checkpoint_fullfsync = ON",
        ].map { "PRAGMA \($0)" }.joined(separator: ";")
    }
}

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
        if !configuration.isStoredInMemoryOnly {
            try makeDefaultDirectory()
            _ = try FileInspection(url: configuration.url).inspect(allowsSave: configuration.allowsSave)
        }
        let inspection = FileInspection(url: configuration.url)
        let path = configuration.allowsSave ? configuration.url.path : inspection.readOnlyPath
        let durability = configuration.durability
        let isInMemory = configuration.isStoredInMemoryOnly
        let database = try Database(
            path: path, inMemory: isInMemory, readOnly: !configuration.allowsSave,
            busyTimeout: configuration.busyTimeout
        ) { connection in
            try Self.prepare(connection, durability, isInMemory: isInMemory)
        }
        do {
            return (database, try layout(database))
        } catch {
            database.close()
            throw error
        }
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
            throw SwiftDataError.missingDirectory.adding(detail: "\(directory.path) cannot be made", underlying: error)
        }
    }

    /// Every connection's settings; the writer's come first, and make the file what it has to be before any other opens it.
    private static func prepare(
        _ connection: Connection, _ durability: ModelConfiguration.Durability, isInMemory: Bool
    ) throws {
        try connection.define(TextFunctions.all)
        if !connection.isReadOnly {
            // In rollback mode, so that the header in the main file says whose it is from the first moment on.
            if try connection.scalarInt64("PRAGMA application_id") != FileFormat.applicationIdentifier {
                try connection.immediate {
                    // Another process may have been faster, or have made something else of the file.
                    guard try FileFormat.finding(connection, path: "the file") == .new else { return }
                    try connection.execute(
                        "PRAGMA application_id = \(FileFormat.applicationIdentifier);"
                            + "PRAGMA user_version = \(FileFormat.version)")
                }
            }
            if !isInMemory { try connection.enableWAL() }
            // https://www.sqlite.org/pragma.html#pragma_recursive_triggers: rows that REPLACE removes fire triggers too.
            try connection.execute(
                "PRAGMA recursive_triggers = ON; PRAGMA foreign_keys = ON;"
                    + "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        }
    }
}

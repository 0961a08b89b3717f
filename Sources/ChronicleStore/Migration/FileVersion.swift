import ChronicleCore
import ChronicleSQLite

/// The version of a schema, as a file keeps it.
struct FileVersion: Equatable {
    let identifier: Schema.Version
    /// The ``Schema/versionHash``.
    let hash: String

    init(_ identifier: Schema.Version, of schema: Schema) {
        self.identifier = identifier
        hash = schema.versionHash
    }

    /// Reads the version of a file, which is `nil` if no program has declared one.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if the stored version is invalid.
    init?(_ connection: Connection) throws {
        guard let text = try MetaTable.text(.schemaVersion, connection) else { return nil }
        guard let identifier = Schema.Version(text) else {
            throw SwiftDataError.damagedRow(.meta(MetaTable.Name.schemaVersion.text), "the version is invalid")
        }
        self.identifier = identifier
        hash = try MetaTable.text(.schemaHash, connection) ?? ""
    }

    func store(_ connection: Connection) throws {
        try MetaTable.set(.schemaVersion, identifier.description, connection)
        try MetaTable.set(.schemaHash, hash, connection)
    }

    /// Throws an error if the file has a later version than this one.
    ///
    /// - Returns: The version of the file, if it has one.
    @discardableResult
    func requireNotLater(_ connection: Connection) throws -> FileVersion? {
        let stored = try FileVersion(connection)
        guard let stored, stored.identifier > identifier else { return stored }
        throw SwiftDataError.newerSchemaVersion.with(
            detail: "the file has version \(stored.identifier) of its schema, but this program supports versions up to "
                + "\(identifier); update the program")
    }
}

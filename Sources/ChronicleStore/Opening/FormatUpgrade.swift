import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Upgrades a file to the current format, in the transaction that completes its schema. Positions, check values, and the
/// identifiers of models and transactions do not change, so tokens remain valid.
struct FormatUpgrade {
    /// A step to the next version. It may drop the triggers of entities, which are created again.
    typealias Step = @Sendable (Connection) throws -> Void

    /// The steps by the versions that they upgrade. There are none yet, because no earlier format was released. Tests add
    /// some.
    @TaskLocal static var steps: [Int64: Step] = [:]

    /// Whether the triggers, which the upgrade may replace, recorded every change before it.
    let wasRecorded: Bool

    /// Returns `nil` if the file has the current format. Throws ``SwiftDataError/unsupportedFileVersion`` if a step is
    /// missing.
    static func run(_ connection: Connection, path: String) throws -> FormatUpgrade? {
        var version = try FileFormat.version(connection)
        guard version < FileFormat.current else { return nil }
        let upgrade = FormatUpgrade(wasRecorded: try wasComplete(connection))
        while version < FileFormat.current {
            guard let step = steps[version] else { throw FileFormat.unsupported(version, path) }
            try step(connection)
            version += 1
        }
        try FileFormat.setVersion(version, connection)
        try MetaTable.set(.format, version, connection)
        try MetaTable.removeCompletions(connection)
        return upgrade
    }

    /// If the definitions have changed since the file last met a schema, another program may have changed the triggers.
    private static func wasComplete(_ connection: Connection) throws -> Bool {
        let digest = try FileSchema(connection).digest
        return try connection.scalarInt64(
            "SELECT 1 FROM chronicle_meta WHERE \(MetaName.isCompletion) AND value = ?"
        ) { try $0.bind(digest, at: 1) } != nil
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Upgrades a file to the current format, in the transaction that completes its schema.
///
/// A process that ends at any time during the upgrade leaves the file as it was. Positions, check values, and the
/// identifiers of models and transactions do not change, so tokens remain valid.
struct FormatUpgrade {
    /// A change of a file from one version of the format to the next one. It may drop the triggers of entities, which
    /// are created again.
    typealias Step = @Sendable (Connection) throws -> Void

    /// The steps by the versions that they upgrade. An earlier version without a step is not supported.
    ///
    /// There are none yet, because no earlier format was released. Tests add some.
    @TaskLocal static var steps: [Int64: Step] = [:]

    /// Whether the triggers recorded every change before the upgrade, which may replace them.
    let wasRecorded: Bool

    /// Upgrades a file, if it has an earlier format.
    ///
    /// - Returns: `nil` if the file was not upgraded.
    /// - Throws: ``SwiftDataError/unsupportedFileVersion`` if a step is missing, or the error of a step.
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

    /// Returns whether the definitions of the file are the same as when it last met a schema. If they are not, another
    /// program may have changed the triggers.
    private static func wasComplete(_ connection: Connection) throws -> Bool {
        let digest = try FileSchema(connection).digest
        return try connection.scalarInt64(
            "SELECT 1 FROM chronicle_meta WHERE \(MetaName.isCompletion) AND value = ?"
        ) { try $0.bind(digest, at: 1) } != nil
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The identification of Chronicle's files and the version of their format.
enum FileFormat {
    /// "Chrn" in the header's application identifier. https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationIdentifier: Int64 = 0x4368_726e
    /// Files of earlier versions are upgraded when they are opened with write access, if ``FormatUpgrade`` has the steps.
    static let current: Int64 = 2
    /// The version of a file with the tables of seals, which differs in nothing else. Programs that do not know these tables would
    /// purge and erase history without events, so they must not open the file. See ``SealTables``.
    static let sealed: Int64 = 3

    /// Whether this program reads and writes the version without an upgrade.
    static func isSupported(_ version: Int64) -> Bool { (current...sealed).contains(version) }

    /// Runs in one transaction, because another process may be creating the file.
    static func finding(_ connection: Connection, path: String) throws -> FileInspection.Finding {
        try connection.deferredRead { try findingInSnapshot(connection, path) }
    }

    private static func findingInSnapshot(_ connection: Connection, _ path: String) throws -> FileInspection.Finding {
        let application = try connection.scalarInt64("PRAGMA application_id") ?? 0
        if application == applicationIdentifier {
            // Without reading the schema, which may be damaged.
            guard try !isSupported(headerVersion(connection)) else { return .store }
            try requireSupportedVersion(connection, path)
            return .store
        }
        try RecorderObjects(connection).requireComplete(path: path)
        if try isTracked(connection) {
            try requireSupportedVersion(connection, path)
            return .tracked
        }
        let tables = try connection.scalarInt64("SELECT count(*) FROM sqlite_master") ?? 0
        guard application == 0, tables == 0 else {
            throw SwiftDataError.notAChronicleStore.with(
                detail: "\(path) is an SQLite database of another program; choose another URL, or record its "
                    + "changes with `chronicle track FILE`")
        }
        return .new
    }

    @discardableResult
    static func requireSupportedVersion(_ connection: Connection, _ path: String) throws -> Int64 {
        let version = try version(connection)
        if isSupported(version) || version < current && FormatUpgrade.steps[version] != nil { return version }
        throw unsupported(version, path)
    }

    static func unsupported(_ version: Int64, _ path: String) -> SwiftDataError {
        .unsupportedFileVersion.with(
            detail: "\(path) has format version \(version), but this program supports versions \(current) and "
                + "\(sealed); " + (version > sealed ? "update it" : "use the program that created the file"))
    }

    @discardableResult
    static func requireCurrentVersion(_ connection: Connection, _ path: String) throws -> Int64 {
        let version = try requireSupportedVersion(connection, path)
        guard version < current else { return version }
        throw SwiftDataError.loadIssueModelContainer.with(
            detail: "\(path) has an earlier format; open it once with `allowsSave: true` to upgrade it")
    }

    /// The version in `chronicle_meta`, if there is one, applies: other programs use `user_version` in the header. A file
    /// without tables will have the current version.
    static func version(_ connection: Connection) throws -> Int64 {
        if try hasMetaTable(connection), let version = try MetaTable.integer(.format, connection) { return version }
        let version = try headerVersion(connection)
        return try (version < current || version == sealed) && isIncomplete(connection) ? current : version
    }

    /// Whether the process that created the file was interrupted. Opening the file with write access creates the tables.
    static func isIncomplete(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_' LIMIT 1") == nil
    }

    static func incomplete(_ path: String) -> SwiftDataError {
        .loadIssueModelContainer.with(
            detail: "\(path) contains no store, because it is empty, its creation was interrupted, or it was copied or "
                + "renamed without its log \(path)-wal; copy the log, too, or use container.backup(to:). Otherwise, open it "
                + "once with `allowsSave: true` to create the store, or restore a backup")
    }

    static func isTracked(_ connection: Connection) throws -> Bool {
        try hasMetaTable(connection) && MetaTable.integer(.tracked, connection) != nil
    }

    static func hasMetaTable(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql = ?") {
            try $0.bind(MetaTable.createTable.replacing("IF NOT EXISTS ", with: ""), at: 1)
        } != nil
    }

    static func headerVersion(_ connection: Connection) throws -> Int64 {
        try connection.scalarInt64("PRAGMA user_version") ?? 0
    }

    static func setVersion(_ version: Int64, _ connection: Connection) throws {
        try connection.execute("PRAGMA user_version = \(version)")
    }
}

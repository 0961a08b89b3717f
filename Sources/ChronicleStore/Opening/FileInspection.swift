import ChronicleCore
import ChronicleSQLite
import Foundation

/// Looks at a file before it is opened, so that one which is not ours stays as it is.
struct FileInspection {
    enum Finding {
        /// There is no file, or one without content.
        case new
        case ours
    }

    let url: URL

    /// - Throws: What keeps the file from being used.
    func inspect(allowsSave: Bool) throws -> Finding {
        let path = url.path
        let directory = url.deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw SwiftDataError.missingDirectory.adding(detail: "\(directory) is no directory")
        }
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            guard allowsSave else {
                throw SwiftDataError.loadIssueModelContainer.adding(
                    detail: "\(path) does not exist, and the configuration does not allow to make it")
            }
            try requireWritable(directory)
            return .new
        }
        guard !isDirectory.boolValue else {
            throw SwiftDataError.notADatabase.adding(detail: "\(path) is a directory")
        }
        if try size(path) == 0 {
            if allowsSave { try requireWritable(path) }
            return .new
        }
        // Without locks first: SQLite then touches nothing at all (https://www.sqlite.org/uri.html, immutable=1). What
        // makes no sense may be a page that another process is just writing; a second look waits for its lock.
        let finding: Finding
        do { finding = try look(immutable: true) } catch SwiftDataError.notADatabase, SwiftDataError.damagedFile {
            finding = try look(immutable: false)
        }
        if allowsSave {
            try requireWritable(path)
            // The log and its index are made beside the file. https://www.sqlite.org/wal.html#read_only_databases
            try requireWritable(directory)
        }
        return finding
    }

    private func size(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    private func requireWritable(_ path: String) throws {
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw SwiftDataError.fileIsReadOnly.adding(detail: "\(path) cannot be written")
        }
    }

    private func look(immutable: Bool) throws -> Finding {
        do {
            let connection = try Connection(path: immutable ? immutableURI : url.path, mode: .readOnly)
            defer { connection.close() }
            return try FileFormat.finding(connection, path: url.path)
        } catch let error as SQLiteError {
            throw SwiftDataError(error, storeIdentifier: nil).adding(detail: "\(url.path): \(error.message)")
        }
    }

    /// The path to open a store by that is only read. Where the log cannot be made and is not there, SQLite reads the
    /// file as one that nobody changes. https://www.sqlite.org/wal.html#read_only_databases
    var readOnlyPath: String {
        let manager = FileManager.default
        let canKeepLog = manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
        return canKeepLog || manager.fileExists(atPath: url.path + "-wal") ? url.path : immutableURI
    }

    private var immutableURI: String {
        // `?` and `#` would end the path of a URI, `%` begin an escape.
        let path = url.path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:\(path)?immutable=1"
    }
}

/// How a file says that it is one of Chronicle's.
enum FileFormat {
    /// "Chrn" in the header's application identifier. https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationIdentifier: Int64 = 0x4368_726e
    /// The version that this code reads and writes, in the header's user version.
    static let version: Int64 = 1

    static func finding(_ connection: Connection, path: String) throws -> FileInspection.Finding {
        let application = try connection.scalarInt64("PRAGMA application_id") ?? 0
        let version = try connection.scalarInt64("PRAGMA user_version") ?? 0
        if application == applicationIdentifier {
            guard version <= self.version else {
                throw SwiftDataError.fileOfNewerFormat.adding(
                    detail: "\(path) has format \(version), this program reads up to \(self.version)")
            }
            return .ours
        }
        let tables = try connection.scalarInt64("SELECT count(*) FROM sqlite_master") ?? 0
        guard application == 0, tables == 0 else {
            throw SwiftDataError.fileOfAnotherApplication.adding(
                detail: "\(path) is an SQLite database that Chronicle did not make")
        }
        return .new
    }
}

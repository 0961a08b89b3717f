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

    /// The file itself, not a symbolic link to it: SQLite keeps the journal and the log beside the file.
    let path: String

    /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for a symbolic link that leads back to itself.
    init(url: URL) throws { path = try Self.resolvingLinks(url.path) }

    /// - Throws: What keeps the file from being used.
    func inspect(allowsSave: Bool) throws -> Finding {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw SwiftDataError.missingDirectory.with(detail: "\(directory) is no directory")
        }
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            guard allowsSave else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "\(path) does not exist, and the configuration does not allow to make it")
            }
            try requireWritable(directory)
            return .new
        }
        guard !isDirectory.boolValue else {
            throw SwiftDataError.notADatabase.with(detail: "\(path) is a directory")
        }
        if try size(path) == 0 {
            if allowsSave { try requireWritable(path) }
            return .new
        }
        // Without locks first: SQLite then touches nothing at all (https://www.sqlite.org/uri.html, immutable=1). What
        // makes no sense may be a page that another process is just writing, or that one wrote in part before it ended.
        let finding: Finding
        do { finding = try look(immutableURI) } catch SwiftDataError.notADatabase, SwiftDataError.damagedFile {
            finding = try lookWithLock(allowsSave: allowsSave)
        }
        if allowsSave { try requireWritableFiles() }
        return finding
    }

    /// The size of a file; 0 when there is none.
    private func size(_ path: String) throws -> Int {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.size] as? NSNumber)?.intValue ?? 0
        } catch CocoaError.fileReadNoSuchFile { return 0 }
    }

    private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    private func requireWritableFiles() throws {
        try requireWritable(path)
        // The log and its index are made beside the file. https://www.sqlite.org/wal.html#read_only_databases
        try requireWritable(directory)
    }

    private func requireWritable(_ path: String) throws {
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw SwiftDataError.fileReadOnly.with(detail: "\(path) cannot be written")
        }
    }

    // MARK: Looking

    /// Waits for the lock of a process that is writing. What a transaction left that did not end, because the power failed
    /// or the process was killed, is rolled back from its journal. https://www.sqlite.org/lockingv3.html#hot_journals
    private func lookWithLock(allowsSave: Bool) throws -> Finding {
        do { return try look(path) } catch let error as SwiftDataError {
            guard allowsSave, (error.underlying as? SQLiteError)?.needsRecovery == true else { throw error }
            try requireWritableFiles()
            return try look(path, mode: .readWrite)
        }
    }

    private func look(_ path: String, mode: Connection.Mode = .readOnly) throws -> Finding {
        do {
            let connection = try Connection(path: path, mode: mode)
            defer { connection.close() }
            return try FileFormat.finding(connection, path: self.path)
        } catch let error as SQLiteError {
            let error = SwiftDataError(error, storeIdentifier: nil)
            throw error.with(detail: "\(self.path): \(error.detail ?? "")")
        }
    }

    /// The path to open a store by that is only read. Where the log cannot be made and is not there, SQLite reads the
    /// file as one that nobody changes, https://www.sqlite.org/wal.html#read_only_databases, unless a journal says that
    /// it has to be rolled back first.
    var readOnlyPath: String {
        get throws {
            let manager = FileManager.default
            if manager.isWritableFile(atPath: directory) || manager.fileExists(atPath: path + "-wal") { return path }
            return try size(path + "-journal") > 0 ? path : immutableURI
        }
    }

    private var immutableURI: String {
        // `?` and `#` would end the path of a URI, `%` begin an escape.
        let path = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:\(path)?immutable=1"
    }

    // MARK: Symbolic links

    /// The path without symbolic links, also when the file that they lead to is not there yet. What cannot be looked at is
    /// left for ``inspect(allowsSave:)`` to report.
    private static func resolvingLinks(_ path: String) throws -> String {
        var path = path
        // As many as Linux follows. https://man7.org/linux/man-pages/man7/path_resolution.7.html
        for _ in 0...40 {
            if let resolved = realPath(path) { return resolved }
            let code = errno
            if code == ELOOP { break }
            // Not by URLs, which take `a/..` for nothing, whatever `a` is a link to.
            guard code == ENOENT, let slash = path.lastIndex(of: "/"),
                let directory = realPath(slash == path.startIndex ? "/" : String(path[..<slash]))
            else { return path }
            path = (directory == "/" ? "" : directory) + path[slash...]
            guard let destination = linkDestination(path) else { return path }
            path = destination.hasPrefix("/") ? destination : "\(directory)/\(destination)"
        }
        throw SwiftDataError.loadIssueModelContainer.with(detail: "\(path) is one of too many symbolic links")
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where a symbolic link leads; `nil` when it is none.
    private static func linkDestination(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}

/// How a file says that it is one of Chronicle's.
enum FileFormat {
    /// "Chrn" in the header's application identifier. https://www.sqlite.org/pragma.html#pragma_application_id
    static let applicationIdentifier: Int64 = 0x4368_726e
    /// The version that this code reads and writes, in the header's user version.
    static let version: Int64 = 1

    /// What a file is, of one moment: another process may be making it.
    static func finding(_ connection: Connection, path: String) throws -> FileInspection.Finding {
        try connection.deferredRead { try findingInSnapshot(connection, path) }
    }

    private static func findingInSnapshot(_ connection: Connection, _ path: String) throws -> FileInspection.Finding {
        let application = try connection.scalarInt64("PRAGMA application_id") ?? 0
        let version = try connection.scalarInt64("PRAGMA user_version") ?? 0
        if application == applicationIdentifier {
            guard version <= self.version else {
                throw SwiftDataError.unsupportedFileVersion.with(
                    detail: "\(path) has format \(version), this program reads up to \(self.version)")
            }
            return .ours
        }
        let tables = try connection.scalarInt64("SELECT count(*) FROM sqlite_master") ?? 0
        guard application == 0, tables == 0 else {
            throw SwiftDataError.notAChronicleStore.with(
                detail: "\(path) is an SQLite database that Chronicle did not make")
        }
        return .new
    }
}

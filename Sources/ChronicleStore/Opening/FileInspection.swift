import ChronicleCore
import ChronicleSQLite
import Foundation

/// Inspects a file before the store opens it, so that a file of another format is not modified.
struct FileInspection {
    enum Finding {
        /// The file does not exist or is empty.
        case new
        case store
        /// See ``TrackedDatabase``.
        case tracked
    }

    /// The path without symbolic links, because SQLite keeps the journal and the log beside the file itself.
    let path: String

    init(url: URL) throws { path = try Self.resolvingLinks(url.path) }

    func inspect(allowsSave: Bool) throws -> Finding {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw SwiftDataError.missingDirectory.with(
                detail: "\(directory) is not an existing directory; create it first")
        }
        guard try exists else {
            guard allowsSave else {
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail: "\(path) does not exist; set `allowsSave` to `true` to create it")
            }
            try requireWritable(directory)
            return .new
        }
        try requireRegularFile()
        // A database that began in WAL mode can have all its pages in the log.
        let hasLog = try size(path + "-wal") > 0
        if try size(path) == 0, !hasLog {
            if allowsSave { try requireWritable(path) }
            return .new
        }
        // First without locks, which changes no file (https://www.sqlite.org/uri.html, immutable=1). Invalid content
        // may be a page that another process is writing, or wrote partially before it was interrupted.
        var finding: Finding
        do {
            finding = try read(immutableURI)
            if finding == .new, hasLog { finding = try readWithLock(allowsSave: allowsSave) }
        } catch SwiftDataError.notADatabase, SwiftDataError.damagedFile {
            finding = try readWithLock(allowsSave: allowsSave)
        } catch let error as SwiftDataError where error == .notAChronicleStore {
            // The log of a tracked database may contain the tables of its history.
            guard hasLog else { throw error }
            finding = try readWithLock(allowsSave: allowsSave)
        }
        if allowsSave { try requireWritableFiles() }
        return finding
    }

    /// Opening a pipe would wait for a program that writes to it.
    func requireRegularFile() throws {
        guard let type = try attributes(path)?[.type] as? FileAttributeType, type != .typeRegular else { return }
        throw SwiftDataError.notADatabase.with(
            detail: "\(path) is \(type == .typeDirectory ? "a directory; name a file in it" : "not a regular file")")
    }

    /// Only a connection that may write the file can roll back an interrupted transaction.
    func recover() throws {
        guard try exists, try size(path + "-journal") > 0 else { return }
        try requireRegularFile()
        try requireWritableFiles()
        _ = try read(path, mode: .readWrite)
    }

    private var exists: Bool { get throws { try attributes(path) != nil } }

    /// 0 if the file does not exist.
    private func size(_ path: String) throws -> Int { (try attributes(path)?[.size] as? NSNumber)?.intValue ?? 0 }

    private func attributes(_ path: String) throws -> [FileAttributeKey: Any]? {
        do { return try FileManager.default.attributesOfItem(atPath: path) } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch { throw Self.unreadable(path, error) }
    }

    private static func unreadable(_ path: String, _ error: any Error) -> SwiftDataError {
        .storeFailure.with(
            detail: "\(path) cannot be examined; check its name, and the state of the disk and the connection to it",
            underlying: error)
    }

    private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    func requireWritableFiles() throws {
        try requireWritable(path)
        // SQLite creates the log and its index beside the file. https://www.sqlite.org/wal.html#read_only_databases
        try requireWritable(directory)
        for file in [path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            try requireWritable(file)
        }
    }

    private func requireWritable(_ path: String) throws {
        // Another connection that ends deletes the log.
        guard FileManager.default.isWritableFile(atPath: path) || !FileManager.default.fileExists(atPath: path) else {
            throw SwiftDataError.fileReadOnly.with(
                detail: "\(path) is not writable; change its permissions or set `allowsSave` to `false`")
        }
    }

    // MARK: Reading

    /// Waits for a process that is writing, and rolls back an interrupted transaction.
    /// https://www.sqlite.org/lockingv3.html#hot_journals
    private func readWithLock(allowsSave: Bool) throws -> Finding {
        do { return try read(path) } catch let error as SwiftDataError {
            guard allowsSave, (error.underlying as? DatabaseError)?.needsRecovery == true else { throw error }
            try requireWritableFiles()
            return try read(path, mode: .readWrite)
        }
    }

    private func read(_ path: String, mode: Connection.Mode = .readOnly) throws -> Finding {
        do {
            let connection = try Connection(path: path, mode: mode)
            defer { connection.close() }
            return try FileFormat.finding(connection, path: self.path)
        } catch let error as SQLiteError {
            if error.isCannotOpen { try requireIndex() }
            let error = SwiftDataError(error, storeIdentifier: nil)
            throw error.with(detail: "\(self.path): \(error.detail ?? "")")
        }
    }

    /// Rejects a log without its index, which a reader would have to create in a directory that it cannot write.
    /// https://www.sqlite.org/wal.html#read_only_databases
    private func requireIndex() throws {
        let manager = FileManager.default
        guard try size(path + "-wal") > 0, !manager.fileExists(atPath: path + "-shm"),
            !manager.isWritableFile(atPath: directory)
        else { return }
        throw SwiftDataError.loadIssueModelContainer.with(
            detail:
                "\(path)-wal contains transactions, but its index \(path)-shm is missing and cannot be created, because "
                + "\(directory) is not writable; copy both files to another directory, or open the store once with write "
                + "access")
    }

    /// If the log is empty or missing, and cannot be created, the file is opened as immutable
    /// (https://www.sqlite.org/wal.html#read_only_databases), unless it has a journal that must be rolled back first.
    var readOnlyPath: String {
        get throws {
            let manager = FileManager.default
            if manager.isWritableFile(atPath: directory) { return path }
            try requireIndex()
            if manager.fileExists(atPath: path + "-wal"), manager.fileExists(atPath: path + "-shm") { return path }
            // A tracked database without a log can be read, and must not be opened as immutable while its program writes.
            if try !usesLog { return path }
            return try size(path + "-journal") > 0 ? path : immutableURI
        }
    }

    /// https://www.sqlite.org/fileformat.html#file_format_version_numbers
    private var usesLog: Bool {
        get throws {
            do {
                let connection = try Connection(path: immutableURI, mode: .readOnly)
                defer { connection.close() }
                let header = try connection.fileHeader(20)
                return header.isEmpty || header[19] == 2
            } catch { throw Self.unreadable(path, error) }
        }
    }

    private var immutableURI: String {
        // In a URI, `?` and `#` end the path, and `%` begins an escape sequence.
        let path = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:\(path)?immutable=1"
    }

    // MARK: Symbolic links

    /// The destination may not exist yet. Other errors are reported by ``inspect(allowsSave:)``.
    private static func resolvingLinks(_ path: String) throws -> String {
        var path = path
        // The number of links that Linux follows. https://man7.org/linux/man-pages/man7/path_resolution.7.html
        for _ in 0...40 {
            if let resolved = realPath(path) { return resolved }
            let code = errno
            if code == ELOOP { break }
            // URLs are not used here because they remove `a/..` even if `a` is a symbolic link.
            guard code == ENOENT, let slash = path.lastIndex(of: "/"),
                let directory = realPath(slash == path.startIndex ? "/" : String(path[..<slash]))
            else { return path }
            path = (directory == "/" ? "" : directory) + path[slash...]
            guard let destination = linkDestination(path) else { return path }
            path = destination.hasPrefix("/") ? destination : "\(directory)/\(destination)"
        }
        throw SwiftDataError.loadIssueModelContainer.with(detail: "too many levels of symbolic links at \(path)")
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func linkDestination(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}

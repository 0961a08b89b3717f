import ChronicleCore
import ChronicleSQLite
import ChronicleStore
import Foundation
import Synchronization

/// Reads a file of Core Data without writing to it or to the files beside it.
///
/// | files | how the file is read |
/// | --- | --- |
/// | no `-wal`, no `-journal` | in place as immutable, without locks; opened again after it changes |
/// | `-wal` and a `-shm` that can be read | in place, with the `-shm` opened for reading only |
/// | a `-wal` without `-shm`, or a `-journal` | a private copy, which is made again after the file changes |
final class AppleFile: Sendable {
    let path: String
    private let opened: Mutex<Opened?> = Mutex(nil)

    private struct Opened {
        let database: Database
        let state: FileState
        let isShared: Bool
        /// Removes the copy when it is not used any more.
        let copy: PrivateCopy?
    }

    /// Throws if there is no regular file.
    init(url: URL) throws {
        path = url.resolvingSymlinksInPath().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw SwiftDataError.loadIssueModelContainer.with(detail: "\(url.path) does not exist; check the path")
        }
        let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == .typeRegular else {
            throw SwiftDataError.notADatabase.with(
                detail: "\(url.path) is \(isDirectory.boolValue ? "a directory" : "not a regular file")")
        }
    }

    /// If `isRepeatable`, the closure can run again if the file changed during the first time. Throws
    /// `SwiftDataError.storeBusy` if the file changed while it was read without locks.
    func read<Result>(isRepeatable: Bool = true, _ body: (Connection) throws -> Result) throws -> Result {
        if isRepeatable, let result = try attempt(isRepeatable: true, body) { return result }
        if let result = try attempt(isRepeatable: false, body) { return result }
        throw Self.busy(path)
    }

    /// Returns `nil` if the file changed and the closure can run again.
    private func attempt<Result>(
        isRepeatable: Bool, _ body: (Connection) throws -> Result
    ) throws -> Result? {
        // A statement that runs meanwhile keeps a database that was replaced.
        let opened = try SQLiteQueries.attributingErrors(to: nil) { try current() }
        // The copy is removed with the last user.
        return try withExtendedLifetime(opened) {
            do {
                let result = try SQLiteQueries.attributingErrors(to: nil) {
                    try opened.database.read { connection in try connection.deferredRead { try body(connection) } }
                }
                if isCurrent(opened) { return result }
            } catch let error as SwiftDataError {
                // Parts of two states can look damaged.
                if isCurrent(opened) { throw error }
                if !isRepeatable { throw Self.busy(path).with(underlying: error) }
            }
            return nil
        }
    }

    /// Whether nothing was written since the file was opened without locks. A program writes to its log first, and to the
    /// file in a checkpoint.
    private func isCurrent(_ opened: Opened) -> Bool {
        opened.isShared || opened.copy != nil || FileState(path: path).file == opened.state.file
    }

    private static func busy(_ path: String) -> SwiftDataError {
        SwiftDataError.storeBusy.with(
            detail: "another program wrote to \(path) while it was read; try again, or close the program")
    }

    /// Whether the file without its log is a store of Core Data; `nil` if only the log tells.
    var isRecognizedWithoutLog: Bool? {
        get throws {
            let state = FileState(path: path)
            // Content that another process is writing can look damaged.
            let isRecognized = try? SQLiteQueries.attributingErrors(to: nil) {
                let connection = try Connection(path: "\(uri(path))?immutable=1", mode: .readOnly)
                defer { connection.close() }
                let count = try connection.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
                return count == 0 ? nil : try AppleLayout.isUntracked(connection)
            }
            // The log of a file that looks like one can contain the tables of a tracked database.
            let isWhole = state.log == nil && state.journal == nil
            guard let known = isRecognized else { return isWhole ? false : nil }
            return known && !isWhole ? nil : known
        }
    }

    private func current() throws -> Opened {
        let state = FileState(path: path)
        try state.requireRegularFiles(path)
        return try opened.withLock { opened in
            if let known = opened, known.isShared ? known.state.isSameFile(as: state) : known.state == state {
                return known
            }
            opened = nil
            let new = try open(state)
            opened = new
            return new
        }
    }

    private func open(_ state: FileState) throws -> Opened {
        if state.journal == nil, state.log == nil {
            return Opened(database: try database("\(uri(path))?immutable=1"), state: state, isShared: false, copy: nil)
        }
        if state.journal == nil, state.hasIndex {
            do {
                let database = try database("\(uri(path))?readonly_shm=1")
                return Opened(database: database, state: state, isShared: true, copy: nil)
            } catch let error as SQLiteError where error.isCannotOpen || error.isReadOnly {
                // The index cannot be used as it is.
            }
        }
        let copy = try PrivateCopy(of: path)
        return Opened(
            database: try database("\(uri(copy.path))?immutable=1"), state: copy.state, isShared: false, copy: copy)
    }

    private func database(_ uri: String) throws -> Database {
        let database = try Database(path: uri, readOnly: true) { [path] connection in
            try SQLiteQueries.prepare(connection)
            try connection.define(AppleFunctions.all(path: path))
        }
        // SQLite reads the file with the first statement.
        do {
            _ = try database.read { try $0.scalarInt64("SELECT count(*) FROM sqlite_schema") }
        } catch {
            database.close()
            throw error
        }
        return database
    }

    private func uri(_ path: String) -> String {
        // In a URI, `?` and `#` end the path, and `%` begins an escape sequence.
        "file:" + path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }
}

/// Two states show whether the files of a database changed.
struct FileState: Hashable {
    struct Facts: Hashable {
        let device, number: UInt64
        let size: Int64
        let modified: Date
        /// `false` for a link, a pipe or a directory.
        let isRegular: Bool
    }

    let file, log, journal: Facts?
    /// A shared-memory file exists and can be read.
    let hasIndex: Bool

    init(path: String) {
        file = Self.facts(path)
        log = Self.facts(path + "-wal")
        journal = Self.facts(path + "-journal").flatMap { $0.size > 0 ? $0 : nil }
        hasIndex =
            Self.facts(path + "-shm").map { $0.isRegular && $0.size > 0 } == true
            && FileManager.default.isReadableFile(atPath: path + "-shm")
    }

    /// Links could make SQLite read, and a copy replace, files of another kind.
    func requireRegularFiles(_ path: String) throws {
        for (suffix, facts) in [("", file), ("-wal", log), ("-journal", journal)] where facts?.isRegular == false {
            throw SwiftDataError.storeFailure.with(
                detail: "\(path)\(suffix) is not a regular file; replace it by a copy of the file to which it refers")
        }
    }

    /// A connection that reads the log in place can still be used.
    func isSameFile(as other: FileState) -> Bool {
        file?.number == other.file?.number && file?.device == other.file?.device && other.log != nil
            && log?.number == other.log?.number && other.journal == nil
    }

    private static func facts(_ path: String) -> Facts? {
        // A file that cannot be examined cannot be read either, which the connection reports.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        func number(_ key: FileAttributeKey) -> NSNumber { attributes[key] as? NSNumber ?? 0 }
        return Facts(
            device: number(.systemNumber).uint64Value, number: number(.systemFileNumber).uint64Value,
            size: number(.size).int64Value, modified: attributes[.modificationDate] as? Date ?? .distantPast,
            isRegular: attributes[.type] as? FileAttributeType == .typeRegular)
    }
}

import ChronicleCore
import ChronicleSQLite
import Foundation

/// A temporary directory contains the copy, and is removed with the last reference.
final class PrivateCopy: Sendable {
    /// The copy has all content of the log and no files beside it.
    let path: String
    /// The original files when they were copied.
    let state: FileState
    private let directory: URL

    private static let attempts = 3

    /// Throws `SwiftDataError.storeBusy` if another process changes the files meanwhile, or `SwiftDataError.storeFailure`
    /// if they cannot be copied, or a journal names a file that SQLite would delete.
    init(of original: String) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-copy-\(UUID().uuidString)")
        path = directory.appending(path: "copy").path
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            state = try Self.copy(original, to: path)
            if state.journal != nil { try Self.rejectSuperJournal(path, original) }
            try Self.complete(path)
        } catch {
            // The error of the copy is the one to report.
            try? FileManager.default.removeItem(at: directory)
            if error is SQLiteError || error is SwiftDataError { throw error }
            throw SwiftDataError.storeFailure.with(
                detail: "\(original) has a log without an index and cannot be copied to \(directory.path); make space "
                    + "there, or set TMPDIR to another directory", underlying: error)
        }
    }

    deinit {
        // Nothing depends on the directory any more; the system removes temporary files that remain.
        try? FileManager.default.removeItem(at: directory)
    }

    private static func copy(_ original: String, to path: String) throws -> FileState {
        for _ in 0..<attempts {
            let state = FileState(path: original)
            try state.requireRegularFiles(original)
            for (suffix, facts) in [("", state.file), ("-wal", state.log), ("-journal", state.journal)] {
                if FileManager.default.fileExists(atPath: path + suffix) {
                    try FileManager.default.removeItem(atPath: path + suffix)
                }
                if let facts { try copy(original + suffix, to: path + suffix, size: facts.size) }
            }
            if FileState(path: original) == state { return state }
        }
        throw SwiftDataError.storeBusy.with(
            detail: "\(original) changes while it is copied; try again, or close the program that writes it")
    }

    /// Copies at most as many bytes as the file had, so that a file that shrinks or grows meanwhile ends the copy.
    private static func copy(_ original: String, to path: String, size: Int64) throws {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: original))
        // A handle that is not closed here is closed with its last reference.
        defer { try? source.close() }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let destination = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        var rest = size
        while rest > 0, let data = try source.read(upToCount: Int(min(rest, 1 << 20))), !data.isEmpty {
            try destination.write(contentsOf: data)
            rest -= Int64(data.count)
        }
        // Reports a disk that is full only now.
        try destination.close()
    }

    /// A transaction of several databases writes the path of a file to the end of each journal. SQLite deletes that file,
    /// wherever it is, after it has rolled back the journal.
    private static func rejectSuperJournal(_ path: String, _ original: String) throws {
        let journal = try FileHandle(forReadingFrom: URL(fileURLWithPath: path + "-journal"))
        // A handle that is not closed here is closed with its last reference.
        defer { try? journal.close() }
        let size = try journal.seekToEnd()
        guard size >= 16 else { return }
        try journal.seek(toOffset: size - 8)
        guard try journal.readToEnd() == Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) else { return }
        throw SwiftDataError.storeFailure.with(
            detail: "\(original)-journal belongs to an interrupted transaction of several databases, which only the "
                + "program that wrote it can roll back; open the file with that program, and copy it after that")
    }

    /// Applies the log or the journal to the copy.
    private static func complete(_ path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        _ = try connection.scalarInt64("SELECT count(*) FROM sqlite_schema")
        _ = try connection.scalarText("PRAGMA journal_mode = DELETE")
    }
}

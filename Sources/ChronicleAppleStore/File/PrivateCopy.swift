import ChronicleCore
import ChronicleSQLite
import Foundation

/// A copy of a database with its log, in a temporary directory that is removed with the last reference.
final class PrivateCopy: Sendable {
    /// The copy, which has all content of the log and no files beside it.
    let path: String
    /// The state of the original files when they were copied.
    let state: FileState
    private let directory: URL

    private static let attempts = 3

    /// - Throws: `SwiftDataError.storeBusy` if another process changes the files while they are copied, or
    ///   `SwiftDataError.storeFailure` if they cannot be copied.
    init(of original: String) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "chronicle-copy-\(UUID().uuidString)")
        path = directory.appending(path: "copy").path
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            state = try Self.copy(original, to: path)
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
        let manager = FileManager.default
        for _ in 0..<attempts {
            let state = FileState(path: original)
            for (suffix, exists) in [("", true), ("-wal", state.log != nil), ("-journal", state.journal != nil)] {
                if manager.fileExists(atPath: path + suffix) { try manager.removeItem(atPath: path + suffix) }
                guard exists else { continue }
                try manager.copyItem(atPath: original + suffix, toPath: path + suffix)
                // The original may be write-protected.
                try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
            }
            if FileState(path: original) == state { return state }
        }
        throw SwiftDataError.storeBusy.with(
            detail: "\(original) changes while it is copied; try again, or close the program that writes it")
    }

    /// Applies the log or the journal to the copy.
    private static func complete(_ path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        _ = try connection.scalarInt64("SELECT count(*) FROM sqlite_schema")
        _ = try connection.scalarText("PRAGMA journal_mode = DELETE")
    }
}

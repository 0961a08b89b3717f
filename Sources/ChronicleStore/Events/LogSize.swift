import ChronicleSQLite
import Foundation
import Synchronization

/// Detects that the write-ahead log of a store grows because a reader keeps an early state of the database.
///
/// SQLite copies the log to the file when it has 1,000 pages, but only up to the state that a connection still reads, and
/// writes appear at its end until everything was copied. See https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files
final class LogSize: Sendable {
    private let path: String
    private let onGrowth: @Sendable (Int) -> Void
    private let state = Mutex(State())

    private struct State {
        var checked: ContinuousClock.Instant?
        /// The size to report next, in bytes.
        var limit = LogSize.firstLimit
    }

    /// The first size that is reported, in bytes. Each further report is at twice the size.
    static let firstLimit = 64 << 20
    /// The shortest time between two checks.
    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - storePath: The path of the store's file.
    ///   - onGrowth: A closure that receives the size of the part of the log that cannot be copied, in bytes.
    init(storePath: String, onGrowth: @escaping @Sendable (Int) -> Void) {
        path = storePath + "-wal"
        self.onGrowth = onGrowth
    }

    /// Called after a commit with the connection that wrote.
    func check(_ connection: Connection) {
        let now = ContinuousClock.now
        let limit: Int? = state.withLock { state in
            if let checked = state.checked, now - checked < Self.interval { return nil }
            state.checked = now
            return state.limit
        }
        // The size of the file includes pages that were copied already.
        guard let limit, fileSize() >= limit else { return }
        // An error, such as that of a full disk, is one of the next commit or of the next automatic copy.
        guard let pages = try? connection.checkpoint(), let pageSize = try? connection.scalarInt64("PRAGMA page_size")
        else { return }
        let size = pages * Int(pageSize)
        state.withLock { $0.limit = max(Self.firstLimit, size >= limit ? size * 2 : limit / 2) }
        if size >= limit { onGrowth(size) }
    }

    private func fileSize() -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

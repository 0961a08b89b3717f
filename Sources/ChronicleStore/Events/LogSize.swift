import ChronicleSQLite
import Foundation
import Synchronization

/// Detects that the write-ahead log of a store grows because it cannot be copied to the file.
///
/// SQLite copies the log to the file when it has 1,000 pages, but only up to the state that a connection still reads. It
/// appends to the log until everything is copied. It ignores errors of the copy. See
/// https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files
final class LogSize: Sendable {
    private let path: String
    private let onGrowth: @Sendable (Int, (any Error)?) -> Void
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
    ///   - onGrowth: A closure that receives the size of the part of the log that cannot be copied, in bytes, and the
    ///     error of the copy; `nil` if a reader prevents it.
    init(storePath: String, onGrowth: @escaping @Sendable (Int, (any Error)?) -> Void) {
        path = storePath + "-wal"
        self.onGrowth = onGrowth
    }

    /// Called after a commit.
    ///
    /// - Parameters:
    ///   - connection: The connection that wrote.
    ///   - now: The current time.
    func check(_ connection: Connection, _ now: ContinuousClock.Instant) {
        let limit: Int? = state.withLock { state in
            if let checked = state.checked, now - checked < Self.interval { return nil }
            state.checked = now
            return state.limit
        }
        guard let limit else { return }
        // The size of the file includes pages that were copied already.
        let fileSize = fileSize()
        guard fileSize >= limit else { return }
        do {
            let pageSize = try connection.scalarInt64("PRAGMA page_size") ?? 0
            report(try connection.checkpoint() * Int(pageSize), limit, nil, connection)
        } catch {
            // The commit has succeeded, so the error is reported and not thrown.
            report(fileSize, limit, error, connection)
        }
    }

    private func report(_ size: Int, _ limit: Int, _ error: (any Error)?, _ connection: Connection) {
        state.withLock { $0.limit = max(Self.firstLimit, size >= limit ? size * 2 : limit / 2) }
        if size >= limit { connection.afterUse { [onGrowth] in onGrowth(size, error) } }
    }

    private func fileSize() -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

import ChronicleSQLite
import Synchronization

/// Detects that the write-ahead log grows because it cannot be copied to the file: commits copy it when it has 1,000 pages,
/// but only up to the state that a connection still reads. See
/// https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files
final class LogSize: Sendable {
    private let onGrowth: @Sendable (Int, (any Error)?) -> Void
    /// The size to report next, in bytes; each report doubles it.
    private let limit = Mutex(LogSize.firstLimit)

    static let firstLimit = 64 << 20

    /// - Parameter onGrowth: Receives the size of the part that cannot be copied, in bytes, and the error of the copy;
    ///   `nil` if a reader prevents it.
    init(onGrowth: @escaping @Sendable (Int, (any Error)?) -> Void) {
        self.onGrowth = onGrowth
    }

    /// Called after a checkpoint that followed a commit; `pages` were not copied.
    func check(_ connection: Connection, _ pages: Int, _ error: (any Error)?) {
        do {
            // A page has at most 65,536 bytes.
            let mayBeLarge = pages >= Self.firstLimit >> 16
            let size = mayBeLarge ? try connection.scalarInt64("PRAGMA page_size").map { pages * Int($0) } ?? 0 : 0
            report(size, error, connection)
        } catch {
            // The commit has succeeded, so the error is reported and not thrown.
            report(Self.firstLimit, error, connection)
        }
    }

    private func report(_ size: Int, _ error: (any Error)?, _ connection: Connection) {
        let isReported = limit.withLock { limit in
            let isReported = size >= limit
            if isReported { limit = size * 2 } else if size < limit / 4 { limit = max(Self.firstLimit, limit / 2) }
            return isReported
        }
        if isReported { connection.afterUse { [onGrowth] in onGrowth(size, error) } }
    }
}

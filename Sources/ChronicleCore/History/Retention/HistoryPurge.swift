import Foundation

/// Runs the steps of a purge, with pauses in which waiting writers get their turn.
package enum HistoryPurge {
    /// SQLite polls for a lock after 1, 2 and 5 milliseconds. If the lock is free for longer than it was held, and for
    /// at least 4 milliseconds, one of the first polls succeeds. <https://www.sqlite.org/c3ref/busy_timeout.html>
    private static let minimumPause: Duration = .milliseconds(4)

    /// Runs steps until the last one.
    ///
    /// - Parameter step: Runs the next step; returns `nil` to stop early.
    /// - Throws: The error of `step`, or `CancellationError` before the next step if the task was cancelled.
    package static func run(_ step: () throws -> HistoryPurgeStep?) async throws {
        while true {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            guard let done = try step(), !done.isLast else { return }
            try await Task.sleep(for: max(ContinuousClock.now - start, minimumPause))
        }
    }
}

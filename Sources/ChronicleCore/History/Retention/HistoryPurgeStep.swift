/// The result of one step of a purge.
public struct HistoryPurgeStep: Hashable, Sendable {
    /// The number of transactions that the step deleted.
    public var transactions: Int
    /// The number of changes that the step deleted.
    public var changes: Int
    /// The number of preserved values that the step erased. The value before and the one after a change count as one.
    public var values: Int
    /// The number of bytes that the step returned to the file system.
    public var returnedBytes: Int
    /// Whether nothing is left to do.
    public var isLast: Bool

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - transactions: The number of deleted transactions.
    ///   - changes: The number of deleted changes.
    ///   - values: The number of erased preserved values.
    ///   - returnedBytes: The number of bytes that were returned to the file system.
    ///   - isLast: Whether nothing is left to do.
    public init(transactions: Int = 0, changes: Int = 0, values: Int = 0, returnedBytes: Int = 0, isLast: Bool) {
        self.transactions = transactions
        self.changes = changes
        self.values = values
        self.returnedBytes = returnedBytes
        self.isLast = isLast
    }
}

extension HistoryPurgeStep {
    /// SQLite polls for a lock after 1, 2 and 5 milliseconds. If the lock is free for longer than it was held, and for
    /// at least 4 milliseconds, one of the first polls succeeds. <https://www.sqlite.org/c3ref/busy_timeout.html>
    private static let minimumPause: Duration = .milliseconds(4)

    /// Runs the steps of a purge up to the last one, with pauses for waiting writers, for a store that purges its history by
    /// itself.
    ///
    /// - Parameter next: A closure that runs the next step, or returns `nil` to stop.
    /// - Throws: The error of `next`, or `CancellationError` before the next step if the task was cancelled.
    public static func run(_ next: () throws -> HistoryPurgeStep?) async throws {
        while true {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            guard let step = try next(), !step.isLast else { return }
            // Other writers save during the pause, which is at least as long as the step.
            try await Task.sleep(for: max(ContinuousClock.now - start, minimumPause))
        }
    }
}

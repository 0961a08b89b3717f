/// How much a step of a purge does, adapted to the time for which the previous steps held the write lock.
struct PurgePacing {
    /// The number of rows to delete. A large value counts as several rows.
    private(set) var rows = 1_024
    /// The number of pages to return to the file system.
    private(set) var pages = 64
    /// The number of pages that remain to be returned; `nil` until the first step that returns some.
    private var remainingPages: Int64?
    /// The number of steps since the write-ahead log was copied to the file.
    private var steps = 0

    /// SQLite polls for a lock after 1, 2 and 5 milliseconds. A lock of 1.5 milliseconds is released before the third
    /// poll, even if the step takes twice as long as expected.
    private static let target: Duration = .microseconds(1_500)
    /// After these steps, the log has about half as many pages as a commit of the writer allows, so that the
    /// purge copies them and not another writer during its save.
    private static let stepsPerCheckpoint = 12

    mutating func deleted(in time: Duration) {
        Self.adapt(&rows, time, 64...65_536)
        remainingPages = nil
    }

    /// Adapts the number of pages to the time of a step.
    ///
    /// - Parameters:
    ///   - count: The number of pages that the step had to return.
    ///   - free: The number of free pages before the step.
    ///   - time: How long the step held the write lock.
    /// - Returns: Whether this was the last step.
    mutating func returnedPages(_ count: Int, of free: Int64, in time: Duration) -> Bool {
        Self.adapt(&pages, time, 4...4_096)
        let remaining = (remainingPages ?? free) - Int64(count)
        remainingPages = remaining > 0 ? remaining : nil
        return remaining <= 0
    }

    private static func adapt(_ size: inout Int, _ time: Duration, _ range: ClosedRange<Int>) {
        let factor = min(max(target / max(time, .nanoseconds(1)), 0.25), 1.5)
        size = min(max(Int(Double(size) * factor), range.lowerBound), range.upperBound)
    }

    /// Returns whether the log should be copied to the file after a step.
    mutating func needsCheckpoint(isLast: Bool) -> Bool {
        steps += 1
        guard isLast || steps >= Self.stepsPerCheckpoint else { return false }
        steps = 0
        return true
    }
}

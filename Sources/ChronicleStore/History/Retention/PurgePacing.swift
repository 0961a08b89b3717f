import ChronicleSQLite
import Synchronization

/// How much a step of a purge does, adapted to how long the previous steps held the write lock.
struct PurgePacing {
    /// A large value counts as several rows.
    private(set) var rows = 1_024
    /// The values to erase. They can be in as many pages.
    private(set) var values = 128
    /// The pages to return to the file system.
    private(set) var pages = 64
    /// `nil` until the first step that returns some pages.
    private var remainingPages: Int64?
    private var steps = 0

    /// SQLite polls for a lock after 1, 2 and 5 milliseconds. A lock of 1.5 milliseconds is released before the third poll,
    /// even if the step takes twice as long.
    private static let target: Duration = .microseconds(1_500)
    /// The log then has about half as many pages as a writer's commit allows, so that the purge copies them and not a save.
    private static let stepsPerCheckpoint = 12

    mutating func deleted(in time: Duration) {
        Self.adapt(&rows, time, 64...65_536)
        remainingPages = nil
    }

    mutating func erased(_ count: Int, in time: Duration) {
        // A step with few rows says nothing about those with more.
        if count > values / 4 { Self.adapt(&values, time, 16...16_384) }
        remainingPages = nil
    }

    /// Returns whether this was the last step. `count` is the number of pages that it had to return, `free` that of the
    /// free pages before.
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

    fileprivate mutating func needsCheckpoint(isLast: Bool) -> Bool {
        steps += 1
        guard isLast || steps >= Self.stepsPerCheckpoint else { return false }
        steps = 0
        return true
    }
}

extension DefaultStore {
    /// Copies the log after some commits of the maintenance connection, so that the next save need not. Writers wait meanwhile.
    ///
    /// - Parameter isLast: Whether no more commits follow.
    func copyLog(of maintenance: Connection, isLast: Bool) {
        guard purgePacing.withLock({ $0.needsCheckpoint(isLast: isLast) }) else { return }
        maintenance.tidy { try $0.checkpoint() }
    }
}

import ChronicleCSQLite

/// The condition under which SQLite interrupts a read.
package final class Interruption: Sendable {
    fileprivate let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: Returns whether the result is no longer needed. SQLite calls it on the reading thread every
    ///   few microseconds.
    package init(_ isCancelled: @escaping @Sendable () -> Bool) { self.isCancelled = isCancelled }

    /// The number of instructions of SQLite's virtual machine, chosen so that the calls have no measurable cost.
    fileprivate static let interval: Int32 = 10_000
}

extension Connection {
    /// Calls a closure whose statements SQLite interrupts after a time.
    ///
    /// - Returns: The result, or `nil` if a statement was interrupted. Writes must not be interrupted.
    package func reading<Result>(within limit: Duration, _ body: () throws -> Result) throws -> Result? {
        let end = ContinuousClock.now + limit
        let (outer, wasInterruptible) = (interruption, isInterruptible)
        setInterruptible(false)
        let inner = Interruption { outer?.isCancelled() == true || ContinuousClock.now >= end }
        interruption = inner
        setInterruptible(true)
        defer {
            setInterruptible(false)
            interruption = outer
            setInterruptible(wasInterruptible)
        }
        do { return try body() } catch let error as SQLiteError
            where error.isInterrupted && outer?.isCancelled() != true
        {
            return nil
        }
    }
}

// Interruption of reads whose result is no longer needed. Writes are not interrupted, because SQLite would roll back
// their transaction.
extension Connection {
    /// Whether ``interruption`` can end statements with an error for which `isInterrupted` is true.
    /// https://www.sqlite.org/c3ref/progress_handler.html
    func setInterruptible(_ isInterruptible: Bool) {
        guard let handle, let interruption else { return }
        self.isInterruptible = isInterruptible
        guard isInterruptible else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, Interruption.interval,
            { interruption in
                guard let interruption else { return 0 }
                // The connection retains it while it is open.
                return Unmanaged<Interruption>.fromOpaque(interruption).takeUnretainedValue().isCancelled() ? 1 : 0
            }, Unmanaged.passUnretained(interruption).toOpaque())
    }

    /// Sets the mode of a connection that performs both reads and writes.
    func interruptibly<Result>(_ isInterruptible: Bool, _ body: () throws -> Result) rethrows -> Result {
        // Reads in a transaction belong to a write.
        let previous = self.isInterruptible
        let next = isInterruptible && !isInTransaction
        guard next != previous else { return try body() }
        setInterruptible(next)
        defer { setInterruptible(previous) }
        return try body()
    }
}

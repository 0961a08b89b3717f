import ChronicleCSQLite

/// Tells SQLite whether a read is to go on.
package final class Interruption: Sendable {
    fileprivate let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: Whether the caller has no use for the result any more. SQLite calls it on the thread that
    ///   reads, every few microseconds.
    package init(_ isCancelled: @escaping @Sendable () -> Bool) { self.isCancelled = isCancelled }

    /// How many instructions of its virtual machine SQLite runs between two calls, next to which a call costs nothing.
    fileprivate static let interval: Int32 = 10_000
}

// Reads that end when nobody needs their result any more. Writes are not interrupted: SQLite would roll back their
// transaction.
extension Connection {
    /// Whether statements end with an error that `isInterrupted` when ``interruption`` says so.
    ///
    /// https://www.sqlite.org/c3ref/progress_handler.html
    func setInterruptible(_ isInterruptible: Bool) {
        guard let handle, let interruption else { return }
        self.isInterruptible = isInterruptible
        guard isInterruptible else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, Interruption.interval,
            { interruption in
                guard let interruption else { return 0 }
                // The connection keeps it as long as it is open.
                return Unmanaged<Interruption>.fromOpaque(interruption).takeUnretainedValue().isCancelled() ? 1 : 0
            }, Unmanaged.passUnretained(interruption).toOpaque())
    }

    /// Runs reads, or writes, of a connection that does both.
    func interruptibly<Result>(_ isInterruptible: Bool, _ body: () throws -> Result) rethrows -> Result {
        // What runs inside of a transaction belongs to a write.
        let previous = self.isInterruptible
        let next = isInterruptible && !isInTransaction
        guard next != previous else { return try body() }
        setInterruptible(next)
        defer { setInterruptible(previous) }
        return try body()
    }
}

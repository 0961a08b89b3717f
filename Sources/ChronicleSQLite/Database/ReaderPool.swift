import Synchronization

/// The connections that only read. Taking one never waits: when all are in use, another is opened.
final class ReaderPool: Sendable {
    /// A connection on its way between threads.
    private struct Lease: @unchecked Sendable {
        // A connection is either in `idle`, protected by the mutex, or with the one thread that took it out.
        let connection: Connection
    }

    private struct State {
        var idle: [Lease] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Tells Thread Sanitizer that a thread takes a connection after another one gave it back. It does not see this from
    /// a mutex that a thread had to wait for.
    private let returns = Atomic(0)
    private let capacity: Int
    private let make: @Sendable () throws -> Connection

    /// - Parameter capacity: how many idle connections stay open for the next reader.
    init(capacity: Int, make: @escaping @Sendable () throws -> Connection) {
        self.capacity = capacity
        self.make = make
    }

    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        let lease = try take()
        defer { give(back: lease) }
        return try lease.connection.tidily(body)
    }

    /// Opens a connection for the first reader, to see whether that works.
    func warm() throws {
        give(back: try take())
    }

    /// Closes the idle connections now and those in use when they come back. From here on `use` throws `isMisuse`.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for lease in idle { lease.connection.close() }
    }

    private func take() throws -> Lease {
        let idle = try state.withLock { state in
            if state.isClosed { throw SQLiteError.misuse("the database is closed") }
            // The one used last: its page cache is the warmest.
            return state.idle.popLast()
        }
        _ = returns.load(ordering: .acquiring)
        // Opened outside of the lock: the file may be slow, and other readers need not wait for it.
        return try idle ?? Lease(connection: make())
    }

    private func give(back lease: Lease) {
        returns.wrappingAdd(1, ordering: .acquiringAndReleasing)
        // One that still has a transaction could not be rolled back: nobody should get it again.
        let isKept = state.withLock { state in
            guard !state.isClosed, state.idle.count < capacity, !lease.connection.isInTransaction else { return false }
            state.idle.append(lease)
            return true
        }
        if !isKept { lease.connection.close() }
    }
}

import Synchronization

/// Obtaining a connection never waits: if all are in use, another one is opened.
final class ReaderPool: Sendable {
    private struct Lease: @unchecked Sendable {
        // A connection is either in `idle`, which the mutex protects, or used by a single thread.
        let connection: Connection
    }

    private struct State {
        var idle: [Lease] = []
        var isClosed = false
        var location: FileLocation?
    }

    private let state = Mutex(State())
    /// Thread Sanitizer does not recognize the order of returning and obtaining a connection from a mutex that a thread had
    /// to wait for.
    private let returns = Atomic(0)
    private let capacity: Int
    private let make: @Sendable () throws -> Connection

    /// - Parameter capacity: The number of idle connections that stay open.
    init(capacity: Int, make: @escaping @Sendable () throws -> Connection) {
        self.capacity = capacity
        self.make = make
    }

    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        let lease = try checkOut()
        defer { checkIn(lease) }
        return try lease.connection.withCleanup(body)
    }

    /// Opens no further connections if another file, or none, is at the location, since their reads would be those of
    /// another database.
    func requireFile(at location: FileLocation?) { state.withLock { $0.location = location } }

    /// Opens the connection of the first reader, to detect errors early.
    func openFirstConnection() throws {
        checkIn(try checkOut())
    }

    /// Closes the idle connections now and the others when they are returned. Later calls of `use` throw an error for which
    /// `isMisuse` is true.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for lease in idle { lease.connection.close() }
    }

    private func checkOut() throws -> Lease {
        let idle = try state.withLock { state in
            if state.isClosed { throw SQLiteError.misuse("the database is closed") }
            // The most recently used connection has the most useful page cache.
            return state.idle.popLast()
        }
        _ = returns.load(ordering: .acquiring)
        // Opened outside of the lock, so that other readers need not wait for slow file access.
        if let idle { return idle }
        let lease = Lease(connection: try make())
        try state.withLock(\.location)?.check()
        return lease
    }

    private func checkIn(_ lease: Lease) {
        returns.wrappingAdd(1, ordering: .acquiringAndReleasing)
        // A connection with an open transaction could not be rolled back and must not be reused.
        let isKept = state.withLock { state in
            guard !state.isClosed, state.idle.count < capacity, !lease.connection.isInTransaction else { return false }
            state.idle.append(lease)
            return true
        }
        if !isKept { lease.connection.close() }
    }
}

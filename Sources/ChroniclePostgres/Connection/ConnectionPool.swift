#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Dispatch
    import Foundation
    import Synchronization

    /// The connections of a store, each lent to one thread at a time. If all are in use, callers wait in the order of their
    /// arrival, for a limited time.
    final class ConnectionPool: Sendable {
        let settings: ConnectionSettings
        private let limit: Int
        private let waitLimit: Duration
        private let state = Mutex(State())
        /// Thread Sanitizer does not recognize the order of returning and obtaining a connection from a mutex that a thread
        /// had to wait for.
        private let returns = Atomic(0)
        /// Whether an error showed that another program changed definitions since they were last compared.
        let hasChangedDefinitions = Atomic(false)

        /// Every new connection has to find this store; `nil` while the store is being opened.
        private let storeIdentifier = Mutex<String?>(nil)

        /// The connection of an open transaction, which is used instead of others; `nil` for a pool.
        private let shared: Connection?

        private struct State {
            var idle: [Connection] = []
            /// The connections that are open or being opened, whether idle or in use.
            var count = 0
            var waiting: [Waiter] = []
            var isClosed = false
        }

        /// The grant is protected by the pool's mutex.
        private final class Waiter: @unchecked Sendable {
            let semaphore = DispatchSemaphore(value: 0)
            var grant: Grant?
        }

        private enum Grant {
            case connection(Connection)
            /// The permission to open another connection.
            case opening
        }

        /// - Parameter waitLimit: The longest wait if all connections are in use.
        init(_ settings: ConnectionSettings, limit: Int, waitLimit: Duration) {
            (self.settings, self.limit, self.waitLimit) = (settings, max(1, limit), waitLimit)
            shared = nil
        }

        /// Creates a pool for a store that one thread uses within the open transaction of a connection.
        init(sharing connection: Connection) {
            (settings, limit, waitLimit, shared) = (connection.settings, 1, .seconds(1), connection)
        }

        var isShared: Bool { shared != nil }

        deinit { close() }

        /// A transaction that `body` leaves open is rolled back. Throws ``PostgresError`` if no connection can be opened,
        /// or if none became available in time.
        func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            if let shared {
                if state.withLock(\.isClosed) { throw PostgresError(message: "the transaction of the store has ended") }
                return try body(shared)
            }
            let connection = try checkOut()
            defer { checkIn(connection) }
            do { return try body(connection) } catch let error as PostgresError where error.isChangedResult {
                hasChangedDefinitions.store(true, ordering: .releasing)
                throw error
            }
        }

        /// Repeats `body`, which only reads, once with a new connection if the session had ended, for example because the
        /// server was restarted, and twice if a standby server canceled the read.
        func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            var attempts = 1
            while true {
                do { return try use(body) } catch let error as PostgresError
                    where !isShared && Self.isRepeatable(error, attempts)
                {
                    // The other idle connections have ended as well.
                    if error.endsSession, !error.isRecoveryConflict { discardIdle() }
                    attempts += 1
                }
            }
        }

        private static func isRepeatable(_ error: PostgresError, _ attempts: Int) -> Bool {
            if error.isRecoveryConflict { return attempts < 3 }
            return attempts == 1 && (error.endsSession && !error.isCommitTimeout || error.needsNewStatements)
        }

        /// A connection outside the pool, for a session that has to last: to listen, or to hold a lock. Throws
        /// `SwiftDataError.storeMoved` if there is another store now.
        func makeConnection() throws -> Connection {
            let connection = try Connection(settings)
            guard let identifier = storeIdentifier.withLock(\.self) else { return connection }
            var found: String?
            do { found = try MetaTable.text(.storeIdentifier, connection) } catch let error as PostgresError
                where error.isSchemaMismatch
            {
                // The tables do not exist.
            }
            guard found == identifier else {
                connection.close()
                throw SwiftDataError.storeMoved.with(
                    detail:
                        "the server at the address of the store, or the schema, has \(found == nil ? "no" : "another") "
                        + "store; connect to the previous one, or create a new container")
            }
            return connection
        }

        func add(_ connection: Connection) {
            state.withLock { state in
                state.idle.append(connection)
                state.count += 1
            }
        }

        /// Requires a store of all connections that are opened from now on. An address can point to several servers.
        func require(storeIdentifier: String) { self.storeIdentifier.withLock { $0 = storeIdentifier } }

        /// Connections in use are closed when they are returned.
        func discardIdle() {
            let idle = state.withLock { state in
                defer { state.idle = [] }
                state.count -= state.idle.count
                return state.idle
            }
            for connection in idle { connection.close() }
        }

        /// Closes the idle connections now and the others when they are returned. Later calls of ``use(_:)`` throw an
        /// error.
        func close() {
            let waiting = state.withLock { state in
                state.isClosed = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.semaphore.signal() }
            discardIdle()
        }

        private func checkOut() throws -> Connection {
            while true {
                guard case .connection(let connection) = try grant() else { return try makePooledConnection() }
                if connection.isUsable { return connection }
                connection.close()
                state.withLock { $0.count -= 1 }
            }
        }

        private func makePooledConnection() throws -> Connection {
            do { return try makeConnection() } catch {
                release(nil)
                throw error
            }
        }

        private func grant() throws -> Grant {
            let (grant, waiter): (Grant?, Waiter?) = try state.withLock { state in
                if state.isClosed { throw PostgresError(message: "the store is closed") }
                // The most recently used connection has the statements that are used most.
                if let connection = state.idle.popLast() { return (.connection(connection), nil) }
                if state.count < limit {
                    state.count += 1
                    return (.opening, nil)
                }
                let waiter = Waiter()
                state.waiting.append(waiter)
                return (nil, waiter)
            }
            _ = returns.load(ordering: .acquiring)
            if let grant { return grant }
            guard let waiter else { throw PostgresError(message: "the store is closed") }
            _ = waiter.semaphore.wait(timeout: .now() + .milliseconds(Int(clamping: waitLimit.milliseconds)))
            let received = state.withLock { state in
                state.waiting.removeAll { $0 === waiter }
                return waiter.grant
            }
            _ = returns.load(ordering: .acquiring)
            if let received { return received }
            // The code of "lock not available": trying again may succeed.
            throw PostgresError(
                message: "all \(limit) connections of the store stayed in use; raise the connection limit of the "
                    + "configuration, or use fewer threads", sqlState: "55P03")
        }

        private func checkIn(_ connection: Connection) {
            if connection.isInTransaction { connection.rollBack() }
            release(connection.handle == nil || connection.isInTransaction ? nil : connection)
        }

        /// The next thread may open a connection if this one was closed.
        private func release(_ connection: Connection?) {
            returns.wrappingAdd(1, ordering: .acquiringAndReleasing)
            let discarded = state.withLock { state -> Connection? in
                if !state.waiting.isEmpty {
                    let waiter = state.waiting.removeFirst()
                    waiter.grant = connection.map(Grant.connection) ?? .opening
                    waiter.semaphore.signal()
                } else if let connection, !state.isClosed {
                    state.idle.append(connection)
                } else {
                    state.count -= 1
                    return connection
                }
                return nil
            }
            discarded?.close()
        }
    }
#endif

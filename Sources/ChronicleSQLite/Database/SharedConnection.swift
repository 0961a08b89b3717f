/// One thread at a time can use the connection, and acquire it again.
final class SharedConnection: @unchecked Sendable {
    // `lock` protects the connection and the depth.
    private let lock: RecursiveLock
    private let connection: Connection
    private var depth = 0

    init(_ connection: sending Connection) throws {
        lock = try RecursiveLock()
        self.connection = connection
    }

    func contains(_ other: Connection) -> Bool { connection === other }

    /// The outermost call resets running statements and rolls back an open transaction. Then, without the connection, it
    /// runs what was passed to ``Connection/afterUse(_:)``.
    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        var actions: [@Sendable () -> Void] = []
        defer { for action in actions { action() } }
        return try lock.withLock {
            depth += 1
            defer {
                depth -= 1
                if depth == 0 { actions = connection.takeActionsAfterUse() }
            }
            return try depth == 1 ? connection.withCleanup(body) : body(connection)
        }
    }

    /// Does nothing if a thread uses the connection, also if it is the calling one.
    func useIfIdle(_ body: (Connection) throws -> Void) rethrows {
        _ = try lock.withLockIfAvailable {
            guard depth == 0, !connection.isClosed else { return }
            depth += 1
            defer { depth -= 1 }
            try body(connection)
        }
    }

    func close() {
        lock.withLock { connection.close() }
    }
}

extension Connection {
    /// Resets running statements. A transaction that `body` does not end is rolled back with an error for which `isMisuse`
    /// is true.
    func withCleanup<T>(_ body: (Connection) throws -> T) throws -> T {
        _ = try openHandle()
        try endFailedTransaction()
        let result: T
        do {
            result = try body(self)
        } catch {
            resetAndRollBack()
            throw error
        }
        guard !resetAndRollBack() else { throw SQLiteError.misuse("a transaction was begun but not ended") }
        return result
    }
}

/// A connection that one thread at a time can use. A thread that is using it may acquire it again.
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

    /// Waits for the connection and runs `body`. Before it returns, the outermost call resets running statements and
    /// rolls back an open transaction. Afterwards, it runs what was passed to ``Connection/afterUse(_:)``, without the
    /// connection.
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

    func close() {
        lock.withLock { connection.close() }
    }
}

extension Connection {
    /// Runs `body`, then resets running statements and rolls back an open transaction.
    ///
    /// - Throws: The error of `body`, or an error for which `isMisuse` is true if `body` began a transaction without
    ///   ending it. The transaction is rolled back.
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

/// One connection that threads use in turn. The thread whose turn it is may ask for it again.
final class SharedConnection: @unchecked Sendable {
    // `lock` protects the connection and the depth: both are touched only while it is held.
    private let lock: RecursiveLock
    private let connection: Connection
    private var depth = 0

    init(_ connection: sending Connection) throws {
        lock = try RecursiveLock()
        self.connection = connection
    }

    /// Waits for its turn and runs `body`. What `body` leaves open is ended when the outermost call is over.
    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        try lock.withLock {
            depth += 1
            defer { depth -= 1 }
            return try depth == 1 ? connection.tidily(body) : body(connection)
        }
    }

    func close() {
        lock.withLock { connection.close() }
    }
}

extension Connection {
    /// Runs `body`, and ends whatever cursors and transaction it leaves behind.
    ///
    /// - Throws: the error of `body`, or else `isMisuse` for a transaction that it began and did not end: it is rolled
    ///   back, and what it wrote is not stored.
    func tidily<T>(_ body: (Connection) throws -> T) throws -> T {
        _ = try openHandle()
        let result: T
        do {
            result = try body(self)
        } catch {
            settle()
            throw error
        }
        guard !settle() else { throw SQLiteError.misuse("a transaction was begun and not ended") }
        return result
    }
}

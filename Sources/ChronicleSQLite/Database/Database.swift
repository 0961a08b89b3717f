/// A database that threads share: one connection to write through and a pool to read from.
///
///     let database = try Database(path: path) { connection in
///         if !connection.isReadOnly { try connection.enableWAL() }
///     }
///     try database.write { connection in
///         try connection.immediate { try connection.execute("INSERT INTO trip(name) VALUES ('Rome')") }
///     }
///
/// Writers take turns, readers do not wait for anyone. With a file in WAL mode they see what was committed before
/// they began to read. An in-memory database has a single connection, for which readers and writers take turns.
///
/// A connection and its statements are good only inside the closure that was given them. What a closure leaves behind
/// is ended after it: cursors are reset, and a transaction that it began and did not end is rolled back, with an error.
package final class Database: Sendable {
    /// Nil when the database is read-only.
    private let writer: SharedConnection?

    /// Nil when the database is in memory.
    private let readers: ReaderPool?

    package let isReadOnly: Bool

    /// Opens the database, and makes the file when it is missing and may be written.
    ///
    /// - Parameters:
    ///   - path: a file or an SQLite URI; not used in memory.
    ///   - inMemory: a database of its own, gone when it is closed.
    ///   - readOnly: no writer: the file has to exist, and `write` throws `isReadOnly`. Not for `inMemory`.
    ///   - busyTimeout: how long a statement waits for another connection's lock before it throws `isBusy`.
    ///   - maximumReaders: how many idle readers stay open. More are opened while they are needed, since a reader that
    ///     had to wait for another could wait for itself.
    ///   - interruption: ends a `read` whose result is not needed any more with an error that `isInterrupted`; never a
    ///     `write`.
    ///   - configure: prepares each new connection, the writer's first. `isReadOnly` tells which kind it is.
    /// - Throws: the errors of `Connection.init`, and those of `configure`.
    package init(
        path: String,
        inMemory: Bool = false,
        readOnly: Bool = false,
        busyTimeout: Duration = .seconds(5),
        maximumReaders: Int = 4,
        interruption: Interruption? = nil,
        configure: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        @Sendable func make(_ path: String, _ mode: Connection.Mode) throws -> Connection {
            let connection = try Connection(path: path, mode: mode, busyTimeout: busyTimeout)
            try configure(connection)
            connection.interruption = interruption
            connection.setInterruptible(mode == .readOnly)
            return connection
        }
        isReadOnly = readOnly && !inMemory
        if inMemory {
            writer = try SharedConnection(make(":memory:", .readWriteCreate))
            readers = nil
            return
        }
        // The writer comes first: it makes the file, and only a writer can make the log that readers need.
        writer = readOnly ? nil : try SharedConnection(make(path, .readWriteCreate))
        readers = ReaderPool(capacity: maximumReaders) { try make(path, .readOnly) }
        if readOnly { try readers?.warm() }
    }

    deinit {
        close()
    }

    /// Runs `body` with the writing connection, which no other thread has meanwhile. It does not begin a transaction.
    ///
    /// The same thread may call `write` and `read` inside of it.
    package func write<T>(_ body: (Connection) throws -> T) throws -> T {
        guard let writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.use { connection in try connection.interruptibly(false) { try body(connection) } }
    }

    /// Runs `body` with a reading connection, of which another call, nested or in another thread, gets a different one.
    ///
    /// In memory it is the only connection there is: nested calls share it, other threads wait, and nothing but the
    /// caller's discipline keeps `body` from writing.
    package func read<T>(_ body: (Connection) throws -> T) throws -> T {
        if let readers { return try readers.use(body) }
        guard let writer else { throw SQLiteError.readOnlyDatabase }
        return try writer.use { connection in try connection.interruptibly(true) { try body(connection) } }
    }

    /// Closes the readers and then the writer, waiting for a `write` that is running. Readers in use are closed when
    /// they are done. From here on `read` and `write` throw `isMisuse`.
    package func close() {
        // The last connection to go copies the log into the file and removes it, which only a writer can.
        // https://www.sqlite.org/wal.html
        readers?.close()
        writer?.close()
    }
}

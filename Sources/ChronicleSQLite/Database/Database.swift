import Synchronization

/// A database that several threads share: one connection for writing and a pool of connections for reading.
///
/// After a transaction of the writing connection, a log of 1,000 pages or more is copied to the file. Writes are
/// serialized, and reads never wait. In WAL mode, reads see what was committed before they began. A database in memory has
/// a single connection, so reads and writes are serialized.
///
/// If the file is moved, replaced or deleted, ``read(_:)``, which checks the file at most once in a millisecond, and write
/// transactions of ``Connection/immediate(mapError:_:)`` throw an error for which `isMoved` is true. A write without a
/// transaction calls ``Connection/requireSameFile()``.
///
/// A connection and its statements are valid only inside the closure that receives them. Afterwards, running statements are
/// reset, and a transaction that was not ended is rolled back with an error.
package final class Database: Sendable {
    /// `nil` if the database is read-only.
    private let writer: SharedConnection?

    /// `nil` if the database is in memory.
    private let readers: ReaderPool?

    /// The connection is opened for the first call of ``maintain(_:)``.
    private let maintenance: Mutex<Maintenance>

    /// `nil` if the database is read-only or in memory.
    private let checkpointer: Checkpointer?

    /// `nil` if the database is in memory.
    private let location: FileLocation?

    private let sharesWriter: Bool

    package let isReadOnly: Bool

    package let path: String

    private struct Maintenance {
        var connection: SharedConnection?
        var isClosed = false
        let make: @Sendable () throws -> Connection
    }

    /// Opens the database, creating the file if it does not exist and can be written.
    ///
    /// - Parameters:
    ///   - path: A file or an SQLite URI. Ignored for a database in memory.
    ///   - readOnly: Whether the file must exist and `write` throws an error for which `isReadOnly` is true. Ignored for a
    ///     database in memory.
    ///   - checksEachTransaction: Whether each write transaction checks whether the file was moved, which takes as long as
    ///     a system call. Otherwise, at most one in a millisecond does.
    ///   - maximumReaders: The number of idle readers that stay open. Additional readers are opened as needed, because
    ///     waiting for a reader could deadlock nested reads.
    ///   - interruption: Ends a `read` with an error for which `isInterrupted` is true, but no `write`.
    ///   - configure: Prepares each new connection, beginning with the writer. Use `isReadOnly` to distinguish them.
    package init(
        path: String,
        inMemory: Bool = false,
        readOnly: Bool = false,
        busyTimeout: Duration = .seconds(5),
        checksEachTransaction: Bool = true,
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
        // A connection whose log is only open for reading would never write. The reason may be temporary.
        @Sendable func makeWriter(_ mode: Connection.Mode) throws -> Connection {
            var attempts = 3
            while true {
                do {
                    let connection = try make(path, mode)
                    try connection.requireWritableLog()
                    return connection
                } catch let error as SQLiteError where (error.isReadOnly || error.isCannotOpen) && attempts > 1 {
                    attempts -= 1
                }
            }
        }
        sharesWriter = false
        isReadOnly = readOnly && !inMemory
        self.path = path
        maintenance = Mutex(Maintenance { try makeWriter(.readWrite) })
        if inMemory {
            writer = try SharedConnection(make(":memory:", .readWriteCreate))
            (readers, location, checkpointer) = (nil, nil, nil)
            return
        }
        let pool = ReaderPool(capacity: maximumReaders) { try make(path, .readOnly) }
        readers = pool
        if readOnly {
            (writer, checkpointer) = (nil, nil)
            try pool.openFirstConnection()
            location = try pool.use(FileLocation.init(of:))
            pool.requireFile(at: location)
        } else {
            // The writer is opened first: it creates the file, and only a writer can create the log that readers need.
            let identity = FileIdentity(path: path)
            let connection = try makeWriter(.readWriteCreate)
            location = FileLocation(of: connection)
            // Preparing the connection may take long.
            if let identity, FileIdentity(path: path) != identity { throw SQLiteError.moved(path) }
            (connection.location, connection.checksEachTransaction) = (location, checksEachTransaction)
            checkpointer = Checkpointer(path: path, location: location, busyTimeout: busyTimeout)
            connection.checkpointer = checkpointer
            connection.automaticCheckpointPages = Checkpointer.automaticPages
            pool.requireFile(at: location)
            writer = try SharedConnection(connection)
            OpenDatabases.shared.add(self)
        }
    }

    /// Opens an existing file with a single connection, which only reads it but can have temporary tables. Reads are
    /// serialized, and a read may be nested in another one. ``write(_:)`` writes temporary tables only.
    package init(
        singleReaderAt path: String, busyTimeout: Duration, interruption: Interruption?,
        configure: (Connection) throws -> Void
    ) throws {
        let connection = try Connection(path: path, mode: .readOnly, busyTimeout: busyTimeout)
        try configure(connection)
        connection.interruption = interruption
        location = FileLocation(of: connection)
        writer = try SharedConnection(connection)
        (readers, checkpointer) = (nil, nil)
        maintenance = Mutex(Maintenance { throw SQLiteError.readOnlyDatabase })
        sharesWriter = false
        isReadOnly = true
        self.path = path
    }

    /// Until it is closed, the database uses the writing connection of another one. Use it within a call of `write`, so
    /// that a transaction of that call contains the reads and writes.
    package init(sharingWriterOf database: Database) {
        writer = database.writer
        (readers, location, checkpointer) = (nil, database.location, nil)
        maintenance = Mutex(Maintenance { throw SQLiteError.readOnlyDatabase })
        sharesWriter = true
        isReadOnly = false
        path = database.path
    }

    deinit {
        close()
    }

    /// Does not begin a transaction. No other thread uses the connection meanwhile; the same thread may call `write` and
    /// `read` inside `body`.
    package func write<T>(_ body: (Connection) throws -> T) throws -> T {
        let writer = try openWriter()
        return try writer.use { connection in try connection.interruptibly(false) { try body(connection) } }
    }

    package func isWriter(_ connection: Connection) -> Bool { writer?.contains(connection) == true }

    /// A database in memory has only one connection: nested calls share it, other threads wait, and `body` must not write.
    package func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try location?.checkRegularly()
        if let readers { return try readers.use(body) }
        let writer = try openWriter()
        return try writer.use { connection in try connection.interruptibly(true) { try body(connection) } }
    }

    /// Runs maintenance, whose commits do not copy the write-ahead log. The thread that calls `write` waits only while
    /// `body` has a write transaction, as for another process. A database in memory has only one connection.
    package func maintain<T>(_ body: (Connection) throws -> T) throws -> T {
        guard writer != nil else { throw SQLiteError.readOnlyDatabase }
        guard readers != nil else { return try write(body) }
        try location?.checkRegularly()
        return try maintenanceConnection().use(body)
    }

    private func openWriter() throws -> SharedConnection {
        guard let writer else { throw SQLiteError.readOnlyDatabase }
        if sharesWriter, maintenance.withLock(\.isClosed) { throw SQLiteError.misuse("the database is closed") }
        return writer
    }

    private func maintenanceConnection() throws -> SharedConnection {
        try maintenance.withLock { maintenance in
            if maintenance.isClosed { throw SQLiteError.misuse("the database is closed") }
            if let connection = maintenance.connection { return connection }
            // Otherwise another file could be opened, and become a store.
            try location?.check()
            let connection = try maintenance.make()
            try location?.check()
            (connection.location, connection.checkpointer) = (location, checkpointer)
            let shared = try SharedConnection(connection)
            maintenance.connection = shared
            return shared
        }
    }

    /// Copies the log to the file when the process exits, unless a connection writes. Never waits.
    func checkpointAtExit() {
        // The log remains, and the next program that opens the file reads it.
        try? writer?.useIfIdle { try $0.checkpointAtExit() }
    }

    /// Waits for a running `write`. Readers in use are closed afterwards. Later calls of `read` and `write` throw an error
    /// for which `isMisuse` is true.
    package func close() {
        // The last connection to close copies the log into the file and deletes it, which only a writer can do.
        // https://www.sqlite.org/wal.html
        readers?.close()
        let connection = maintenance.withLock { maintenance in
            maintenance.isClosed = true
            return maintenance.connection
        }
        connection?.close()
        if checkpointer != nil { OpenDatabases.shared.remove(self) }
        checkpointer?.close()
        if !sharesWriter { writer?.close() }
    }
}

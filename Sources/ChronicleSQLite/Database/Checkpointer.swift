import ChronicleCSQLite
import Synchronization

/// Keeps other connections from writing while one copies the write-ahead log to the file.
///
/// After a complete checkpoint, the next commit resets the log. Before SQLite 3.51.3, a checkpoint that began before the
/// reset may mark pages of the new log as copied, which are then lost: <https://sqlite.org/wal.html#walresetbug>. SQLite
/// permits no checkpoint within a write transaction of the same connection, so a second connection holds the lock of
/// writers. The checkpoint of the last connection that closes needs none: it has an exclusive lock on the file.
final class Checkpointer: Sendable {
    /// SQLite's default, from which on every commit runs a checkpoint.
    /// <https://www.sqlite.org/wal.html#automatic_checkpoint>
    static let automaticPages: Int32 = 1_000

    private let path: String
    private let location: FileLocation?
    private let busyTimeout: Duration
    private let lock = Mutex(Lock())

    private struct Lock {
        /// Holds the lock of writers, and is opened for the first checkpoint.
        var connection: SharedConnection?
        var isClosed = false
    }

    init(path: String, location: FileLocation?, busyTimeout: Duration) {
        (self.path, self.location, self.busyTimeout) = (path, location, busyTimeout)
    }

    /// Runs `body`, which writes nothing, while no connection of any process can write. Returns `nil` if another connection
    /// writes, after the busy timeout if it `waits`, or another thread runs a checkpoint.
    func withoutWriters<Result: Sendable>(waits: Bool, _ body: () throws -> Result) throws -> Result? {
        if waits { return try lock.withLock { try run(&$0, waits, body) } }
        return try lock.withLockIfAvailable { try run(&$0, waits, body) } ?? nil
    }

    private func run<Result: Sendable>(
        _ lock: inout Lock, _ waits: Bool, _ body: () throws -> Result
    ) throws -> Result? {
        if lock.isClosed { throw SQLiteError.misuse("the database is closed") }
        let connection = try lock.connection ?? open()
        lock.connection = connection
        do {
            return try connection.use { connection in
                do {
                    if waits {
                        try connection.execute("BEGIN IMMEDIATE")
                    } else {
                        try connection.withoutWaiting { try connection.execute("BEGIN IMMEDIATE") }
                    }
                } catch let error as SQLiteError where error.isBusy { return nil }
                defer { connection.rollback() }
                return try body()
            }
        } catch {
            // The connection may have opened the log for reading only; see `requireWritableLog`.
            connection.close()
            lock.connection = nil
            throw error
        }
    }

    private func open() throws -> SharedConnection {
        // The lock of a file that replaced this one would not exclude the writers of this one.
        try location?.check()
        let connection = try Connection(path: path, mode: .readWrite, busyTimeout: busyTimeout)
        try location?.check()
        return try SharedConnection(connection)
    }

    /// The connection must have no transaction. To truncate the log, SQLite acquires the lock of writers, or copies the log
    /// without it if it is not free. Meanwhile a transaction therefore reads only the file, and not the log: it prevents
    /// connections from copying the log, but not from writing or truncating it.
    /// <https://www.sqlite.org/walformat.html#wal_locks> Returns `false` if other connections used the log for the whole
    /// busy timeout.
    func truncateLog(_ connection: Connection) throws -> Bool {
        let deadline = ContinuousClock.now + busyTimeout
        while true {
            if try truncateLogOnce(connection) { return true }
            guard ContinuousClock.now < deadline else { return false }
            // Another connection copied the log, or committed, in between; see `truncateLogOnce(_:)`.
            _ = sqlite3_sleep(1)
        }
    }

    private func truncateLogOnce(_ connection: Connection) throws -> Bool {
        try location?.check()
        let reader = try Connection(path: path, mode: .readOnly, busyTimeout: busyTimeout)
        defer { reader.close() }
        try location?.check()
        let isCopied = try withoutWriters(waits: true) {
            guard try connection.copyLog(SQLITE_CHECKPOINT_PASSIVE) == 0 else { return false }
            // Reads only the file, because the whole log has been copied.
            try reader.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
            return true
        }
        guard isCopied == true else { return false }
        return try connection.withoutWaiting { try connection.copyLog(SQLITE_CHECKPOINT_TRUNCATE) } != nil
    }

    func close() {
        lock.withLock { lock in
            lock.isClosed = true
            lock.connection?.close()
            lock.connection = nil
        }
    }
}

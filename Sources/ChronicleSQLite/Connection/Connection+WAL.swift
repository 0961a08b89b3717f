import ChronicleCSQLite

extension Connection {
    /// Enables WAL mode, in which readers and the writer do not block each other. The mode is stored in the file.
    ///
    /// Several processes may call this for a new file at the same time. A database in memory has no log and is not
    /// changed.
    ///
    /// - Throws: `SQLiteError`, for which `isBusy` is true if the file stayed locked for the busy timeout, or at most
    ///   twice as long. Other errors occur if the file is not a database, cannot be written, or is on a file system
    ///   without shared memory.
    package func enableWAL() throws {
        _ = try openHandle()
        guard filePath != nil else { return }
        let deadline = ContinuousClock.now + busyTimeout
        var pause: Int32 = 1
        while true {
            do {
                let mode = try scalarText("PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw SQLiteError(
                        extendedCode: SQLITE_ERROR,
                        message: "the journal mode is still '\(mode ?? "unknown")', not 'wal'")
                }
                return
            } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < deadline {
                // The change acquires a shared lock and then upgrades it. Two connections that do so would deadlock;
                // SQLite fails one of them immediately, without the busy handler, so the wait is implemented here.
                // https://www.sqlite.org/c3ref/busy_handler.html
                _ = sqlite3_sleep(pause)
                pause = min(pause * 2, 20)
            }
        }
    }

    /// Throws an error if the write-ahead log or its index is only open for reading.
    ///
    /// If SQLite cannot open one of these files for writing, for example because the process has too many open files, it
    /// opens the file for reading without an error. Every write transaction of the connection then fails, until it is closed.
    ///
    /// - Throws: `SQLiteError`, for which `isReadOnly` is true. Open another connection.
    func requireWritableLog() throws {
        guard let handle, try scalarText("PRAGMA journal_mode") == "wal" else { return }
        // SQLite checks how the files are open before it acquires the lock of writers, so it need not wait for the lock.
        _ = sqlite3_busy_handler(handle, nil, nil)
        defer { installBusyHandler(handle) }
        do {
            try execute("BEGIN IMMEDIATE")
            rollback()
        } catch let error as SQLiteError where error.isReadOnly {
            throw SQLiteError(
                extendedCode: SQLITE_READONLY,
                message: "the write-ahead log or its index could only be opened for reading; check the permissions of "
                    + "\(filePath ?? "")-wal and -shm, and the number of open files")
        } catch let error as SQLiteError where error.isBusy {}
    }

    /// Copies as much of the write-ahead log to the file as possible without waiting for other connections.
    ///
    /// - Returns: The number of pages that remain in the log, because another connection reads an earlier state of the
    ///   database or copies the log itself.
    /// - Throws: ``SQLiteError`` if the log cannot be copied.
    @discardableResult
    package func checkpoint() throws -> Int {
        let statement = try cached("PRAGMA wal_checkpoint(PASSIVE)")
        defer { statement.reset() }
        guard try statement.step() else { return 0 }
        return max(0, Int(statement.int64(1) - statement.int64(2)))
    }

    /// Copies the content of the write-ahead log to the file and empties the log.
    ///
    /// - Returns: `false` if another connection used the log for the whole busy timeout.
    /// - Throws: ``SQLiteError`` if the log cannot be copied.
    package func truncateLog() throws -> Bool {
        try scalarInt64("PRAGMA wal_checkpoint(TRUNCATE)") != 1
    }
}

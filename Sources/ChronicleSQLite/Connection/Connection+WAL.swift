import ChronicleCSQLite

extension Connection {
    /// The mode is stored in the file. Several processes may call this for a new file at the same time. A database in
    /// memory has no log and is not changed.
    ///
    /// - Throws: `SQLiteError`, for which `isBusy` is true if the file stayed locked for the busy timeout, or at most twice
    ///   as long.
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
                // The change upgrades a shared lock. Two connections would deadlock; SQLite fails one of them immediately,
                // without the busy handler, so the wait is implemented here. https://www.sqlite.org/c3ref/busy_handler.html
                _ = sqlite3_sleep(pause)
                pause = min(pause * 2, 20)
            }
        }
    }

    /// If SQLite cannot open the log or its index for writing, for example because the process has too many open files, it
    /// opens it for reading without an error. Every write transaction of the connection then fails, until it is closed.
    /// Throws an error for which `isReadOnly` is true.
    func requireWritableLog() throws {
        guard try scalarText("PRAGMA journal_mode") == "wal" else { return }
        do {
            // SQLite checks how the files are open before it acquires the lock of writers, so it need not wait for the lock.
            try withoutWaiting { try execute("BEGIN IMMEDIATE") }
            rollback()
        } catch let error as SQLiteError where error.isReadOnly {
            throw SQLiteError(
                extendedCode: SQLITE_READONLY,
                message: "the write-ahead log or its index could only be opened for reading; check the permissions of "
                    + "\(filePath ?? "")-wal and -shm, and the number of open files")
        } catch let error as SQLiteError where error.isBusy {}
    }

    func withoutWaiting<T>(_ body: () throws -> T) throws -> T {
        let handle = try openHandle()
        _ = sqlite3_busy_handler(handle, nil, nil)
        defer { installBusyHandler(handle) }
        return try body()
    }
}

// MARK: - Checkpoints

extension Connection {
    /// Counts the pages of the log instead of running automatic checkpoints, which other connections may damage; see
    /// ``Checkpointer``. <https://www.sqlite.org/c3ref/wal_hook.html>
    func replaceAutomaticCheckpoints(_ handle: OpaquePointer) {
        // The hook is removed before the connection is released.
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = pages
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the log after a commit that made it long, unless another connection writes at the moment. Then, the next
    /// commit of any connection copies the log.
    func checkpointAutomatically() {
        let pages = Int(logPages)
        logPages = 0
        guard let checkpointer else { return }
        do {
            let remaining = try checkpointer.withoutWriters(waits: false) { try copyLog(SQLITE_CHECKPOINT_PASSIVE) }
            if let remaining = remaining ?? nil { didCheckpoint?(self, remaining, nil) }
        } catch {
            // The commit has succeeded.
            didCheckpoint?(self, pages, error)
        }
    }

    /// Copies what this connection has committed since the last checkpoint, without waiting for other connections.
    func checkpointAtExit() throws {
        guard logPages > 0, !isInTransaction, let checkpointer else { return }
        _ = try checkpointer.withoutWriters(waits: false) { try copyLog(SQLITE_CHECKPOINT_PASSIVE) }
    }

    /// Copies as much of the log as possible without waiting for readers. Writers wait meanwhile. Must not be called within
    /// a transaction.
    ///
    /// - Returns: The number of pages that remain because another connection reads an earlier state, or `nil` if another
    ///   connection wrote for the whole busy timeout, or copies the log itself.
    @discardableResult
    package func checkpoint() throws -> Int? {
        guard let checkpointer = try checkpointerOutsideOfTransactions() else { return 0 }
        return try checkpointer.withoutWriters(waits: true) { try copyLog(SQLITE_CHECKPOINT_PASSIVE) } ?? nil
    }

    /// The caller's changes are committed, so an error is reported and not thrown.
    package func tidy(_ body: (Connection) throws -> Void) {
        do { try body(self) } catch { didCheckpoint?(self, Int(logPages), error) }
    }

    /// Must not be called within a transaction. Returns `false` if other connections used the log for the whole busy
    /// timeout.
    package func truncateLog() throws -> Bool {
        try checkpointerOutsideOfTransactions()?.truncateLog(self) ?? true
    }

    private func checkpointerOutsideOfTransactions() throws -> Checkpointer? {
        // In a transaction, a checkpoint would wait for the lock that the transaction itself holds.
        if isInTransaction { throw SQLiteError.misuse("the log cannot be copied within a transaction") }
        return checkpointer
    }

    /// Only ``Checkpointer`` calls this, which ensures that it is safe. Returns the number of pages that were not copied,
    /// or `nil` if the lock of another connection prevented it.
    func copyLog(_ mode: Int32) throws -> Int? {
        let handle = try openHandle()
        var (pages, copied): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &copied)
        if code & 0xFF == SQLITE_BUSY { return nil }
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
        return max(0, Int(pages - copied))
    }
}

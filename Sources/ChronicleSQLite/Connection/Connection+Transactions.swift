import ChronicleCSQLite

extension Connection {
    /// Runs `body` inside `BEGIN IMMEDIATE … COMMIT` and rolls back if it throws.
    ///
    /// The write lock is acquired before `body` reads, so that what it read is still valid when it writes, and only the
    /// beginning waits for other writers. <https://www.sqlite.org/lang_transaction.html>
    ///
    /// - Parameter mapError: Converts an error before the rollback, while the transaction can still be queried.
    /// - Throws: The first error of `BEGIN`, `body`, or `COMMIT`. Nothing is stored in that case. On a connection of a
    ///   ``Database``, an error for which `isMoved` is true if the file was moved, replaced or deleted before.
    package func immediate<T>(
        mapError: (any Error) -> any Error = { $0 }, _ body: () throws -> T
    ) throws -> T {
        if nestsTransactions { return try savepoint(mapError: mapError, body) }
        try prepareTransactions()
        guard let begin else { throw SQLiteError.misuse("the connection is closed") }
        let result = try transact(begin: begin, requiresSameFile: true, mapError: mapError, body)
        // Before another statement can read the commits of other connections.
        let version = readVersion()
        latestVersion = version
        didCommit?(self)
        // The closure may have written, too.
        if latestVersion != version { latestVersion = nil }
        if logPages >= automaticCheckpointPages { checkpointAutomatically() }
        return result
    }

    /// All reads see the state at the time of the first one. If a transaction is already open, `body` runs in it.
    package func deferredRead<T>(_ body: () throws -> T) throws -> T {
        try endFailedTransaction()
        if isInTransaction { return try body() }
        try prepareTransactions()
        return try transact(begin: cached("BEGIN DEFERRED"), mapError: { $0 }, body)
    }

    /// Prepares the statements of every transaction, once. Later there may be no memory for that of a rollback.
    private func prepareTransactions() throws {
        if rollBack != nil { return }
        begin = try cached("BEGIN IMMEDIATE")
        commit = try cached("COMMIT")
        rollBack = try cached("ROLLBACK")
    }

    private func transact<T>(
        begin: Statement, requiresSameFile: Bool = false, mapError: (any Error) -> any Error,
        _ body: () throws -> T
    ) throws -> T {
        try endFailedTransaction()
        // Outside of the `do` block: if it fails, an open transaction belongs to another caller.
        try begin.run()
        do {
            if requiresSameFile { try checksEachTransaction ? location?.check() : location?.checkRegularly() }
            let result = try body()
            guard let commit else { throw SQLiteError.misuse("the connection is closed") }
            // `body` ignored an error after which a part of the transaction could not be rolled back.
            if mustRollBack { throw SQLiteError.misuse("a part of the transaction could not be rolled back") }
            // COMMIT fails if SQLite has rolled back the transaction and `body` ignored the error.
            try commit.run()
            return result
        } catch {
            let error = mapError(error)
            rollback()
            throw error
        }
    }

    /// The caller throws the error that caused the rollback. If the rollback fails as well, for example for lack of memory,
    /// ``endFailedTransaction()`` repeats it before the next statement.
    func rollback() {
        do { try endTransaction() } catch { mustRollBack = true }
    }

    /// Rolls back a transaction whose rollback failed, so that its changes are neither read nor committed, and restores
    /// settings that could not be restored. Until this succeeds, the connection is not usable.
    func endFailedTransaction() throws {
        if mustRollBack { try endTransaction() }
        while let statement = settingsToRestore.last {
            try execute(statement)
            settingsToRestore.removeLast()
        }
    }

    /// Changes a setting that SQLite changes only outside of transactions; `body` begins and ends its transactions. If the
    /// previous value cannot be restored, for example because a transaction could not be rolled back, it is restored before
    /// the connection is used again.
    package func withSetting<T>(_ statement: String, restoredBy restore: String, _ body: () throws -> T) throws -> T {
        try endFailedTransaction()
        try execute(statement)
        let result = Result { try body() }
        do {
            try endFailedTransaction()
            try execute(restore)
        } catch { settingsToRestore.append(restore) }
        return try result.get()
    }

    private func endTransaction() throws {
        latestVersion = nil
        // After errors such as SQLITE_FULL or SQLITE_IOERR, SQLite has already rolled back, and another ROLLBACK would
        // be an error. https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
        if isInTransaction {
            if let rollBack { try rollBack.run() } else { try execute("ROLLBACK") }
        }
        mustRollBack = false
    }
}

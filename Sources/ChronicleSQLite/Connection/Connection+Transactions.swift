import ChronicleCSQLite

extension Connection {
    /// Runs `body` inside `BEGIN IMMEDIATE … COMMIT`, and rolls everything back when it throws.
    ///
    /// The write lock is taken before `body` reads anything, so what it read is still true when it writes, and the
    /// only place to wait for other writers is the beginning. <https://www.sqlite.org/lang_transaction.html>
    ///
    /// - Parameter explain: Sees an error while what it came from can still be looked at, and says what to throw.
    /// - Throws: the first error there was: of `BEGIN` (`isBusy` when another connection kept the lock for the whole
    ///   busy timeout; `body` did not run), of `body`, or of `COMMIT`. After any of them nothing of it is stored.
    package func immediate<T>(
        explaining explain: (any Error) -> any Error = { $0 }, _ body: () throws -> T
    ) throws -> T {
        try transact(begin: "BEGIN IMMEDIATE", explaining: explain, body)
    }

    /// Runs `body` on one snapshot: all its reads see the same state, the one at the time of the first of them.
    ///
    /// Inside a transaction that is open already `body` just runs, since that one is its snapshot.
    package func deferredRead<T>(_ body: () throws -> T) throws -> T {
        if isInTransaction { return try body() }
        return try transact(begin: "BEGIN DEFERRED", explaining: { $0 }, body)
    }

    private func transact<T>(
        begin: String, explaining explain: (any Error) -> any Error, _ body: () throws -> T
    ) throws -> T {
        // Outside of the `do`: when it fails, a transaction that may be open is somebody else's.
        try cached(begin).run()
        do {
            let result = try body()
            // Fails when SQLite has ended the transaction by itself and `body` hid that error.
            try cached("COMMIT").run()
            return result
        } catch {
            let error = explain(error)
            rollback()
            throw error
        }
    }

    /// Rolls back if there is something to roll back. It has no error of its own: it follows one, and that one wins.
    func rollback() {
        // After errors like SQLITE_FULL or SQLITE_IOERR SQLite has rolled back already, and a second ROLLBACK would
        // be an error. https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
        guard let handle, isInTransaction else { return }
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}

import ChronicleCSQLite

// A migration runs several saves as parts of one transaction.
extension Connection {
    /// Runs `body` in a transaction like ``immediate(mapError:_:)``. Calls of that method within `body` become savepoints:
    /// if one throws, only its changes are rolled back.
    package func nesting<T>(_ body: () throws -> T) throws -> T {
        try immediate {
            nestsTransactions = true
            defer { nestsTransactions = false }
            return try body()
        }
    }

    /// https://www.sqlite.org/lang_savepoint.html
    func savepoint<T>(mapError: (any Error) -> any Error, _ body: () throws -> T) throws -> T {
        // After some errors SQLite rolls back the whole transaction. Writing on would commit its second part alone.
        try endFailedTransaction()
        guard isInTransaction else { throw SQLiteError.misuse("the transaction was rolled back after an error") }
        try cached("SAVEPOINT chronicle").run()
        do {
            let result = try body()
            try requireResolvedReferences()
            try cached("RELEASE chronicle").run()
            return result
        } catch {
            let error = mapError(error)
            if isInTransaction {
                do { try execute("ROLLBACK TO chronicle; RELEASE chronicle") } catch {
                    rollback()
                    throw error
                }
            }
            throw error
        }
    }

    /// SQLite checks only in COMMIT whether referenced rows exist; this throws the same error.
    private func requireResolvedReferences() throws {
        var (unresolved, highest): (Int32, Int32) = (0, 0)
        // https://www.sqlite.org/c3ref/c_dbstatus_options.html#sqlitedbstatusdeferredfks
        let code = sqlite3_db_status(try openHandle(), SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
        guard unresolved == 0 else {
            // SQLITE_CONSTRAINT_FOREIGNKEY, see ``SQLiteError/isForeignKeyConstraint``.
            throw SQLiteError(extendedCode: 787, message: "FOREIGN KEY constraint failed")
        }
    }
}

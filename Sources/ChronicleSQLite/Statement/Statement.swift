import ChronicleCSQLite

/// A prepared statement: bind, step, read columns, reset.
///
///     let insert = try connection.prepare("INSERT INTO trip(name, days) VALUES (?1, ?2)")
///     try insert.bind("Rome", at: 1)
///     try insert.bind(4, at: 2)
///     try insert.run()
///
/// Parameters count from 1 and columns from 0, as in SQLite. Bindings survive `reset` and `run`, so a loop rebinds only
/// what differs.
///
/// A statement belongs to the thread that uses its connection. It may be released after the connection was closed, but
/// no longer stepped.
///
/// A call costs the C call and one to three nanoseconds more. Nothing is inlined into other modules: that would take a
/// public import of SQLite for less than a twentieth of an insert.
package final class Statement {
    /// Never nil and never changed, so that reading it needs neither a test nor an exclusivity check.
    let handle: OpaquePointer

    let slots: ParameterSlots

    /// Takes over `handle`, and finalizes it in the end.
    init(owning handle: OpaquePointer) {
        self.handle = handle
        slots = ParameterSlots(count: sqlite3_bind_parameter_count(handle))
    }

    deinit {
        // The result repeats the error of the last step, which that step has thrown already.
        // https://www.sqlite.org/c3ref/finalize.html
        _ = sqlite3_finalize(handle)
        slots.deallocate()
    }
}

// MARK: - Running

extension Statement {
    /// Moves to the next row: `true` on a row, `false` when there are no more.
    ///
    /// After `false` the next call starts the statement anew. A failed step leaves the statement reset.
    package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw stepFailure(code)
    }

    /// Steps to the end, ignores the rows and resets. The bindings stay.
    package func run() throws {
        while try step() {}
        reset()
    }

    /// Gives up the cursor, and with it the statement's hold on a snapshot. The bindings stay.
    package func reset() {
        // The result repeats the error of the last step. https://www.sqlite.org/c3ref/reset.html
        _ = sqlite3_reset(handle)
    }

    /// Makes every parameter NULL and frees what was copied for it.
    package func clearBindings() {
        // Always SQLITE_OK. https://www.sqlite.org/c3ref/clear_bindings.html
        _ = sqlite3_clear_bindings(handle)
    }

    /// Whether the statement was stepped and has neither come to its end nor been reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// The SQL it was prepared from.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
}

// MARK: - Failing

extension Statement {
    /// The connection's error, read before anything overwrites it.
    @inline(never)
    func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, on: sqlite3_db_handle(handle), sql: sql)
    }

    /// The same, and the statement reset: a COMMIT that met a lock would otherwise count as running.
    @inline(never)
    func stepFailure(_ code: Int32) -> SQLiteError {
        let error = failure(code)
        reset()
        return error
    }
}

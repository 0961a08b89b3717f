import ChronicleCSQLite

/// A prepared statement: bind values, step, read columns, and reset.
///
///     let insert = try connection.prepare("INSERT INTO trip(name, days) VALUES (?1, ?2)")
///     try insert.bind("Rome", at: 1)
///     try insert.bind(4, at: 2)
///     try insert.run()
///
/// Parameters are numbered from 1 and columns from 0, as in SQLite. Bindings survive `reset` and `run`, so a loop only
/// needs to bind what changes.
///
/// Only the thread that uses the connection may use its statements. A statement may be released, but not stepped, after
/// the connection was closed.
///
/// A call costs one to three nanoseconds more than the C call. Nothing is inlined into other modules, because that
/// would require a public import of SQLite and save less than a twentieth of an insert.
package final class Statement {
    /// Never nil and never changed, so that reading it requires neither a nil check nor an exclusivity check.
    let handle: OpaquePointer

    /// The memory of short bound values.
    let slots: ParameterSlots

    /// Whether SQLite sorts the rows; see ``Connection/readRows(of:with:_:isCondition:_:)``.
    var isUnordered = false

    /// Creates a statement that finalizes `handle` when it is released.
    init(owning handle: OpaquePointer) {
        self.handle = handle
        slots = ParameterSlots(count: sqlite3_bind_parameter_count(handle))
    }

    deinit {
        // The result repeats the error of the last step, which was already thrown.
        // https://www.sqlite.org/c3ref/finalize.html
        _ = sqlite3_finalize(handle)
        slots.deallocate()
    }
}

// MARK: - Running

extension Statement {
    /// Moves to the next row and returns `true`, or returns `false` after the last row.
    ///
    /// After `false`, the next call runs the statement again. A step that fails resets the statement.
    package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        return try stepAgain(code)
    }

    /// Steps again if SQLite could not prepare the statement anew, because another program changed the schema in a way
    /// that requires ``SchemaFunctions``.
    @inline(never)
    private func stepAgain(_ code: Int32) throws -> Bool {
        guard let connection = sqlite3_db_handle(handle), SchemaFunctions.define(afterFailureOn: connection) else {
            throw stepFailure(code)
        }
        reset()
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw stepFailure(code)
    }

    /// Runs the statement to its end, ignoring rows, and resets it. The bindings are kept.
    package func run() throws {
        while try step() {}
        reset()
    }

    /// Resets the statement, which releases its snapshot. The bindings are kept.
    package func reset() {
        // The result repeats the error of the last step. https://www.sqlite.org/c3ref/reset.html
        _ = sqlite3_reset(handle)
    }

    /// Sets every parameter to NULL and frees copied values.
    package func clearBindings() {
        // Always SQLITE_OK. https://www.sqlite.org/c3ref/clear_bindings.html
        _ = sqlite3_clear_bindings(handle)
    }

    /// Whether the statement was stepped and has neither ended nor been reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// How often SQLite prepared the statement again because the schema or a setting of the connection changed.
    /// https://www.sqlite.org/c3ref/c_stmtstatus_counter.html
    package var repreparations: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

    /// The number of operations of SQLite's virtual machine that the statement ran, which is proportional to the visited
    /// rows.
    package var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// The SQL of the statement.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
}

// MARK: - Errors

extension Statement {
    /// Returns the connection's error, which must be read before other calls overwrite it.
    @inline(never)
    func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, on: sqlite3_db_handle(handle), sql: sql)
    }

    /// Returns the same error and resets the statement, because a COMMIT that failed with a lock would otherwise count
    /// as running.
    @inline(never)
    func stepFailure(_ code: Int32) -> SQLiteError {
        let error = failure(code)
        reset()
        return error
    }
}

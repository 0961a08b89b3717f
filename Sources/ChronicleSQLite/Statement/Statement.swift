import ChronicleCSQLite

/// A prepared statement: bind values, step, read columns, and reset. Parameters are numbered from 1 and columns from 0, as
/// in SQLite. Bindings survive `reset` and `run`.
///
/// Only the thread that uses the connection may use its statements. A statement may be released, but not stepped, after the
/// connection was closed.
///
/// A call costs one to three nanoseconds more than the C call. Nothing is inlined into other modules, because that would
/// require a public import of SQLite and save less than a twentieth of an insert.
package final class Statement {
    /// Never nil and never changed, so that reading it requires neither a nil check nor an exclusivity check.
    let handle: OpaquePointer

    let slots: ParameterSlots

    /// See ``Connection/readRows(of:with:_:isCondition:_:)``.
    var isUnordered = false

    /// Finalizes the handle when the statement is released.
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
    /// Returns `false` after the last row; the next call runs the statement again. A step that fails resets the statement.
    package func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        return try stepAgain(code)
    }

    /// Another program may have changed the schema in a way that requires ``SchemaFunctions``.
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

    /// Ignores rows, and resets the statement. The bindings are kept.
    package func run() throws {
        while try step() {}
        reset()
    }

    /// Releases the snapshot. The bindings are kept.
    package func reset() {
        // The result repeats the error of the last step. https://www.sqlite.org/c3ref/reset.html
        _ = sqlite3_reset(handle)
    }

    /// Frees copied values.
    package func clearBindings() {
        // Always SQLITE_OK. https://www.sqlite.org/c3ref/clear_bindings.html
        _ = sqlite3_clear_bindings(handle)
    }

    /// The statement was stepped and has neither ended nor been reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// How often SQLite prepared the statement again. https://www.sqlite.org/c3ref/c_stmtstatus_counter.html
    package var repreparations: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

    /// The operations of SQLite's virtual machine, whose number is proportional to the visited rows.
    package var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
}

// MARK: - Errors

extension Statement {
    /// The error must be read before other calls overwrite it.
    @inline(never)
    func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, on: sqlite3_db_handle(handle), sql: sql)
    }

    /// Resets the statement, because a COMMIT that failed with a lock would otherwise count as running.
    @inline(never)
    func stepFailure(_ code: Int32) -> SQLiteError {
        let error = failure(code)
        reset()
        return error
    }
}

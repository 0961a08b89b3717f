import ChronicleCSQLite

/// One connection to one database.
///
/// Not `Sendable`, and opened without SQLite's own mutex: one thread at a time uses it, which `Database` sees to by
/// showing it only inside its closures. Closed by `close` or when the last reference goes.
///
/// The limits are the same for every connection: extended result codes, a bounded busy wait, no extensions, no writes
/// to the schema table, no double-quoted strings, no unsafe functions in the schema of a file from elsewhere, no views for
/// connections that only read.
package final class Connection {
    package enum Mode: Sendable {
        /// The file has to exist, and is not written.
        case readOnly
        /// The file has to exist and has to be writable.
        case readWrite
        /// The file is made when it is missing; its directory is not.
        case readWriteCreate
    }

    /// Nil once closed.
    private(set) var handle: OpaquePointer?

    /// How long one statement waits for a lock of another connection.
    let busyTimeout: Duration

    var statements = StatementCache(capacity: 128)

    /// What ends a read; see ``setInterruptible(_:)``.
    var interruption: Interruption?
    var isInterruptible = false

    /// Opens the database at `path`: a file, `:memory:`, or an SQLite URI that begins with `file:`.
    ///
    /// SQLite reads the file with the first statement, not here: a file that is no database shows itself only then.
    ///
    /// - Parameter busyTimeout: how long a statement waits for another connection's lock before it throws an error
    ///   that `isBusy`. Counted in milliseconds; zero does not wait.
    /// - Throws: `SQLiteError`: `isCannotOpen` when the file or its directory is missing or closed to us, `isReadOnly`
    ///   when writing was asked for and the file does not allow it.
    package init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5)) throws {
        self.busyTimeout = busyTimeout
        // With SQLITE_THREADSAFE=0 no two connections could work at the same time, whatever locks we hold.
        // https://www.sqlite.org/threadsafe.html
        guard sqlite3_threadsafe() != 0 else { throw SQLiteError.misuse("this SQLite was built without threads") }
        // As a C string the path would end at its first NUL, and name another file.
        guard !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path has a NUL character in it")
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
        // A failed open returns a handle too, for its message, and that has to be closed like any other.
        // https://www.sqlite.org/c3ref/open.html
        handle = opened
        do {
            guard code == SQLITE_OK else {
                throw SQLiteError(code: opened.map { sqlite3_extended_errcode($0) } ?? code, on: opened)
            }
            try configure(mode)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// Rolls back what is open and closes. A second call does nothing; any other call from here on throws `isMisuse`.
    package func close() {
        guard let handle else { return }
        settle()
        statements.removeAll()
        self.handle = nil
        // Version 2 waits for statements that someone still holds, so that these can be released in any order. It
        // only fails with SQLITE_OK. https://www.sqlite.org/c3ref/close.html
        _ = sqlite3_close_v2(handle)
    }
}

// MARK: - State

extension Connection {
    package var isClosed: Bool { handle == nil }

    /// The rowid of the last successful insert of this connection; 0 before the first.
    package var lastInsertRowID: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// The rows that the last INSERT, UPDATE or DELETE changed, without those that its triggers changed.
    package var changes: Int { handle.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// Whether a transaction is open. SQLite ends one by itself after some errors, so this is asked, not remembered.
    /// <https://www.sqlite.org/c3ref/get_autocommit.html>
    package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Whether it can only read.
    package var isReadOnly: Bool { handle.map { sqlite3_db_readonly($0, "main") == 1 } ?? true }

    /// The handle, or the error that the connection is closed.
    func openHandle() throws -> OpaquePointer {
        guard let handle else { throw SQLiteError.misuse("the connection is closed") }
        return handle
    }

    /// Ends what a user left behind: cursors half way, which would pin their snapshot and keep checkpoints from
    /// finishing, and an open transaction, which is rolled back.
    ///
    /// - Returns: whether a transaction was open.
    @discardableResult
    func settle() -> Bool {
        guard let handle else { return false }
        let wasOpen = isInTransaction
        guard wasOpen || sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE else { return false }
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            // The result repeats an error that was thrown already.
            _ = sqlite3_reset(current)
            statement = sqlite3_next_stmt(handle, current)
        }
        rollback()
        return wasOpen
    }
}

// MARK: - Opening

extension Connection.Mode {
    fileprivate var flags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }
}

extension Connection {
    private func configure(_ mode: Mode) throws {
        let handle = try openHandle()
        // SQLite opens a write-protected file for reading instead, and says so only when asked.
        // https://www.sqlite.org/c3ref/open.html
        guard mode == .readOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            throw SQLiteError(extendedCode: SQLITE_READONLY, message: "the file cannot be written")
        }
        _ = sqlite3_extended_result_codes(handle, 1)
        _ = sqlite3_busy_timeout(handle, busyTimeout.clampedMilliseconds)
        // A file may come from anywhere: its schema must not do more than SQL, and no SQL may break the schema.
        // https://www.sqlite.org/security.html
        try set(SQLITE_DBCONFIG_DEFENSIVE, 1)
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // A misspelt "column" is an error and not a string. https://www.sqlite.org/quirks.html#dblquote
        try set(SQLITE_DBCONFIG_DQS_DML, 0)
        try set(SQLITE_DBCONFIG_DQS_DDL, 0)
        if mode == .readOnly { denyViews(handle) }
    }

    /// Lets no statement read through a view, which another program may have put in the place of a table, and which may have
    /// no end. SQLite asks while it prepares a statement, and does so again when the schema changed.
    /// https://www.sqlite.org/c3ref/set_authorizer.html
    private func denyViews(_ handle: OpaquePointer) {
        // The last argument names the view or trigger that needs the access. A connection that only reads runs no triggers.
        _ = sqlite3_set_authorizer(handle, { _, _, _, _, _, view in view == nil ? SQLITE_OK : SQLITE_DENY }, nil)
    }

    func set(_ option: Int32, _ value: Int32) throws {
        let code = chronicle_sqlite_db_config_int(handle, option, value, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }
}

extension Duration {
    /// What SQLite's 32-bit millisecond arguments take.
    fileprivate var clampedMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Int32.max) / 1000 else { return .max }
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

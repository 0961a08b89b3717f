import ChronicleCSQLite

/// A connection to a database.
///
/// Not `Sendable`, and opened without SQLite's mutex: only one thread may use it at a time, which `Database` ensures by
/// exposing it only inside closures. It is closed by `close` or with its last reference.
///
/// Every connection has the same settings: extended result codes, a busy timeout, no extensions, no automatic checkpoints
/// of SQLite, no writes to the schema table, no double-quoted strings, no unsafe functions in the schema of a file, and,
/// for read-only connections, no views and a stand-in for each collation of another program.
package final class Connection {
    package enum Mode: Sendable {
        /// The file must exist.
        case readOnly
        case readWrite
        case readWriteCreate
    }

    /// `nil` after closing.
    private(set) var handle: OpaquePointer?

    let busyTimeout: Duration

    // The unchecked properties are used by one thread, and no access to them calls other code.
    @exclusivity(unchecked) var statements = StatementCache(capacity: 128)
    let rowFunction = RowFunction()
    /// The statements of every transaction, which are not looked up.
    @exclusivity(unchecked) var begin: Statement?
    @exclusivity(unchecked) var commit: Statement?
    @exclusivity(unchecked) var rollBack: Statement?
    /// See ``endFailedTransaction()``.
    @exclusivity(unchecked) var mustRollBack = false
    /// See ``withSetting(_:restoredBy:_:)``.
    @exclusivity(unchecked) var settingsToRestore: [String] = []

    /// See ``setInterruptible(_:)``.
    var interruption: Interruption?
    var isInterruptible = false

    /// A closure that is called after each transaction of ``immediate(mapError:_:)``, when other connections see its
    /// changes.
    @exclusivity(unchecked) package var didCommit: (@Sendable (Connection) -> Void)?
    /// A closure that is called after a checkpoint that followed a commit; `pages` could not be copied, and `error` is
    /// `nil` if a reader prevented it.
    @exclusivity(unchecked) package var didCheckpoint:
        (@Sendable (_ connection: Connection, _ pages: Int, _ error: (any Error)?) -> Void)?
    /// `nil` if the connection never copies the log.
    @exclusivity(unchecked) var checkpointer: Checkpointer?
    /// The pages from which on a transaction of ``immediate(mapError:_:)`` copies the log.
    @exclusivity(unchecked) var automaticCheckpointPages = Int32.max
    /// The number of pages after the latest commit, or 0 after a checkpoint.
    @exclusivity(unchecked) var logPages: Int32 = 0
    /// See ``afterUse(_:)``.
    private var actionsAfterUse: [@Sendable () -> Void] = []
    /// See ``createTemporaryView(_:as:)``.
    var allowedViews: AllowedViews?
    /// See ``observeRowChanges(with:)``.
    var rowChangeObservation: RowChangeObservation?
    /// See ``setTriggersEnabled(_:)``.
    package internal(set) var areTriggersEnabled = true
    /// The file when the connection was opened; `nil` to allow writes to a file that was moved.
    @exclusivity(unchecked) var location: FileLocation?
    /// Otherwise, at most one write transaction in a millisecond checks the file.
    @exclusivity(unchecked) var checksEachTransaction = true
    /// See ``nesting(_:)``.
    @exclusivity(unchecked) var nestsTransactions = false
    /// The version after the latest transaction of ``immediate(mapError:_:)``, or `nil` after a rollback.
    @exclusivity(unchecked) var latestVersion: DatabaseVersion?

    /// Opens the database at `path`: a file, `:memory:`, or an SQLite URI that begins with `file:`.
    ///
    /// SQLite reads the file with the first statement. A file that is not a database is detected only then. A busy timeout
    /// of zero does not wait. Throws an error for which `isCannotOpen` is true if the file or its directory is missing or
    /// inaccessible, and `isReadOnly` if the file must be writable but is not.
    package init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5)) throws {
        self.busyTimeout = busyTimeout
        // With SQLITE_THREADSAFE=0, two connections cannot be used at the same time, regardless of locks.
        // https://www.sqlite.org/threadsafe.html
        guard sqlite3_threadsafe() != 0 else { throw SQLiteError.misuse("SQLite was built without thread support") }
        // A C string would end at the NUL character and name another file.
        guard !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the path contains a NUL character")
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
        // A failed open also returns a handle, which provides the message and must be closed.
        // https://www.sqlite.org/c3ref/open.html
        handle = opened
        do {
            guard code == SQLITE_OK else {
                throw SQLiteError(code: opened.map { sqlite3_extended_errcode($0) } ?? code, on: opened)
            }
            try configure(mode)
            try defineRowFunction()
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// When no caller of ``Database`` uses the connection any more, so that the action may wait for other threads that use
    /// it.
    package func afterUse(_ action: @escaping @Sendable () -> Void) { actionsAfterUse.append(action) }

    /// Forgets the actions.
    package func takeActionsAfterUse() -> [@Sendable () -> Void] {
        if actionsAfterUse.isEmpty { return [] }
        defer { actionsAfterUse = [] }
        return actionsAfterUse
    }

    /// Rolls back an open transaction. A second call has no effect; all other calls then throw an error for which
    /// `isMisuse` is true.
    package func close() {
        guard let handle else { return }
        resetAndRollBack()
        statements.removeAll()
        (begin, commit, rollBack) = (nil, nil, nil)
        (didCommit, didCheckpoint, rowChangeObservation) = (nil, nil, nil)
        self.handle = nil
        // Statements may outlive the connection.
        _ = sqlite3_wal_hook(handle, nil, nil)
        // Version 2 defers closing until all statements are released, in any order. It only returns SQLITE_OK.
        // https://www.sqlite.org/c3ref/close.html
        _ = sqlite3_close_v2(handle)
    }
}

// MARK: - State

extension Connection {
    package var isClosed: Bool { handle == nil }

    /// 0 before the first insert of this connection.
    package var lastInsertRowID: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// The rows that the last statement changed, without changes by triggers.
    package var changes: Int { handle.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// Reads SQLite's state, because SQLite rolls back after some errors.
    /// <https://www.sqlite.org/c3ref/get_autocommit.html>
    package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    package var isReadOnly: Bool { handle.map { sqlite3_db_readonly($0, "main") == 1 } ?? true }

    /// The absolute path without symbolic links; `nil` for a database in memory.
    /// <https://www.sqlite.org/c3ref/db_filename.html>
    package var filePath: String? {
        guard let handle, let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Throws an error for which `isMoved` is true if the file of a ``Database`` was moved, replaced or deleted.
    package func requireSameFile() throws { try location?.check() }

    func openHandle() throws -> OpaquePointer {
        guard let handle else { throw SQLiteError.misuse("the connection is closed") }
        return handle
    }

    /// Running statements would keep their snapshot and prevent checkpoints from completing. Returns whether a transaction
    /// was open.
    @discardableResult
    func resetAndRollBack() -> Bool {
        guard let handle else { return false }
        let wasOpen = isInTransaction
        guard wasOpen || sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE else { return false }
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            // The result repeats an error that was already thrown.
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
        // SQLite opens a write-protected file read-only without an error. https://www.sqlite.org/c3ref/open.html
        guard mode == .readOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            throw SQLiteError(extendedCode: SQLITE_READONLY, message: "the file is not writable")
        }
        _ = sqlite3_extended_result_codes(handle, 1)
        installBusyHandler(handle)
        if mode != .readOnly { replaceAutomaticCheckpoints(handle) }
        // A file may come from any source: its schema must not execute unsafe functions, and SQL must not corrupt the
        // schema. https://www.sqlite.org/security.html
        try set(SQLITE_DBCONFIG_DEFENSIVE, 1)
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // A misspelled "column" is an error instead of a string. https://www.sqlite.org/quirks.html#dblquote
        try set(SQLITE_DBCONFIG_DQS_DML, 0)
        try set(SQLITE_DBCONFIG_DQS_DDL, 0)
        if mode == .readOnly {
            denyViews(handle)
            // Connections that write need the collation of the program, so that its indexes stay valid.
            allowUnknownCollations(handle)
        }
    }

    func installBusyHandler(_ handle: OpaquePointer) {
        BusyWait.install(handle, limit: busyTimeout.clampedMilliseconds)
    }

    /// Before a program's definitions are copied: SQLite accepts texts in double quotation marks in them, unless it was told not to.
    package func allowDefinitionsOfPrograms() throws {
        try set(SQLITE_DBCONFIG_DQS_DDL, 1)
        try set(SQLITE_DBCONFIG_DQS_DML, 1)
    }

    func set(_ option: Int32, _ value: Int32) throws {
        let code = chronicle_sqlite_db_config_int(handle, option, value, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }
}

extension Duration {
    /// The duration for SQLite's 32-bit arguments.
    fileprivate var clampedMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Int32.max) / 1000 else { return .max }
        return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

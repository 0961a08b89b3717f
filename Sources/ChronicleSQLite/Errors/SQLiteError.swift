import ChronicleCSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The error contains the SQL of the statement but not its bound values, so that `description` can be logged.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// <https://www.sqlite.org/rescode.html>
    package let extendedCode: Int32

    /// The message of SQLite, or of this module if it detected the error.
    package let message: String

    /// The statement with placeholders for its parameters.
    package let sql: String?

    /// `errno` of the system call that failed, or 0 if no call failed or its result is not known.
    package let systemCode: Int32

    package init(extendedCode: Int32, message: String, sql: String? = nil, systemCode: Int32 = 0) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.systemCode = systemCode
    }

    package var primaryCode: Int32 { extendedCode & 0xFF }

    package var description: String {
        let head = "SQLite error \(extendedCode): \(message)"
        guard let sql else { return head }
        return "\(head) [\(sql)]"
    }
}

// MARK: - Categories

extension SQLiteError {
    /// Another connection held a lock until the busy timeout expired. Conflicts within a connection (`SQLITE_LOCKED`) are
    /// not included, because waiting does not resolve them.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// A constraint was violated, or a trigger called `RAISE`.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// The value exists in a `UNIQUE` index, a primary key, or a rowid.
    package var isUniqueConstraint: Bool {
        // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID are nested macros, which Swift does not import.
        // https://www.sqlite.org/rescode.html#constraint_unique
        [2067, 1555, 2579].contains(extendedCode)
    }

    /// A foreign key references a missing row, or a deleted row is still referenced. Keys with `ON DELETE RESTRICT` are not
    /// included, because SQLite reports them as a trigger constraint.
    package var isForeignKeyConstraint: Bool {
        // SQLITE_CONSTRAINT_FOREIGNKEY. https://www.sqlite.org/rescode.html#constraint_foreignkey
        extendedCode == 787
    }

    /// The connection, the file, or the directory.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// Another process's interrupted transaction must be rolled back or recovered, but this connection cannot write.
    package var needsRecovery: Bool {
        // SQLITE_READONLY_ROLLBACK and SQLITE_READONLY_RECOVERY. https://www.sqlite.org/rescode.html#readonly_rollback
        [776, 264].contains(extendedCode)
    }

    /// A collation is not defined: SQLITE_ERROR_MISSING_COLLSEQ. https://www.sqlite.org/rescode.html#error_missing_collseq
    package var isMissingCollation: Bool { extendedCode == 257 }

    /// The file was moved, replaced or deleted after it had been opened.
    package var isMoved: Bool { extendedCode == Self.movedCode }

    /// The file, or a file beside it, cannot be opened or created.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// SQLite does not classify the error: for example, a statement uses an unknown function.
    package var isGeneric: Bool { primaryCode == SQLITE_ERROR }

    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }

    /// The file may be undamaged.
    package var isInputOutput: Bool { primaryCode == SQLITE_IOERR }

    /// SQLite has a code for a full disk, but does not use it for files beside the database: it reports an input/output
    /// error, or that the file cannot be opened.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || (isInputOutput || isCannotOpen) && [ENOSPC, EDQUOT].contains(systemCode)
    }

    package var isTooManyFiles: Bool { (isInputOutput || isCannotOpen) && [EMFILE, ENFILE].contains(systemCode) }

    package var systemMessage: String? { systemCode == 0 ? nil : String(cString: strerror(systemCode)) }

    package var isDenied: Bool { primaryCode == SQLITE_AUTH }

    /// Depends on the version and build options of SQLite. https://www.sqlite.org/limits.html
    package var isLimitExceeded: Bool {
        guard isGenericError else { return primaryCode == SQLITE_TOOBIG }
        // These errors have no specific code. The parser's stack is not in the list of limits; since version 3.46 it is
        // unlimited.
        return ["Expression tree is too large", "parser stack overflow", "too many ", "at most "]
            .contains { message.hasPrefix($0) }
    }

    /// SQLite uses the code for infinitely recursive triggers and others.
    package var isGenericError: Bool { extendedCode == SQLITE_ERROR }

    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// The call was invalid: for a closed connection, with several statements, or with a transaction that was not ended.
    package var isMisuse: Bool { primaryCode == SQLITE_MISUSE }
}

// MARK: - Creating errors

extension SQLiteError {
    init(code: Int32, on connection: OpaquePointer?, sql: String? = nil) {
        if code & 0xFF == SQLITE_CORRUPT, let failure = connection.flatMap(Self.failedRead) {
            // SQLITE_IOERR_CORRUPTFS, which is a nested macro. https://www.sqlite.org/rescode.html#ioerr_corruptfs
            self.init(extendedCode: 8458, message: "the system could not read the file: \(failure)", sql: sql)
            return
        }
        // SQLite sets it only for these codes. https://www.sqlite.org/c3ref/system_errno.html
        let isSystemError = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        let systemCode = isSystemError ? connection.map { sqlite3_system_errno($0) } ?? 0 : 0
        // Without memory for a handle, `sqlite3_errstr` still provides the text of the code.
        let text = connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(
            extendedCode: code, message: text.map { String(cString: $0) } ?? "unknown error", sql: sql,
            systemCode: systemCode)
    }

    /// When a read fails with one of three codes, SQLite assumes a corrupt file system, and a running statement reports it
    /// as corruption of the database. The file keeps the system's code until its next failure, so damage found later, on a
    /// disk that could not be read before, is reported in the same way.
    private static func failedRead(on connection: OpaquePointer) -> String? {
        var code: Int32 = 0
        var log: UnsafeMutablePointer<sqlite3_file>?
        // https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntllasterrno
        _ = sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &code)
        if !readFailures.contains(code) {
            _ = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
            // A log that is not open has no methods.
            guard let log, let methods = log.pointee.pMethods else { return nil }
            _ = methods.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code)
        }
        return readFailures.contains(code) ? String(cString: strerror(code)) : nil
    }

    private static let readFailures = [EIO, ENXIO, ERANGE]

    static let readOnlyDatabase = SQLiteError(extendedCode: SQLITE_READONLY, message: "the database is read-only")

    /// https://www.sqlite.org/rescode.html#readonly_dbmoved
    private static let movedCode: Int32 = 1032

    static func moved(_ path: String) -> SQLiteError {
        SQLiteError(extendedCode: movedCode, message: "\(path) was moved, replaced or deleted while it was open")
    }

    static func misuse(_ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
    }
}

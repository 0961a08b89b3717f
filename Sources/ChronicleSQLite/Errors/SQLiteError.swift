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

/// What SQLite answered when it would not do what it was asked.
///
/// The text of the statement is kept, the values bound to it are not: `description` can go into a log as it is.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code, <https://www.sqlite.org/rescode.html>.
    package let extendedCode: Int32

    /// SQLite's own words, or ours when the error was found before SQLite was asked.
    package let message: String

    /// The statement with its parameters still as placeholders, when there was one.
    package let sql: String?

    package init(extendedCode: Int32, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// The low byte of the extended code: the family of the error.
    package var primaryCode: Int32 { extendedCode & 0xFF }

    package var description: String {
        let head = "SQLite error \(extendedCode): \(message)"
        guard let sql else { return head }
        return "\(head) [\(sql)]"
    }
}

// MARK: - Families

extension SQLiteError {
    /// Another connection held a lock until the busy timeout ran out: the same call may succeed later.
    ///
    /// A conflict inside one connection (`SQLITE_LOCKED`) is not busy, since no waiting resolves it.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY }

    /// A constraint of the schema, or `RAISE` in a trigger, refused the statement.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// A `UNIQUE` index, a primary key or a rowid that exists already.
    package var isUniqueConstraint: Bool {
        // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID are nested macros, which Swift does not import.
        // https://www.sqlite.org/rescode.html#constraint_unique
        [2067, 1555, 2579].contains(extendedCode)
    }

    /// A foreign key without its parent, or a parent that still has children.
    ///
    /// A key declared `ON DELETE RESTRICT` is not among them: SQLite reports it as a trigger of its own.
    package var isForeignKeyConstraint: Bool {
        // SQLITE_CONSTRAINT_FOREIGNKEY. https://www.sqlite.org/rescode.html#constraint_foreignkey
        extendedCode == 787
    }

    /// A write through a connection, to a file, or in a directory that only allows reading.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// What a process left that did not end its transaction has to be rolled back or recovered, and this connection may not
    /// write.
    package var needsRecovery: Bool {
        // SQLITE_READONLY_ROLLBACK and SQLITE_READONLY_RECOVERY. https://www.sqlite.org/rescode.html#readonly_rollback
        [776, 264].contains(extendedCode)
    }

    /// The file, or one of the files beside it, cannot be opened or made.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// The file does not begin as an SQLite database begins.
    package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }

    /// The file is a database and is damaged.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }

    /// The system could not read or write a file. The file itself may be as it should be.
    package var isInputOutput: Bool { primaryCode == SQLITE_IOERR }

    /// The disk, or the size limit of the database, is used up.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// A connection that only reads would have read through a view.
    package var isDenied: Bool { primaryCode == SQLITE_AUTH }

    /// A statement beyond one of SQLite's limits, which depend on its version and on how it was built.
    /// https://www.sqlite.org/limits.html
    package var isLimitExceeded: Bool {
        guard isUnspecific else { return primaryCode == SQLITE_TOOBIG }
        // These have no code of their own. The parser's stack is in no list of limits; since 3.46 it has none.
        return ["Expression tree is too large", "parser stack overflow", "too many ", "at most "]
            .contains { message.hasPrefix($0) }
    }

    /// SQLite's code for what has no code of its own, such as triggers that fire triggers without end.
    package var isUnspecific: Bool { extendedCode == SQLITE_ERROR }

    /// A read ended because its result was not needed any more.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// The call itself was wrong: a closed connection, several statements where one belongs, a transaction left open.
    package var isMisuse: Bool { primaryCode == SQLITE_MISUSE }
}

// MARK: - Making them

extension SQLiteError {
    /// The error that `connection` has just reported.
    init(code: Int32, on connection: OpaquePointer?, sql: String? = nil) {
        if code & 0xFF == SQLITE_CORRUPT, let failure = connection.flatMap(Self.failedRead) {
            // SQLITE_IOERR_CORRUPTFS, which is a nested macro. https://www.sqlite.org/rescode.html#ioerr_corruptfs
            self.init(extendedCode: 8458, message: "the system could not read the file: \(failure)", sql: sql)
            return
        }
        // Without a handle there was not even memory for one; `sqlite3_errstr` knows the code by itself.
        let text = connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(extendedCode: code, message: text.map { String(cString: $0) } ?? "unknown error", sql: sql)
    }

    /// What the system said to a read that failed; `nil` when none did.
    ///
    /// When a read fails with one of three codes, SQLite takes the file system for corrupt, and a statement that was running
    /// reports that as corruption of the database. The file remembers the system's code. It does so until its next failure:
    /// damage that is found on a disk which could not be read before is reported as that, too.
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

    static func misuse(_ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
    }
}

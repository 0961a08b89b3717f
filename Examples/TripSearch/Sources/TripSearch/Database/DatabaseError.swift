import CSQLite

/// An error of SQLite.
struct DatabaseError: Error, CustomStringConvertible {
    /// The primary result code: https://www.sqlite.org/rescode.html
    let code: Int32
    let description: String

    init(_ connection: OpaquePointer?, _ path: String) {
        code = sqlite3_errcode(connection) & 0xFF
        description = "\(path): \(String(cString: sqlite3_errmsg(connection)))"
    }

    /// Creates the error of a check that found damage.
    init(damaged path: String) {
        code = SQLITE_CORRUPT
        description = "\(path): \(String(cString: sqlite3_errstr(SQLITE_CORRUPT)))"
    }

    /// Whether the file is no database, or a damaged one.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
}

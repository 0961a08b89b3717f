import CSQLite
import Chronicle
import Foundation

/// The baseline: the same rows, written and read through SQLite's C API as directly as possible, without history.
/// Statements are prepared once, texts are bound without a copy, and a save is one transaction.
final class PlainDatabase {
    private let handle: OpaquePointer
    private var statements: [OpaquePointer] = []

    /// Opens a file as it is.
    init(reading url: URL) throws { handle = try Self.open(url, SQLITE_OPEN_READONLY) }

    /// Creates a new file without tables.
    init(creating url: URL) throws { handle = try Self.open(url, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) }

    private static func open(_ url: URL, _ flags: Int32) throws -> OpaquePointer {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else { throw PlainError(code: code, message: "cannot open \(url.path)") }
        return opened
    }

    /// Creates a new file with an empty table.
    init(_ url: URL, _ durability: ModelConfiguration.Durability) throws {
        handle = try Self.open(url, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        try execute(
            """
            CREATE TABLE IF NOT EXISTS trip(id INTEGER PRIMARY KEY, name TEXT, destination TEXT, note TEXT,
            startDate REAL, endDate REAL, nights INTEGER, rating INTEGER, isBooked INTEGER)
            """)
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw PlainError(code: SQLITE_MISUSE, message: "empty SQL") }
        statements.append(statement)
        return statement
    }

    @inline(__always)
    func check(_ code: Int32) throws {
        guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
            throw PlainError(code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

struct PlainError: Error {
    let code: Int32
    let message: String
}

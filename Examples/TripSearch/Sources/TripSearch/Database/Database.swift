import CSQLite
import Foundation

/// A connection to an SQLite database, for one task at a time.
final class Database {
    /// A value of a statement's parameter.
    enum Value {
        case integer(Int64)
        case text(String)
        case null
    }

    /// The current row of a statement.
    struct Row {
        fileprivate let statement: OpaquePointer?

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: Int32) -> String? {
            sqlite3_column_text(statement, column).map { text in
                let count = Int(sqlite3_column_bytes(statement, column))
                return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
            }
        }
    }

    let path: String
    private let connection: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    /// How long a statement waits for another process, in milliseconds.
    private static var busyTimeout: Int32 { 5_000 }

    /// - Parameter isReadOnly: Whether to open an existing file for reading, or else to create the file if needed.
    init(_ url: URL, isReadOnly: Bool = false) throws {
        path = url.path
        var connection: OpaquePointer?
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        self.connection = connection
        guard code == SQLITE_OK else {
            let error = DatabaseError(connection, path)
            sqlite3_close(connection)
            throw error
        }
        sqlite3_busy_timeout(connection, Self.busyTimeout)
    }

    deinit {
        statements.values.forEach { sqlite3_finalize($0) }
        sqlite3_close(connection)
    }

    /// Runs one or more statements without parameters and results.
    func execute(_ sql: String) throws {
        try check(sqlite3_exec(connection, sql, nil, nil, nil))
    }

    /// Runs a statement, which is kept prepared, and returns a value for each row.
    @discardableResult
    func run<Result>(_ sql: String, _ values: Value..., row: (Row) throws -> Result) throws -> [Result] {
        let statement = try prepare(sql)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        var results: [Result] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: results.append(try row(Row(statement: statement)))
            case SQLITE_DONE: return results
            default: throw DatabaseError(connection, path)
            }
        }
    }

    /// Runs a statement without results.
    func run(_ sql: String, _ values: Value...) throws {
        let statement = try prepare(sql)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw DatabaseError(connection, path) }
    }

    /// Commits everything that the function does, or nothing.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite has ended the transaction already after some errors. The first error is the one to report.
            if sqlite3_get_autocommit(connection) == 0 { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer?) throws {
        switch value {
        case .integer(let integer): try check(sqlite3_bind_int64(statement, index, integer))
        case .text(var text):
            try check(
                text.withUTF8 { bytes in
                    // An empty buffer may have no address, which SQLite would take for NULL.
                    bytes.withMemoryRebound(to: CChar.self) { characters in
                        guard let start = characters.baseAddress, !characters.isEmpty else {
                            return sqlite3_bind_text(statement, index, "", 0, trip_search_sqlite_transient())
                        }
                        return sqlite3_bind_text(
                            statement, index, start, Int32(characters.count), trip_search_sqlite_transient())
                    }
                })
        case .null: try check(sqlite3_bind_null(statement, index))
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw DatabaseError(connection, path) }
    }
}

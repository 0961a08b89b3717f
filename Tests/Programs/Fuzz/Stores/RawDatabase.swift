import ChronicleCSQLite
import Foundation

/// A connection without the restrictions of Chronicle's connections.
final class RawDatabase {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        /// Any bytes, not only UTF-8.
        case text([UInt8])
        case blob([UInt8])

        static func text(_ text: String) -> Value { .text(Array(text.utf8)) }

        var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

        var string: String { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { "" } }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let handle: OpaquePointer

    /// - Parameter runsTriggers: Whether changes are recorded, as those of any other program are.
    init(_ url: URL, runsTriggers: Bool = false) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: "\(url.path) cannot be opened: \(code)")
        }
        handle = opened
        _ = chronicle_sqlite_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nil)
        _ = chronicle_sqlite_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, runsTriggers ? 1 : 0, nil)
        _ = sqlite3_busy_timeout(handle, 1_000)
        try run("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; PRAGMA synchronous = OFF")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs one or more statements without parameters.
    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Runs one statement.
    ///
    /// - Returns: The rows of the statement.
    @discardableResult
    func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { bind(value, statement, Int32(index + 1)) }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { self.value(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    private func bind(_ value: Value, _ statement: OpaquePointer?, _ index: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .real(let value): sqlite3_bind_double(statement, index, value)
        case .text(let bytes):
            bytes.withUnsafeBytes { buffer in
                let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = sqlite3_bind_text64(
                    statement, index, start, UInt64(buffer.count), chronicle_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            _ = bytes.withUnsafeBytes {
                sqlite3_bind_blob64(
                    statement, index, $0.baseAddress, UInt64($0.count), chronicle_sqlite_transient())
            }
        }
    }

    private func value(_ statement: OpaquePointer?, _ index: Int32) -> Value {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT, SQLITE_BLOB:
            let isText = sqlite3_column_type(statement, index) == SQLITE_TEXT
            let start = sqlite3_column_blob(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            let bytes = start.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
            return isText ? .text(bytes) : .blob(bytes)
        default: return .null
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) [\(sql.prefix(200))]")
    }
}

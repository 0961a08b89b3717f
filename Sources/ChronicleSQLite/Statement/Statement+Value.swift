import ChronicleCSQLite

package enum ColumnValue {
    case null
    case integer(Int64)
    case real(Double)
    /// The UTF-8, which may be invalid, until the next step or reset.
    case text(UnsafeBufferPointer<UInt8>)
    /// The bytes until the next step or reset.
    case blob(UnsafeRawBufferPointer)
}

extension Statement {
    /// Requires a single lookup of the column, where reading the type, the text, and the length requires three. Column
    /// values are "unprotected" if several threads can use the connection; this one is opened without a mutex and used by
    /// one thread at a time. https://www.sqlite.org/c3ref/value.html
    package func value(_ index: Int32) -> ColumnValue {
        guard let value = sqlite3_column_value(handle, index) else { return .null }
        return ColumnValue(value)
    }
}

extension ColumnValue {
    @inline(__always)
    init(_ value: OpaquePointer) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The pointer before the length, as in `withText`.
            let start = sqlite3_value_text(value)
            self = .text(UnsafeBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value)))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            self = .blob(UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value)))
        default:
            self = .null
        }
    }

    /// SQLite's `IS` compares numbers by their values, text and blobs by their bytes.
    package func `is`(_ other: ColumnValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b
        case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)):
            Int64(exactly: real) == integer
        case (.text(let a), .text(let b)): a.elementsEqual(b)
        case (.blob(let a), .blob(let b)): a.elementsEqual(b)
        default: false
        }
    }
}

import ChronicleCSQLite

/// A value of a row in its storage class.
package enum ColumnValue {
    case null
    case integer(Int64)
    case real(Double)
    /// The stored UTF-8, which may be invalid, until the next step or reset.
    case text(UnsafeBufferPointer<UInt8>)
    /// The bytes, until the next step or reset.
    case blob(UnsafeRawBufferPointer)
}

extension Statement {
    /// Returns the value of a column in its storage class.
    ///
    /// SQLite looks up the column in each call. This function requires a single lookup, where reading the type, the
    /// text, and the length requires three. Column values are "unprotected" if several threads can use the connection;
    /// this connection is opened without a mutex and used by one thread at a time.
    /// https://www.sqlite.org/c3ref/value.html
    package func value(_ index: Int32) -> ColumnValue {
        guard let value = sqlite3_column_value(handle, index) else { return .null }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The pointer before the length, as in `withText`.
            let start = sqlite3_value_text(value)
            return .text(UnsafeBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value)))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            return .blob(UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value)))
        default:
            return .null
        }
    }
}

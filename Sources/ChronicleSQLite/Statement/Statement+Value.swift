import ChronicleCSQLite

/// One value of a row, in the storage class that it has.
package enum ColumnValue {
    case null
    case integer(Int64)
    case real(Double)
    /// The UTF-8 as it is stored, valid or not, until the next step or reset.
    case text(UnsafeBufferPointer<UInt8>)
    /// The bytes until the next step or reset.
    case blob(UnsafeRawBufferPointer)
}

extension Statement {
    /// The value of a column, whatever it is.
    ///
    /// SQLite looks a column up with each call; here it does so once, where asking for the type first and then for text
    /// and length takes three. Values of columns count as "unprotected" where other threads could use the connection;
    /// ours is opened without a mutex and has one thread at a time. https://www.sqlite.org/c3ref/value.html
    package func value(_ index: Int32) -> ColumnValue {
        guard let value = sqlite3_column_value(handle, index) else { return .null }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The pointer first, then the length, as in `withText`.
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

import ChronicleCSQLite

/// The storage class of one value, <https://www.sqlite.org/datatype3.html>.
package enum ColumnType: Sendable {
    case integer, float, text, blob, null
}

// Valid after a `step` that returned true, until the next step or reset. A value of another storage class is converted
// as SQLite converts it; whoever cares asks for the type first, since a conversion may change it.
// https://www.sqlite.org/c3ref/column_blob.html
extension Statement {
    /// How many columns a row has; 0 for a statement that returns no rows.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// What the statement calls a column, for messages.
    package func columnName(_ index: Int32) -> String {
        sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }

    package func columnType(_ index: Int32) -> ColumnType {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .float
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    package func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// 0 for NULL.
    package func int64(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    /// 0 for NULL.
    package func double(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

    /// The whole text, NUL characters included, invalid UTF-8 repaired with U+FFFD. Empty for NULL.
    package func text(_ index: Int32) -> String {
        withText(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 of the text as it is stored, valid or not, without a copy. Empty for NULL.
    package func withText<T>(_ index: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
        // The pointer first, then the length: the other way round a conversion in between makes the length wrong.
        let start = sqlite3_column_text(handle, index)
        return try body(UnsafeBufferPointer(start: start, orEmpty: sqlite3_column_bytes(handle, index)))
    }

    /// The bytes of the value without a copy. Empty both for NULL and for an empty BLOB: `isNull` tells them apart.
    package func withBlob<T>(_ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        // Nil for an empty BLOB too.
        let start = sqlite3_column_blob(handle, index)
        return try body(UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_column_bytes(handle, index)))
    }
}

// SQLite gives no address for NULL, for an empty BLOB, and for a text that it had no memory to convert; after the last,
// the next step fails with SQLITE_NOMEM. A length without an address would end the process.
extension UnsafeBufferPointer {
    @inline(__always)
    init(start: UnsafePointer<Element>?, orEmpty count: Int32) {
        self.init(start: start, count: start == nil ? 0 : Int(count))
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    init(start: UnsafeRawPointer?, orEmpty count: Int32) {
        self.init(start: start, count: start == nil ? 0 : Int(count))
    }
}

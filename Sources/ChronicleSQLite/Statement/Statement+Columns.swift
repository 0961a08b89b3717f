import ChronicleCSQLite

// Columns are valid after a `step` that returned true, until the next step or reset. SQLite converts values of another
// storage class; check the type first if that matters, because a conversion may change it.
// https://www.sqlite.org/c3ref/column_blob.html
extension Statement {
    /// 0 for a statement that returns no rows.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The name of the first parameter, such as `:name` or `?1`; `nil` without parameters.
    package var firstParameter: String? {
        guard sqlite3_bind_parameter_count(handle) > 0 else { return nil }
        for index in 1...sqlite3_bind_parameter_count(handle) {
            if let name = sqlite3_bind_parameter_name(handle, index) { return String(cString: name) }
        }
        return "?"
    }

    /// Returns a name for messages.
    package func columnName(_ index: Int32) -> String {
        sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }

    package func storageClass(_ index: Int32) -> StorageClass { StorageClass(sqlite3_column_type(handle, index)) }

    package func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    /// 0 for NULL.
    package func int64(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    /// 0 for NULL.
    package func double(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

    /// Returns the text with NUL characters, and invalid UTF-8 replaced by U+FFFD. It is empty for NULL.
    package func text(_ index: Int32) -> String {
        withText(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Passes the UTF-8, which may be invalid, without copying it. It is empty for NULL.
    package func withText<T>(_ index: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
        // The pointer before the length, because a conversion in between would make the length wrong.
        let start = sqlite3_column_text(handle, index)
        return try body(UnsafeBufferPointer(start: start, orEmpty: sqlite3_column_bytes(handle, index)))
    }

    /// Passes the bytes without copying them. They are empty for NULL and for an empty BLOB, which `isNull` distinguishes.
    package func withBlob<T>(_ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        // Also nil for an empty BLOB.
        let start = sqlite3_column_blob(handle, index)
        return try body(UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_column_bytes(handle, index)))
    }
}

// SQLite returns no address for NULL, for an empty BLOB, and for a text that could not be converted for lack of memory;
// in the last case, the next step fails with SQLITE_NOMEM. A length without an address would trap.
extension UnsafeBufferPointer {
    @inline(__always)
    init(start: UnsafePointer<Element>?, orEmpty count: Int32) {
        self.init(start: start, count: start == nil ? 0 : Int(count))
    }
}

extension UnsafeRawBufferPointer {
    @inlinable @inline(__always)
    init(start: UnsafeRawPointer?, orEmpty count: Int32) {
        self.init(start: start, count: start == nil ? 0 : Int(count))
    }
}

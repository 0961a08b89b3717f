public import ChronicleCSQLite

/// <https://www.sqlite.org/datatype3.html>
@frozen @usableFromInline
package enum StorageClass: Sendable {
    case null, integer, real, text, blob

    /// - Parameter type: A result of `sqlite3_column_type` or `sqlite3_value_type`.
    @inlinable @inline(__always)
    init(_ type: Int32) {
        switch type {
        case SQLITE_INTEGER: self = .integer
        case SQLITE_FLOAT: self = .real
        case SQLITE_TEXT: self = .text
        case SQLITE_BLOB: self = .blob
        default: self = .null
        }
    }
}

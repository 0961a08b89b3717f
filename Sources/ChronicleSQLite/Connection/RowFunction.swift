public import ChronicleCSQLite

/// The SQL function `chronicle_row`, which passes the columns of a row to a callback. This takes a fifth less time than
/// stepping and reading columns: SQLite passes all values at once, where each access to a column checks the statement and
/// looks up the value.
package final class RowFunction {
    /// Receives the columns of a row, an array of ``RowColumn`` that is valid until it returns. A C function, because
    /// calling a closure that is stored in an object changes two reference counts.
    package typealias Callback =
        @convention(c) (
            _ reader: UnsafeMutableRawPointer, _ columns: UnsafeRawPointer, _ count: Int
        ) -> Result.RawValue

    /// In a WHERE clause, only `stop` makes SQLite return to the program.
    package enum Result: Int32 {
        case `continue` = 0
        case stop = 1
        /// The rows are not in order; see ``Connection/readRows(of:with:_:isCondition:_:)``.
        case unordered = -1
    }

    static let name = "chronicle_row"
    /// SQLite allows 127 arguments, and 100 if it was built with the default of earlier versions.
    /// https://www.sqlite.org/limits.html
    static let maximumCount = 100

    @exclusivity(unchecked) fileprivate var callback: Callback?
    @exclusivity(unchecked) fileprivate var reader: UnsafeMutableRawPointer?
    @exclusivity(unchecked) fileprivate var isUnordered = false

    fileprivate func call(_ context: OpaquePointer?, _ count: Int, _ arguments: UnsafeMutablePointer<OpaquePointer?>) {
        guard let callback, let reader else {
            return sqlite3_result_error(context, "chronicle_row was called by another statement", -1)
        }
        switch callback(reader, arguments, count) {
        case Result.continue.rawValue: break
        case Result.stop.rawValue: sqlite3_result_int(context, 1)
        default:
            isUnordered = true
            sqlite3_result_error(context, "the rows are sorted after they are read", -1)
        }
    }
}

/// An argument of ``RowFunction``. SQLite converts values of another storage class. The accessors are inlined into the
/// callback, because a call for each column would take as long as the rest. Swift inlines `package` declarations into other
/// modules only if they are `@inlinable` and their types `@usableFromInline`.
@frozen @usableFromInline
package struct RowColumn {
    // The only property, so that the arguments of the function are an array of columns.
    @usableFromInline let value: OpaquePointer?

    @inlinable @inline(__always)
    package var storageClass: StorageClass { StorageClass(sqlite3_value_type(value)) }

    /// 0 for NULL.
    @inlinable @inline(__always)
    package var integer: Int64 { sqlite3_value_int64(value) }

    /// 0 for NULL.
    @inlinable @inline(__always)
    package var real: Double { sqlite3_value_double(value) }

    /// The UTF-8 of the column, which may be invalid. Empty for NULL.
    @inlinable @inline(__always)
    package var text: UnsafeRawBufferPointer {
        // The address before the length, because a conversion in between would make the length wrong.
        let start = UnsafeRawPointer(sqlite3_value_text(value))
        return UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value))
    }

    /// The bytes; empty for NULL and for an empty BLOB.
    @inlinable @inline(__always)
    package var blob: UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value))
    }
}

extension Connection {
    func defineRowFunction() throws {
        let code = sqlite3_create_function_v2(
            try openHandle(), RowFunction.name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(rowFunction).toOpaque(),
            { context, count, arguments in
                // The connection retains the function.
                guard let arguments, let data = sqlite3_user_data(context) else { return }
                Unmanaged<RowFunction>.fromOpaque(data)._withUnsafeGuaranteedRef {
                    $0.call(context, Int(count), arguments)
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }

    /// `nil` if there are too many columns.
    package static func rowCall(_ columns: String, count: Int) -> String? {
        count <= RowFunction.maximumCount ? "\(RowFunction.name)(\(columns))" : nil
    }

    /// Runs a statement that calls ``RowFunction`` for each row.
    ///
    /// As the result of the statement, the function is called before a step returns a row. If SQLite sorts the rows, it
    /// calls the function for all of them first; the callback then receives a second row before `body` is called, and
    /// returns `unordered`.
    ///
    /// As its condition (`isCondition`), the function is called for several rows in a step, up to the one for which the
    /// callback returns `stop`. The statement must have no other conditions, limit and offset, because SQLite evaluates
    /// conditions in any order.
    ///
    /// - Parameter body: Called after each step that returned a row. If the function is the condition, also after the last
    ///   step.
    /// - Returns: `false` if SQLite sorts the rows. Read the columns of another statement.
    package func readRows(
        of statement: Statement, with reader: AnyObject, _ callback: RowFunction.Callback, isCondition: Bool,
        _ body: () throws -> Void
    ) throws -> Bool {
        if statement.isUnordered { return false }
        let outer = (rowFunction.callback, rowFunction.reader)
        defer { (rowFunction.callback, rowFunction.reader) = outer }
        while true {
            // `body` may read rows with the same connection.
            (rowFunction.callback, rowFunction.reader) = (callback, Unmanaged.passUnretained(reader).toOpaque())
            rowFunction.isUnordered = false
            let hasRow: Bool
            do { hasRow = try statement.step() } catch {
                guard rowFunction.isUnordered else { throw error }
                statement.isUnordered = true
                return false
            }
            if hasRow || isCondition { try body() }
            if !hasRow { return true }
        }
    }
}

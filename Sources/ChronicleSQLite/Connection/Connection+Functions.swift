import ChronicleCSQLite

/// A deterministic SQL function for the queries of a connection. Views, triggers, and indexes cannot use it, because a file
/// must work in every program that opens it.
package final class SQLFunction: Sendable {
    package let name: String
    let argumentCount: Int32
    let body: @Sendable (borrowing FunctionCall) -> Result?

    package enum Result {
        case integer(Int64)
        /// NaN becomes NULL.
        case real(Double)
        case text(String)
        case blob([UInt8])
        /// Ends the statement with an error.
        case error(String)
    }

    /// - Parameter body: Returns the result of a call, or `nil` for NULL.
    package init(
        _ name: String, argumentCount: Int32, _ body: @escaping @Sendable (borrowing FunctionCall) -> Result?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.body = body
    }
}

extension Connection {
    /// Throws an error if a statement is running or the connection is closed.
    package func define(_ functions: [SQLFunction]) throws {
        let handle = try openHandle()
        // https://www.sqlite.org/c3ref/c_deterministic.html
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        for function in functions {
            let code = sqlite3_create_function_v2(
                handle, function.name, function.argumentCount, flags, Unmanaged.passRetained(function).toOpaque(),
                { call, _, arguments in
                    guard let call, let arguments else { return }
                    evaluate(FunctionCall(context: call, arguments: arguments))
                }, nil, nil, release)
            guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
        }
    }
}

private func evaluate(_ call: borrowing FunctionCall) {
    guard let data = sqlite3_user_data(call.context) else { return }
    let function = Unmanaged<SQLFunction>.fromOpaque(data).takeUnretainedValue()
    switch function.body(call) {
    case .integer(let result): sqlite3_result_int64(call.context, result)
    case .real(let result): sqlite3_result_double(call.context, result)
    case .text(var result):
        result.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                guard let count = Int32(exactly: $0.count) else { return sqlite3_result_error_toobig(call.context) }
                sqlite3_result_text(call.context, $0.baseAddress, count, transientMemory)
            }
        }
    case .blob(let result):
        result.withUnsafeBytes {
            guard let count = Int32(exactly: $0.count) else { return sqlite3_result_error_toobig(call.context) }
            sqlite3_result_blob(call.context, $0.baseAddress, count, transientMemory)
        }
    case .error(let message): sqlite3_result_error(call.context, message, -1)
    case nil: sqlite3_result_null(call.context)
    }
}

/// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the result.
/// https://www.sqlite.org/c3ref/c_static.html
private let transientMemory = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The call and its texts are valid until the function returns.
package struct FunctionCall: ~Copyable {
    fileprivate let context: OpaquePointer
    fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>

    /// 0 for NULL.
    package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(arguments[index]) }

    /// 0 for NULL.
    package func real(_ index: Int) -> Double { sqlite3_value_double(arguments[index]) }

    package func isNull(_ index: Int) -> Bool { sqlite3_value_type(arguments[index]) == SQLITE_NULL }

    package func isInteger(_ index: Int) -> Bool { sqlite3_value_type(arguments[index]) == SQLITE_INTEGER }

    package func value(_ index: Int) -> ColumnValue { arguments[index].map { ColumnValue($0) } ?? .null }

    /// Returns the UTF-8, which may be invalid, without copying it, or `nil` for NULL.
    package func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard let value = arguments[index], sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        // The pointer before the length, because a conversion in between would make the length wrong.
        let start = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value))
    }

    /// `nil` for NULL. For an argument that is constant across rows, the object is created once.
    /// https://www.sqlite.org/c3ref/get_auxdata.html
    package func prepared<Value: AnyObject>(_ index: Int, _ make: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        if let data = sqlite3_get_auxdata(context, Int32(index)) {
            return Unmanaged<Value>.fromOpaque(data).takeUnretainedValue()
        }
        guard let value = text(index).map(make) else { return nil }
        sqlite3_set_auxdata(context, Int32(index), Unmanaged.passRetained(value).toOpaque(), release)
        return value
    }
}

/// An order of texts for the queries of a connection. Like functions, it must not be used in the schema of a file.
package final class SQLCollation: Sendable {
    package typealias Text = UnsafeBufferPointer<UInt8>

    package let name: String
    fileprivate let order: @Sendable (Text, Text) -> Int

    /// - Parameter order: A total order: a negative number, 0 or a positive number if the first text is before, equal to or
    ///   after the second.
    package init(_ name: String, order: @escaping @Sendable (Text, Text) -> Int) {
        self.name = name
        self.order = order
    }
}

extension Connection {
    package func define(_ collation: SQLCollation) throws {
        let handle = try openHandle()
        let code = sqlite3_create_collation_v2(
            handle, collation.name, SQLITE_UTF8, Unmanaged.passRetained(collation).toOpaque(),
            { data, firstCount, first, secondCount, second in
                guard let data else { return 0 }
                let collation = Unmanaged<SQLCollation>.fromOpaque(data).takeUnretainedValue()
                func text(_ start: UnsafeRawPointer?, _ count: Int32) -> SQLCollation.Text {
                    SQLCollation.Text(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
                }
                return Int32(collation.order(text(first, firstCount), text(second, secondCount)).signum())
            }, release)
        guard code == SQLITE_OK else {
            // Unlike other functions, this one does not release its data after an error.
            // https://www.sqlite.org/c3ref/create_collation.html
            Unmanaged.passUnretained(collation).release()
            throw SQLiteError(code: code, on: handle)
        }
    }
}

private let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data else { return }
    Unmanaged<AnyObject>.fromOpaque(data).release()
}

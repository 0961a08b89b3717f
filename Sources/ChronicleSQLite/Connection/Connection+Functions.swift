import ChronicleCSQLite

/// An application-defined SQL function for the queries of a connection.
///
/// The function must be deterministic. Views, triggers, and indexes cannot use it, because a file must work in every
/// program that opens it.
package final class SQLFunction: Sendable {
    /// The name of the function in SQL.
    package let name: String
    let argumentCount: Int32
    let body: @Sendable (borrowing FunctionCall) -> Result?

    /// The result of a call.
    package enum Result {
        case integer(Int64)
        /// A real number. NaN becomes NULL.
        case real(Double)
    }

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: The name of the function in SQL.
    ///   - argumentCount: The number of its arguments.
    ///   - body: Returns the result of a call, or `nil` for NULL.
    package init(
        _ name: String, argumentCount: Int32, _ body: @escaping @Sendable (borrowing FunctionCall) -> Result?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.body = body
    }
}

extension Connection {
    /// Makes functions available to the statements of this connection.
    ///
    /// - Throws: `SQLiteError` if a statement is running or the connection is closed.
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
    case nil: sqlite3_result_null(call.context)
    }
}

/// A call of a function. The call and its texts are valid until the function returns.
package struct FunctionCall: ~Copyable {
    fileprivate let context: OpaquePointer
    fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>

    /// Returns an argument as an integer; 0 for NULL.
    package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(arguments[index]) }

    /// Returns the UTF-8 of an argument as text without copying it, or `nil` for NULL. The text may be invalid UTF-8.
    package func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard let value = arguments[index], sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        // The pointer before the length, because a conversion in between would make the length wrong.
        let start = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value))
    }

    /// Returns an object created from a text argument, or `nil` for NULL. For an argument that is constant across rows,
    /// the object is created once. https://www.sqlite.org/c3ref/get_auxdata.html
    package func prepared<Value: AnyObject>(_ index: Int, _ make: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        if let data = sqlite3_get_auxdata(context, Int32(index)) {
            return Unmanaged<Value>.fromOpaque(data).takeUnretainedValue()
        }
        guard let value = text(index).map(make) else { return nil }
        sqlite3_set_auxdata(context, Int32(index), Unmanaged.passRetained(value).toOpaque(), release)
        return value
    }
}

/// Releases an object of any class.
private let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data else { return }
    Unmanaged<AnyObject>.fromOpaque(data).release()
}

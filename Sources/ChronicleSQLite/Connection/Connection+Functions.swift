import ChronicleCSQLite

/// A function for the queries of a connection.
///
/// It answers the same for the same arguments. Views, triggers and indexes cannot use it: what stands in a file has to be
/// understood by every program that opens it.
package final class SQLFunction: Sendable {
    package let name: String
    let argumentCount: Int32
    let body: @Sendable (borrowing FunctionCall) -> Result?

    package enum Result {
        case integer(Int64)
        /// A NaN becomes NULL.
        case real(Double)
    }

    /// - Parameter body: Returns the result; `nil` for NULL.
    package init(
        _ name: String, argumentCount: Int32, _ body: @escaping @Sendable (borrowing FunctionCall) -> Result?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.body = body
    }
}

extension Connection {
    package func define(_ functions: [SQLFunction]) throws {
        let handle = try openHandle()
        // https://www.sqlite.org/c3ref/c_deterministic.html
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        for function in functions {
            let code = sqlite3_create_function_v2(
                handle, function.name, function.argumentCount, flags, Unmanaged.passRetained(function).toOpaque(),
                { call, _, arguments in
                    guard let call, let arguments else { return }
                    answer(FunctionCall(context: call, arguments: arguments))
                }, nil, nil, release)
            guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
        }
    }
}

private func answer(_ call: borrowing FunctionCall) {
    guard let data = sqlite3_user_data(call.context) else { return }
    let function = Unmanaged<SQLFunction>.fromOpaque(data).takeUnretainedValue()
    switch function.body(call) {
    case .integer(let result): sqlite3_result_int64(call.context, result)
    case .real(let result): sqlite3_result_double(call.context, result)
    case nil: sqlite3_result_null(call.context)
    }
}

/// One call of a function, good until it returns, as are the texts.
package struct FunctionCall: ~Copyable {
    fileprivate let context: OpaquePointer
    fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>

    /// An argument as an integer; 0 for NULL.
    package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(arguments[index]) }

    /// The UTF-8 of an argument as text, valid or not, without a copy; `nil` for NULL.
    package func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        guard let value = arguments[index], sqlite3_value_type(value) != SQLITE_NULL else { return nil }
        // The pointer first, then the length: the other way round a conversion in between makes the length wrong.
        let start = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: start, orEmpty: sqlite3_value_bytes(value))
    }

    /// What is made of an argument that is text; `nil` for NULL. Of one that is the same for all rows it is made once.
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

/// For an object of whatever class.
private let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data else { return }
    Unmanaged<AnyObject>.fromOpaque(data).release()
}

import ChronicleCSQLite

/// Built-in functions that the schema of a file may use although SQLite rejects them there.
///
/// SQLite 3.38 to 3.40 marks the functions of JSON as unsafe by mistake, so that a connection that does not trust the
/// schema cannot even read a file with `CHECK (json_valid(column))`. When a statement fails, such a connection defines
/// functions with the same names that run the built-in ones, which are faster, on another connection.
/// <https://www.sqlite.org/c3ref/c_deterministic.html#sqliteinnocuous>
enum SchemaFunctions {
    /// Other versions have none.
    private static let rejected: [(name: String, argumentCount: Int32)] = {
        var handle: OpaquePointer?
        defer { _ = sqlite3_close_v2(handle) }
        guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK else {
            return []
        }
        let query = """
            SELECT name, narg FROM pragma_function_list WHERE builtin AND type = 's' AND (flags & \(SQLITE_DETERMINISTIC)) \
            AND NOT (flags & \(SQLITE_INNOCUOUS | SQLITE_DIRECTONLY))
            """
        var statement: OpaquePointer?
        defer { _ = sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else { return [] }
        var functions: [(String, Int32)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            guard let name = sqlite3_column_text(statement, 0) else { continue }
            functions.append((String(cString: name), sqlite3_column_int(statement, 1)))
        }
        return functions
    }()

    /// Defines the functions after a statement failed because the schema uses one. Returns whether it can succeed now.
    static func define(afterFailureOn handle: OpaquePointer) -> Bool {
        // The message has the name as the schema writes it.
        guard let text = sqlite3_errmsg(handle), case let message = String(cString: text).lowercased(),
            message.contains("unsafe use of "),
            let name = rejected.first(where: { message.contains("unsafe use of \($0.name)()") })?.name,
            // A failure that these functions do not prevent must not be tried again.
            !isDefined(name, on: handle)
        else { return false }
        let evaluator = BuiltInEvaluator()
        // https://www.sqlite.org/c3ref/c_deterministic.html
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE
        for function in rejected {
            let builtIn = BuiltInFunction(function.name, evaluator)
            let code = sqlite3_create_function_v2(
                handle, function.name, function.argumentCount, flags, Unmanaged.passRetained(builtIn).toOpaque(),
                { context, count, arguments in
                    guard let context, let data = sqlite3_user_data(context) else { return }
                    Unmanaged<BuiltInFunction>.fromOpaque(data).takeUnretainedValue()
                        .call(context, Int(count), arguments)
                }, nil, nil,
                { data in
                    if let data { Unmanaged<BuiltInFunction>.fromOpaque(data).release() }
                })
            guard code == SQLITE_OK else { return false }
        }
        return true
    }

    /// Also true if the connection cannot list its functions.
    private static func isDefined(_ name: String, on handle: OpaquePointer) -> Bool {
        var statement: OpaquePointer?
        defer { _ = sqlite3_finalize(statement) }
        // This pragma does not read the schema of the file, which cannot be read yet.
        guard sqlite3_prepare_v2(handle, "PRAGMA function_list", -1, &statement, nil) == SQLITE_OK else { return true }
        while sqlite3_step(statement) == SQLITE_ROW {
            guard sqlite3_column_int(statement, 1) == 0, let other = sqlite3_column_text(statement, 0) else { continue }
            if String(cString: other) == name { return true }
        }
        return false
    }
}

/// A function that a connection calls on another one.
private final class BuiltInFunction {
    /// The number of arguments, and which of them are JSON.
    private struct Form: Hashable {
        let count: Int
        let json: [Int]
    }

    private let name: String
    private let evaluator: BuiltInEvaluator
    private var statements: [Form: OpaquePointer] = [:]

    /// <https://www.sqlite.org/json1.html>
    private static let json = UInt32(UInt8(ascii: "J"))

    init(_ name: String, _ evaluator: BuiltInEvaluator) { (self.name, self.evaluator) = (name, evaluator) }

    deinit { for statement in statements.values { _ = sqlite3_finalize(statement) } }

    func call(_ context: OpaquePointer, _ count: Int, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        let json = (0..<count).filter { sqlite3_value_subtype(arguments?[$0]) == Self.json }
        guard let statement = statement(Form(count: count, json: json)) else {
            return sqlite3_result_error(context, evaluator.message, -1)
        }
        defer {
            _ = sqlite3_reset(statement)
            _ = sqlite3_clear_bindings(statement)
        }
        for index in 0..<count {
            let code = sqlite3_bind_value(statement, Int32(index + 1), arguments?[index])
            guard code == SQLITE_OK else { return sqlite3_result_error_code(context, code) }
        }
        guard sqlite3_step(statement) == SQLITE_ROW, let result = sqlite3_column_value(statement, 0) else {
            return sqlite3_result_error(context, evaluator.message, -1)
        }
        sqlite3_result_value(context, result)
        sqlite3_result_subtype(context, sqlite3_value_subtype(result))
    }

    private func statement(_ form: Form) -> OpaquePointer? {
        if let statement = statements[form] { return statement }
        let parameters = (0..<form.count).map { form.json.contains($0) ? "json(?\($0 + 1))" : "?\($0 + 1)" }
        let statement = evaluator.prepare("SELECT \"\(name)\"(\(parameters.joined(separator: ", ")))")
        if let statement { statements[form] = statement }
        return statement
    }
}

/// A connection that is opened with the first call.
private final class BuiltInEvaluator {
    private var handle: OpaquePointer?

    deinit { _ = sqlite3_close_v2(handle) }

    func prepare(_ sql: String) -> OpaquePointer? {
        if handle == nil,
            sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) != SQLITE_OK
        {
            return nil
        }
        var statement: OpaquePointer?
        // The flag keeps long-lived statements out of SQLite's small lookaside memory.
        _ = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        return statement
    }

    var message: String { sqlite3_errmsg(handle).map { String(cString: $0) } ?? "out of memory" }
}

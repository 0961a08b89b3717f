import Chronicle

/// Throws a ``ConformanceFailure`` unless the condition is true.
func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expected()) }
}

/// Throws a ``ConformanceFailure`` unless two values are equal.
func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: @autoclosure () -> String) throws {
    if found != expected { throw ConformanceFailure("\(what()) to be \(shown(expected)), found \(shown(found))") }
}

/// Throws a ``ConformanceFailure`` unless `body` throws an error of the given kind.
func expect<Result>(_ kind: SwiftDataError, of what: String, _ body: () throws -> Result) throws {
    do { _ = try body() } catch {
        try expect(kind ~= error, "\(what) to throw \(kind), found \(error)")
        return
    }
    throw ConformanceFailure("\(what) to throw \(kind), found no error")
}

/// Returns the unwrapped value, or throws a ``ConformanceFailure`` if it is `nil`.
func require<Value>(_ value: Value?, _ expected: @autoclosure () -> String) throws -> Value {
    guard let value else { throw ConformanceFailure(expected()) }
    return value
}

/// Returns the text of a value for a message, without optional wrapping and truncated to a readable length.
func shown<Value>(_ value: Value) -> String {
    let mirror = Mirror(reflecting: value)
    var text = "\(value)"
    if mirror.displayStyle == .optional { text = mirror.children.first.map { "\($0.value)" } ?? "nil" }
    return text.count > longest ? "\(text.prefix(longest))… (\(text.count) characters)" : text
}

private let longest = 400

extension PersistentModel {
    /// Returns the name of a property for a message.
    static func name(of path: PartialKeyPath<Self>?) -> String {
        path.flatMap { properties.name(of: $0) } ?? "no property"
    }
}

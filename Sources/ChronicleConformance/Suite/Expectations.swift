import Chronicle

func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expected()) }
}

func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: @autoclosure () -> String) throws {
    if found != expected { throw ConformanceFailure("\(what()) to be \(shown(expected)), found \(shown(found))") }
}

func expect<Result>(_ kind: SwiftDataError, of what: String, _ body: () throws -> Result) throws {
    do { _ = try body() } catch {
        try expect(kind ~= error, "\(what) to throw \(kind), found \(error)")
        return
    }
    throw ConformanceFailure("\(what) to throw \(kind), found no error")
}

func require<Value>(_ value: Value?, _ expected: @autoclosure () -> String) throws -> Value {
    guard let value else { throw ConformanceFailure(expected()) }
    return value
}

/// Returns a text for a message, without optional wrapping and truncated to a readable length.
func shown<Value>(_ value: Value) -> String {
    let mirror = Mirror(reflecting: value)
    var text = "\(value)"
    if mirror.displayStyle == .optional { text = mirror.children.first.map { "\($0.value)" } ?? "nil" }
    return text.count > longest ? "\(text.prefix(longest))… (\(text.count) characters)" : text
}

private let longest = 400

extension PersistentModel {
    static func name(of path: PartialKeyPath<Self>?) -> String {
        path.flatMap { properties.name(of: $0) } ?? "no property"
    }
}

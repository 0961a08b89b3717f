import Chronicle

/// Goes on when a condition holds.
func expect(_ condition: Bool, _ expected: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expected()) }
}

/// Goes on when something is as it should be.
func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: @autoclosure () -> String) throws {
    if found != expected { throw ConformanceFailure("\(what()) to be \(shown(expected)), found \(shown(found))") }
}

/// Goes on when some code throws an error of a kind.
func expect<Result>(_ kind: SwiftDataError, of what: String, _ body: () throws -> Result) throws {
    do { _ = try body() } catch {
        try expect(kind ~= error, "\(what) to throw \(kind), and not \(error)")
        return
    }
    throw ConformanceFailure("\(what) to throw \(kind), and there was an answer")
}

/// What there has to be.
func require<Value>(_ value: Value?, _ expected: @autoclosure () -> String) throws -> Value {
    guard let value else { throw ConformanceFailure(expected()) }
    return value
}

/// A value for a message, without the optional around it, and not longer than somebody reads.
func shown<Value>(_ value: Value) -> String {
    let mirror = Mirror(reflecting: value)
    var text = "\(value)"
    if mirror.displayStyle == .optional { text = mirror.children.first.map { "\($0.value)" } ?? "nothing" }
    return text.count > longest ? "\(text.prefix(longest))… (\(text.count) characters)" : text
}

private let longest = 400

extension PersistentModel {
    /// What a property is called.
    static func name(of path: PartialKeyPath<Self>?) -> String {
        path.flatMap { properties.name(of: $0) } ?? "no property"
    }
}

/// The arguments of a command after parsing.
struct Arguments: Sendable {
    /// The values of the options by name; an option without a value has an empty one.
    var values: [String: [String]] = [:]
    /// The operands by name.
    var operands: [String: String] = [:]
    /// The values of the operand that can be repeated.
    var repeated: [String] = []
    /// The arguments after `--`.
    var trailing: [String] = []

    /// Returns whether an option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns the value of an option, or the last one if it was repeated.
    func value(_ name: String) -> String? { values[name]?.last }

    /// Returns the value of an option as a number that is not negative.
    ///
    /// - Throws: ``UsageError`` if the value is not a number.
    func count(_ name: String) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let count = Int(text), count >= 0 else {
            throw UsageError("\(text.escaped) is not a number; --\(name) requires one")
        }
        return count
    }

    /// Returns an operand that the command requires.
    ///
    /// - Throws: ``UsageError`` if it is missing.
    func required(_ name: String) throws -> String {
        guard let operand = operands[name] else { throw UsageError("\(name) is missing") }
        return operand
    }
}

/// An error in the arguments. The process exits with ``ExitStatus/usage``.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

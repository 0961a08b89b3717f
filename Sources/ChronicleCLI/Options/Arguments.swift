import Foundation

struct Arguments: Sendable {
    /// The values of options by name; an option without a value has an empty one.
    var values: [String: [String]] = [:]
    var operands: [String: String] = [:]
    /// The values of the operand that can be repeated.
    var repeated: [String] = []
    var trailing: [String] = []

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Returns the last value if the option was repeated.
    func value(_ name: String) -> String? { values[name]?.last }

    /// Throws ``UsageError`` if the value is not a number or negative.
    func count(_ name: String) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let count = Int(text), count >= 0 else {
            throw UsageError("\(text.escaped) is not a number; --\(name) requires one")
        }
        return count
    }

    /// The value of `--format`, of which `--json` is a short form. Throws ``UsageError`` if both are given and differ.
    func format(default name: String) throws -> String {
        guard let format = value("format") else { return has("json") ? "json" : name }
        guard !has("json") || format == "json" else {
            throw UsageError("--json and --format \(format.escaped) exclude each other")
        }
        return format
    }

    /// The path of a compiled model of Core Data. Another value of the option is the key of a model in some commands, and a
    /// ``UsageError`` in others.
    func modelFile(orKey isKeyAllowed: Bool = false) throws -> String? {
        let values = values["model"] ?? []
        if !isKeyAllowed, let other = values.first(where: { !Self.isModelFile($0) }) {
            throw UsageError("\(other.escaped) is not a .mom or .momd; --model requires one")
        }
        return values.last(where: Self.isModelFile)
    }

    /// Returns the last value of the option `model` that is not the path of a compiled model.
    func modelKey() -> String? { values["model"]?.last { !Self.isModelFile($0) } }

    private static func isModelFile(_ text: String) -> Bool {
        let name = (text.hasSuffix("/") ? text.dropLast() : text[...]).lowercased()
        return name.hasSuffix(".mom") || name.hasSuffix(".momd")
    }

    func required(_ name: String) throws -> String {
        guard let operand = operands[name] else { throw UsageError("\(name) is missing") }
        return operand
    }
}

extension Arguments {
    /// After an error: what is wrong if the path of the store is in the place of another operand.
    func misplacedFile(of command: Command) -> String? {
        let others = ["MODEL", "POSITION", "ENTITY", "TRANSACTION", "FROM", "TO"]
        for operand in command.operands where others.contains(operand.name) {
            guard let value = operands[operand.name], FileManager.default.fileExists(atPath: value) else { continue }
            guard let file = operands["FILE"] else { return "\(operand.name) is missing" }
            if FileManager.default.fileExists(atPath: file) { continue }
            return "\(value.escaped) is a file, and FILE comes first"
        }
        return nil
    }
}

/// The process exits with ``ExitStatus/usage``.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

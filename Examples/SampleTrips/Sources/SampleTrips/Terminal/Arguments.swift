import Foundation

/// A command line: a command, its arguments, and options.
public struct Arguments {
    public let command: String
    public let store: TripStore
    private var positionals: ArraySlice<String> = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// The options of the programs, with and without a value.
    private static let valueOptions: Set = ["--store", "--start", "--timeout", "--as-of"]
    private static let flagOptions: Set = ["--once", "--all"]

    public init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if word == "--" {
                positionals += words
                words = []
            } else if Self.valueOptions.contains(parts[0]) {
                guard let value = parts.count > 1 ? parts[1] : words.popFirst(), !value.isEmpty else {
                    throw UsageError("\(parts[0]) needs a value")
                }
                values[parts[0]] = value
            } else if Self.flagOptions.contains(word) {
                flags.insert(word)
            } else if word.hasPrefix("-"), word != "-" {
                throw UsageError("there is no option \(word)")
            } else {
                positionals.append(word)
            }
        }
        guard let command = positionals.popFirst() else { throw UsageError("missing command") }
        self.command = command
        store = values.removeValue(forKey: "--store").map { TripStore($0) } ?? .standard
    }

    /// The next argument.
    public mutating func next(_ name: String) throws -> String {
        guard let value = positionals.popFirst() else { throw UsageError("\(command) needs \(name)") }
        return value
    }

    /// The next argument, if there is one.
    public mutating func nextIfPresent() -> String? { positionals.popFirst() }

    /// The day of `--start`, if there is one.
    public mutating func start() throws -> Date? { try value("--start").map(Day.parse) }

    public mutating func value(_ option: String) -> String? { values.removeValue(forKey: option) }

    public mutating func flag(_ option: String) -> Bool { flags.remove(option) != nil }

    /// Throws an error for arguments that the command does not have, before anything is done.
    public func end() throws {
        if let extra = positionals.first { throw UsageError("unexpected argument “\(extra)” of \(command)") }
        if let extra = Set(values.keys).union(flags).min() { throw UsageError("\(command) has no option \(extra)") }
    }
}

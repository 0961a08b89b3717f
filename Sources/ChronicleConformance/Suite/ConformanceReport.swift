/// What became of a store's test: which rules it keeps, which it breaks and how, and which were left out.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// A rule, and what there is to say of it.
    public struct Entry: Hashable, Sendable {
        public let rule: String
        /// What was expected, or why the rule was left out.
        public let text: String
    }

    /// The store that was tested.
    public let store: String
    /// The rules that it keeps.
    public internal(set) var passed: [String] = []
    /// The rules that it breaks, and what was expected.
    public internal(set) var failed: [Entry] = []
    /// The rules that were left out, and why.
    public internal(set) var skipped: [Entry] = []

    /// Whether no rule is broken.
    public var conforms: Bool { failed.isEmpty }

    init(store: String) { self.store = store }

    /// A line that sums up, and one for each rule: first the broken ones, then those that were left out.
    public var description: String {
        var lines = ["\(store): \(passed.count) rules kept, \(failed.count) broken, \(skipped.count) left out"]
        lines += failed.map { "broken: \($0.rule): \($0.text)" }
        lines += skipped.map { "left out: \($0.rule): \($0.text)" }
        lines += passed.map { "kept: \($0)" }
        return lines.joined(separator: "\n")
    }
}

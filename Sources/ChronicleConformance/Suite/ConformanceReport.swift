/// The result of checking a store against conformance rules.
///
/// ```swift
/// let report = checkStore { MyConfiguration(url: newTemporaryURL()) }
/// if !report.conforms { print(report) }
/// ```
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// A rule that failed or was skipped, with the reason.
    public struct Entry: Hashable, Sendable {
        /// The name of the rule, as in ``StoreRule/name``.
        public let rule: String
        /// A description of what the rule expected and what it found, or the reason why it was skipped.
        public let text: String
    }

    /// The name of the store type.
    public let store: String
    /// The names of the rules that passed, in the order in which they ran.
    public internal(set) var passed: [String] = []
    /// The rules that failed.
    public internal(set) var failed: [Entry] = []
    /// The rules that were skipped.
    public internal(set) var skipped: [Entry] = []

    /// Whether no rule failed. Skipped rules do not count as failures.
    public var conforms: Bool { failed.isEmpty }

    init(store: String) { self.store = store }

    /// A summary line, followed by one line for each failed, skipped, and passed rule.
    public var description: String {
        var lines = ["\(store): \(passed.count) rules passed, \(failed.count) failed, \(skipped.count) skipped"]
        lines += failed.map { "failed: \($0.rule): \($0.text)" }
        lines += skipped.map { "skipped: \($0.rule): \($0.text)" }
        lines += passed.map { "passed: \($0)" }
        return lines.joined(separator: "\n")
    }
}

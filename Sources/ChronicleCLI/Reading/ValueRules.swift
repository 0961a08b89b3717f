import Chronicle
import Foundation

/// The rules of `purge --erase-values`, such as `Customer.email=30d`.
struct ValueRules {
    private struct Part {
        let text: String
        /// An entity, or an entity and an attribute with a period in between.
        let name: String
        let age: Duration
    }

    private let parts: [Part]

    var isEmpty: Bool { parts.isEmpty }

    /// Throws ``UsageError`` if a text is not a name with an age.
    init(_ texts: [String]) throws {
        parts = try texts.map { text in
            // Names of tables and columns can contain equals signs.
            guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
                let seconds = Position.seconds(String(text[text.index(after: sign)...]))
            else {
                throw UsageError(
                    "\(text.escaped) is not a rule; write an entity or an attribute with an age, such as "
                        + "Customer.email=30d")
            }
            return Part(text: text, name: String(text[..<sign]), age: .seconds(seconds))
        }
    }

    /// The ``UsageError`` for an unknown entity or attribute contains the nearest name.
    func rules(in store: any ToolStore) throws -> [PreservedValueRule] {
        guard !parts.isEmpty else { return [] }
        let recorded = try store.preservedAttributes()
        return try parts.map { part in
            let rule = try Self.rule(part.name, part.age, recorded)
            try Self.requireValues(rule, recorded, store)
            return rule
        }
    }

    private static func rule(
        _ name: String, _ age: Duration, _ recorded: [String: [String: Bool]]
    ) throws -> PreservedValueRule {
        if recorded[name] != nil { return PreservedValueRule(entityName: name, maximumAge: age) }
        // Names can contain periods.
        let periods = name.indices.filter { name[$0] == "." }
        let known = periods.first { recorded[String(name[..<$0])] != nil }
        guard let period = known else {
            let entity = String(name[..<(periods.first ?? name.endIndex)])
            throw unknown("the history has no entity \(entity.escaped)", entity, Array(recorded.keys))
        }
        let (entity, attribute) = (String(name[..<period]), String(name[name.index(after: period)...]))
        let attributes = recorded[entity] ?? [:]
        guard attributes[attribute] != nil else {
            throw unknown(
                "\(entity.escaped) has no attribute \(attribute.escaped)", attribute, Array(attributes.keys))
        }
        return PreservedValueRule(entityName: entity, attributeName: attribute, maximumAge: age)
    }

    private static func unknown(_ message: String, _ name: String, _ names: [String]) -> UsageError {
        let nearest = NearestName.nearest(to: name, in: names.sorted())
        return UsageError(message + (nearest.map { "; did you mean \($0.escaped)?" } ?? ""))
    }

    /// A rule has an effect if the store preserves the values, or if the history contains values from when it did.
    private static func requireValues(
        _ rule: PreservedValueRule, _ recorded: [String: [String: Bool]], _ store: any ToolStore
    ) throws {
        let attributes = recorded[rule.entityName] ?? [:]
        let isPreserved = rule.attributeName.map { attributes[$0] == true } ?? attributes.values.contains(true)
        guard !isPreserved else { return }
        var all = rule
        all.maximumAge = .zero
        func count(_ store: some ToolStore) throws -> Int {
            try store.preservedValueCounts(
                store.planHistoryPurge(HistoryRetention(maximumSilence: .zero, valueRules: [all]), at: .distantFuture)
            ).reduce(0, +)
        }
        guard try count(store) == 0 else { return }
        throw UsageError(
            "the history preserves no values of \(rule.text.escaped); "
                + (store.isTracked ? "run chronicle track --values" : "open the store with preservesValues: true")
                + " to preserve them, or remove the rule")
    }
}

extension PreservedValueRule {
    /// A text such as `Customer.email`, not escaped.
    var text: String { entityName + (attributeName.map { ".\($0)" } ?? "") }
}

import Chronicle
import Foundation

/// The rules of `purge --erase-values`, such as `Customer.email=30d`.
struct ValueRules {
    private struct Part {
        let text: String
        /// An entity, or an entity and an attribute with a period in between. Each can be in double quotes.
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

    /// Names can contain periods. A name in double quotes, as in SQL, is one name.
    private static func rule(
        _ text: String, _ age: Duration, _ recorded: [String: [String: Bool]]
    ) throws -> PreservedValueRule {
        let readings = readings(text)
        let known = readings.filter { reading in
            guard let attributes = recorded[reading.entity] else { return false }
            return reading.attribute.map { attributes[$0] != nil } ?? true
        }
        guard let reading = known.first else { throw unknown(text, readings, recorded) }
        guard known.count == 1 else {
            let list = known.map { reading in
                (reading.attribute.map { "the attribute \($0.escaped) of the" } ?? "the")
                    + " entity \(reading.entity.escaped)"
            }
            throw UsageError(
                "\(text.escaped) can be \(list.joined(separator: " or ")); write names in double quotes, such as "
                    + known.map { $0.quoted.escaped }.joined(separator: " or "))
        }
        return PreservedValueRule(entityName: reading.entity, attributeName: reading.attribute, maximumAge: age)
    }

    /// What a text can mean.
    private struct Reading: Hashable {
        let entity: String
        /// `nil` for all attributes.
        let attribute: String?

        var quoted: String { ([entity] + (attribute.map { [$0] } ?? [])).map(Self.quote).joined(separator: ".") }

        private static func quote(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
    }

    private static func readings(_ text: String) -> [Reading] {
        var readings = [Reading(entity: text, attribute: nil)]
        for period in text.indices where text[period] == "." {
            readings.append(
                Reading(entity: String(text[..<period]), attribute: String(text[text.index(after: period)...])))
        }
        return quoted(text).map { [$0] + readings } ?? readings
    }

    private static func quoted(_ text: String) -> Reading? {
        guard let match = text.wholeMatch(of: /"((?:[^"]|"")+)"(?:\.(?:"((?:[^"]|"")+)"|([^"].*)))?/) else {
            return nil
        }
        func name(_ part: Substring) -> String { String(part).replacing("\"\"", with: "\"") }
        return Reading(entity: name(match.1), attribute: match.2.map(name) ?? match.3.map(String.init))
    }

    /// Names what the text can mean, with the nearest names.
    private static func unknown(
        _ text: String, _ readings: [Reading], _ recorded: [String: [String: Bool]]
    ) -> UsageError {
        let readings = quoted(text).map { [$0] } ?? readings
        var (missing, nearest): ([String], [String]) = ([], [])
        for reading in readings {
            guard let attribute = reading.attribute, let names = recorded[reading.entity]?.keys.sorted() else {
                continue
            }
            missing.append("\(reading.entity.escaped) has no attribute \(attribute.escaped)")
            if let name = NearestName.nearest(to: attribute, in: names) { nearest.append(name) }
        }
        if missing.isEmpty {
            // An entity, with an attribute if there is a period.
            let attributed = readings.filter { $0.attribute != nil }
            let names = (attributed.isEmpty ? readings : attributed).map(\.entity)
            missing = ["the history has no entity \(names.map(\.escaped).joined(separator: " or "))"]
            nearest = names.compactMap { NearestName.nearest(to: $0, in: recorded.keys.sorted()) }
        }
        return UsageError(
            missing.joined(separator: ", and ") + (nearest.first.map { "; did you mean \($0.escaped)?" } ?? ""))
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
                + (store.isTracked
                    ? "run `chronicle track --values FILE`" : "open the store with preservesValues: true")
                + " to preserve them, or remove the rule")
    }
}

extension PreservedValueRule {
    /// A text such as `Customer.email`, not escaped.
    var text: String { entityName + (attributeName.map { ".\($0)" } ?? "") }
}

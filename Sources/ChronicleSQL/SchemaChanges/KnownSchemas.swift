package import ChronicleCore
import Foundation

/// The schemas with which programs open a store, by their ``Schema/declarationKey(_:)``.
///
/// Programs with different models can share a store, which keeps the properties that any of them uses. A schema that the
/// store does not know is a new version of the most similar schema in use, and replaces it. A replaced schema is in use
/// again as soon as a program opens the store with it.
package struct KnownSchemas: Sendable {
    /// The names of the properties of each class.
    private typealias Names = [String: Set<String>]

    /// Whether the store was opened with the schema before.
    package let isKnown: Bool
    /// What the store has to record about the schemas, by their keys.
    package let changes: [String: String]
    private let used: [Names]

    private static let replaced = "replaced"

    /// Returns whether a schema is in use.
    ///
    /// - Parameter record: What the store recorded about the schema, or `nil` if it does not know the schema.
    package static func isInUse(_ record: String?) -> Bool { record != nil && record != replaced }

    /// Determines the schemas in use after an opening.
    ///
    /// - Parameters:
    ///   - records: What the store recorded about each schema, by key.
    ///   - schema: The schema of the opening.
    ///   - key: The key of that schema.
    ///   - wasComplete: Whether the tables met the schema in a store without any records, which an earlier version of
    ///     Chronicle wrote.
    package init(_ records: [String: String], opening schema: Schema, key: String, wasComplete: Bool) {
        isKnown = records[key] != nil || wasComplete && records.isEmpty
        let names = Names(
            schema.entities.map { ($0.name, Set($0.properties.map(\.name))) }, uniquingKeysWith: { $0.union($1) })
        var used = records.compactMapValues(Self.names(in:))
        var changes: [String: String] = [:]
        if !isKnown {
            let earlier = used.min {
                (Self.distance($0.value, names), $0.key) < (Self.distance($1.value, names), $1.key)
            }
            if let key = earlier?.key {
                used[key] = nil
                changes[key] = Self.replaced
            }
        }
        if used[key] != names { changes[key] = Self.record(of: names) }
        used[key] = names
        self.changes = changes
        self.used = Array(used.values)
    }

    /// Returns whether the schema of any program has a property.
    func use(_ property: String, of entity: String) -> Bool { used.contains { $0[entity]?.contains(property) == true } }

    /// The number of classes and properties that only one of two schemas has.
    private static func distance(_ first: Names, _ second: Names) -> Int {
        Set(first.keys).union(second.keys).reduce(0) { sum, entity in
            guard let properties = first[entity], let others = second[entity] else {
                return sum + 1 + (first[entity] ?? second[entity] ?? []).count
            }
            return sum + properties.symmetricDifference(others).count
        }
    }

    private static func record(of names: Names) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Dictionaries of strings are always encoded.
        let json = try? encoder.encode(names.mapValues { $0.sorted() })
        return String(decoding: json ?? Data(), as: UTF8.self)
    }

    /// Returns the names of a schema in use, or `nil` for one that was replaced.
    private static func names(in record: String) -> Names? {
        (try? JSONDecoder().decode([String: [String]].self, from: Data(record.utf8)))?.mapValues(Set.init)
    }
}

package import ChronicleCore
import Foundation

/// The schemas with which programs open a store, by their ``Schema/declarationKey(_:)``.
///
/// Programs with different models can share a store, which keeps the properties that any of them uses. A schema that the
/// store does not know is a new version of the most similar schema that the same program uses, and replaces it. A replaced
/// schema is in use again as soon as a program opens the store with it.
package struct KnownSchemas: Sendable {
    /// The names of the properties of each class.
    private typealias Names = [String: Set<String>]

    /// A schema in use, as a store records it.
    private struct Record: Codable {
        let program: String
        let classes: [String: [String]]
    }

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
    ///   - program: The name of the program.
    ///   - wasComplete: Whether the tables met the schema in a store without any records, which an earlier version of
    ///     Chronicle wrote.
    package init(
        _ records: [String: String], opening schema: Schema, key: String, program: String, wasComplete: Bool
    ) {
        isKnown = records[key] != nil || wasComplete && records.isEmpty
        let names = Names(
            schema.entities.map { ($0.name, Set($0.properties.map(\.name))) }, uniquingKeysWith: { $0.union($1) })
        let originalNames = Dictionary(
            schema.entities.map { ($0.originalName, $0.name) }, uniquingKeysWith: { first, _ in first })
        var used = records.compactMapValues(Self.record)
        var changes: [String: String] = [:]
        if !isKnown {
            let distances = used.filter { $0.value.program == program }.map { key, record in
                (Self.distance(Self.names(record, renamed: originalNames), names), key)
            }
            if let earlier = distances.min(by: <)?.1 {
                used[earlier] = nil
                changes[earlier] = Self.replaced
            }
        }
        if used[key] == nil {
            let record = Record(program: program, classes: names.mapValues { $0.sorted() })
            changes[key] = Self.text(of: record)
            used[key] = record
        }
        self.changes = changes
        self.used = used.values.map { Self.names($0, renamed: originalNames) }
    }

    /// Returns the schemas in use if a program inspects the store with the classes that the store describes. It changes
    /// none of them.
    package init(inspecting records: [String: String]) {
        (isKnown, changes) = (true, [:])
        used = records.values.compactMap(Self.record).map { Self.names($0, renamed: [:]) }
    }

    /// Returns whether any program uses a property.
    ///
    /// - Parameters:
    ///   - property: The name of the property.
    ///   - lineage: The names of its class and of the superclasses, nearest first. A program that does not have a
    ///     class uses its models as those of a superclass.
    func use(_ property: String, ofFirst lineage: [String]) -> Bool {
        used.contains { names in lineage.lazy.compactMap { names[$0] }.first?.contains(property) == true }
    }

    /// The number of classes and properties that only one of two schemas has.
    private static func distance(_ first: Names, _ second: Names) -> Int {
        Set(first.keys).union(second.keys).reduce(0) { sum, entity in
            guard let properties = first[entity], let others = second[entity] else {
                return sum + 1 + (first[entity] ?? second[entity] ?? []).count
            }
            return sum + properties.symmetricDifference(others).count
        }
    }

    /// Returns the names of a schema, with the new names of renamed classes.
    private static func names(_ record: Record, renamed newNames: [String: String]) -> Names {
        Names(
            record.classes.map { name, properties in
                (newNames[name] ?? name, Set(properties))
            }, uniquingKeysWith: { $0.union($1) })
    }

    private static func text(of record: Record) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings are always encoded.
        let json = try? encoder.encode(record)
        return String(decoding: json ?? Data(), as: UTF8.self)
    }

    /// Returns the record of a schema in use, or `nil` for one that was replaced.
    private static func record(_ text: String) -> Record? {
        try? JSONDecoder().decode(Record.self, from: Data(text.utf8))
    }
}

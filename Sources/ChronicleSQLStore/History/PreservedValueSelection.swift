import ChronicleCore
import Foundation

/// Preserved values in the history, by the numbers of entities and attributes.
package struct PreservedValueSelection: Hashable, Sendable {
    /// The entity and those that inherit from it, ascending.
    package let entities: [Int64]
    /// Ascending; `nil` for all attributes.
    package let attributes: [Int64]?

    package init(entities: [Int64], attributes: [Int64]?) {
        self.entities = entities.sorted()
        self.attributes = attributes?.sorted()
    }

    /// An unknown entity or attribute is an error, because a misspelled name must not leave values that the caller believes
    /// erased.
    ///
    /// - Parameters:
    ///   - attributeNames: The current names of attributes, or `nil` for all.
    ///   - kinds: Returns the number of the entity and those of the entities that inherit from it.
    package init<Entity: CatalogEntity>(
        _ entityName: String, _ attributeNames: [String]?, in entities: [Entity], kinds: (Entity) throws -> [Int64]
    ) throws {
        guard let entity = entities.first(where: { $0.name == entityName }) else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the history contains no entity with this name; check the name", entityName: entityName)
        }
        let numbers = try attributeNames?.flatMap { name in
            let numbers = entity.attributes.filter { $0.name == name }.map { Int64($0.number) }
            guard !numbers.isEmpty else {
                throw SwiftDataError.unknownSchema.with(
                    detail: "the history of the entity contains no property with this name; check the name",
                    entityName: entityName, propertyName: name)
            }
            return numbers
        }
        self.init(entities: try kinds(entity), attributes: numbers)
    }
}

/// How far purges have erased values by rules, so that the next one need not read the history before. The value of
/// ``MetaName/erasedValues``.
package struct ErasedValues: Hashable, Sendable {
    private struct Entry: Codable, Hashable {
        let entity: Int64
        /// `nil` for all attributes.
        var attribute: Int64?
        /// Up to this position, no value is left.
        var through: Int64
    }

    private var entries: [Entry]

    /// A text that is not valid counts as missing: the values are then searched again.
    package init(_ text: String?) { self = text.flatMap(Self.init(json:)) ?? ErasedValues(entries: []) }

    private init(entries: [Entry]) { self.entries = entries }

    /// `nil` if this version of Chronicle writes no such text.
    package init?(json: String) {
        // An invalid text is reported by the verification.
        guard let entries = try? JSONDecoder().decode([Entry].self, from: Data(json.utf8)) else { return nil }
        self.init(entries: entries)
    }

    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }

    /// The last position of all.
    package var newest: Int64 { entries.map(\.through).max() ?? 0 }

    /// The position up to which no value of a selection is left; 0 if it is not known.
    ///
    /// - Parameter newest: The newest position of the history. A position after it is wrong.
    package func through(_ selection: PreservedValueSelection, newest: Int64) -> Int64 {
        parts(of: selection).map { entity, attribute in
            entries.filter { entry in
                entry.entity == entity && (entry.attribute == nil || entry.attribute == attribute)
                    && entry.through <= newest
            }.map(\.through).max() ?? 0
        }.min() ?? 0
    }

    /// No value of a selection is left up to a position.
    package mutating func add(_ selection: PreservedValueSelection, through position: Int64) {
        for (entity, attribute) in parts(of: selection) {
            entries.removeAll { entry in
                entry.entity == entity && (attribute == nil || entry.attribute == attribute)
                    && entry.through <= position
            }
            entries.append(Entry(entity: entity, attribute: attribute, through: position))
        }
    }

    private func parts(of selection: PreservedValueSelection) -> [(entity: Int64, attribute: Int64?)] {
        selection.entities.flatMap { entity in
            (selection.attributes.map { $0.map(Optional.some) } ?? [nil]).map { (entity, $0) }
        }
    }
}

extension MetaName {
    /// How far purges have erased values by rules; see ``ErasedValues``.
    package static let erasedValues = MetaName("erasedValues")
}

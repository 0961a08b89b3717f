import Foundation

/// How far purges have erased values by rules, so that the next one need not read the history before. The value of
/// ``MetaName/erasedValues``.
package struct ErasedValues: Hashable, Sendable {
    /// A place in the history: after the transactions up to a position, and after some changes of the next one.
    package struct Place: Hashable, Comparable, Sendable {
        package var position: Int64
        /// The identifier of the last of these changes, whose transaction has the position after ``position``; 0 if there are none.
        /// Only in PostgreSQL, where all changes of a transaction have one position.
        package var change: Int64

        package init(_ position: Int64, change: Int64 = 0) { (self.position, self.change) = (position, change) }

        package static func < (left: Place, right: Place) -> Bool {
            (left.position, left.change) < (right.position, right.change)
        }
    }

    private struct Entry: Codable, Hashable {
        let entity: Int64
        /// `nil` for all attributes.
        var attribute: Int64?
        /// Up to this position, no value is left.
        var through: Int64
        /// See ``Place/change``; `nil` for 0.
        var change: Int64?

        var place: Place { Place(through, change: change ?? 0) }
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

    /// The place up to which no value of a selection is left; the beginning if it is not known.
    ///
    /// - Parameter newest: The newest position of the history. A place after it is wrong.
    package func through(_ selection: PreservedValueSelection, newest: Int64) -> Place {
        parts(of: selection).map { entity, attribute in
            entries.filter { entry in
                entry.entity == entity && (entry.attribute == nil || entry.attribute == attribute)
                    && entry.through <= newest
            }.map(\.place).max() ?? Place(0)
        }.min() ?? Place(0)
    }

    /// No value of a selection is left up to a place.
    package mutating func add(_ selection: PreservedValueSelection, through place: Place) {
        for (entity, attribute) in parts(of: selection) {
            entries.removeAll { entry in
                entry.entity == entity && (attribute == nil || entry.attribute == attribute) && entry.place <= place
            }
            entries.append(
                Entry(
                    entity: entity, attribute: attribute, through: place.position,
                    change: place.change == 0 ? nil : place.change))
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

extension MetaValues {
    package func erasedValues() throws -> ErasedValues { ErasedValues(try text(.erasedValues)) }

    /// Stores that no value of a selection is left up to a place.
    package func setErased(_ selection: PreservedValueSelection, through place: ErasedValues.Place) throws {
        var erased = try erasedValues()
        erased.add(selection, through: place)
        try set(.erasedValues, erased.text())
    }
}

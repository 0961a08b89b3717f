import ChronicleCore
import ChronicleSQLite

/// The rows that have changed since a position, as they were before. The first change of a row decides whether it existed,
/// and the first change of an attribute what its value was. Other values are those of the present row, or those that its
/// delete preserved.
/// that never changed are those of the present row, or those that its delete preserved.
struct PastChanges {
    struct Key: Hashable {
        let table: Int64
        let key: Int64
    }

    struct Row {
        let entity: Int64
        let isPresent: Bool
        /// The state is known from earlier reads, so that ``values`` are not needed.
        let isKnown: Bool
        /// Later changes belong to another row with the same key, or to none.
        var isComplete: Bool
        /// The values by the numbers of their attributes.
        var values: [Int: PropertyValue] = [:]
        var unknown: Set<Int> = []
    }

    struct Link: Hashable {
        let owner: Int64
        let destination: Int64
    }

    private(set) var rows: [Key: Row] = [:]
    /// Whether the links existed, by the name of their table.
    private(set) var links: [String: [Link: Bool]] = [:]
    private(set) var unknownLists: [(table: String, links: String, value: PastTables.UnknownValue)] = []

    private let layout: PastLayout
    /// Returns `nil` if earlier reads do not tell whether a row existed.
    private let known: (PastLayout.Table, Int64) throws -> Bool?
    /// The position after which a delete preserves the values of all attributes that the row had, if deletes do so at all.
    private let completeDeletes: Int64?

    init(
        _ layout: PastLayout, completeDeletes: Int64?, known: @escaping (PastLayout.Table, Int64) throws -> Bool?
    ) {
        (self.layout, self.completeDeletes, self.known) = (layout, completeDeletes, known)
    }

    mutating func add(_ buffer: ChangeBuffer) throws {
        for (index, change) in buffer.rows.enumerated() {
            guard let table = layout.tables[change.entity] else {
                if layout.entities.contains(change.entity) { continue }
                throw SwiftDataError.damagedRow(.change(change.position), "its entity is missing in chronicle_entity")
            }
            let key = Key(table: table.number, key: change.key)
            if rows[key] == nil {
                let known = try known(table, change.key)
                rows[key] = Row(
                    entity: change.entity, isPresent: known ?? (change.operation != .insert), isKnown: known != nil,
                    isComplete: change.operation == .insert || known != nil)
            }
            switch change.operation {
            case .insert:
                // Links that a restored row did not have before its delete.
                for value in buffer.values(of: change) {
                    if let list = table.lists[Int(value.attribute)] { addLinks(value, change.key, list) }
                }
            case .preservedValue: break
            case .update: try addUpdate(change, key, table, buffer)
            case .delete: addDelete(change, key, table, buffer, hasAllValues: buffer.hasAllValues(index))
            }
        }
    }

    private mutating func addUpdate(
        _ change: ChangeBuffer.Row, _ key: Key, _ table: PastLayout.Table, _ buffer: ChangeBuffer
    ) throws {
        let masks = change.masks < 0 ? AttributeMasks(change.mask) : buffer.masks[Int(change.masks)]
        guard masks.isValid else {
            throw SwiftDataError.damagedRow(.change(change.position), "the attribute masks are invalid")
        }
        let values = buffer.values(of: change)
        masks.forEach { number in
            if let list = table.lists[number] {
                let own = values.filter { $0.attribute == Int64(number) }
                for value in own { addLinks(value, change.key, list) }
                // The links of a row that did not exist are recorded by the rows at their other ends.
                if own.isEmpty, rows[key]?.isPresent == true {
                    addUnknown(list, of: change, table)
                }
            } else if var row = rows[key], !row.isComplete, row.values[number] == nil, !row.unknown.contains(number) {
                if let value = values.first(where: { $0.attribute == Int64(number) }) {
                    row.values[number] = value.old
                } else {
                    row.unknown.insert(number)
                }
                rows[key] = row
            }
        }
    }

    private mutating func addLinks(_ value: ChangeBuffer.Value, _ key: Int64, _ list: PastLayout.List) {
        for (destination, existed) in [(value.old, true), (value.new, false)] {
            guard case .integer(let other) = destination else { continue }
            let (link, reverse) = (Link(owner: key, destination: other), Link(owner: other, destination: key))
            // The reverse of a symmetric link is not recorded if its owner is deleted.
            for link in list.isSymmetric ? [link, reverse] : [list.isOwner ? link : reverse]
            where links[list.links]?[link] == nil {
                links[list.links, default: [:]][link] = existed
            }
        }
    }

    private mutating func addUnknown(_ list: PastLayout.List, of change: ChangeBuffer.Row, _ table: PastLayout.Table) {
        unknownLists.append(
            (
                table.name, list.links,
                .init(
                    table: table.name, entity: table.entityName(change.entity), property: list.property, key: change.key
                )
            ))
    }

    private mutating func addDelete(
        _ change: ChangeBuffer.Row, _ key: Key, _ table: PastLayout.Table, _ buffer: ChangeBuffer, hasAllValues: Bool
    ) {
        guard var row = rows[key] else { return }
        if row.isPresent {
            for (number, list) in table.lists where list.entities.contains(change.entity) {
                let own = buffer.values(of: change).filter { $0.attribute == Int64(number) }
                for value in own { addLinks(value, change.key, list) }
                if own.isEmpty, !list.isRecordedByOtherSide { addUnknown(list, of: change, table) }
            }
        }
        guard !row.isComplete else { return }
        row.isComplete = true
        let values = Dictionary(
            buffer.values(of: change).lazy.map { (Int($0.attribute), $0.old) }, uniquingKeysWith: { first, _ in first })
        // A row without unpreserved values has none for attributes that were added later.
        let isOlder = hasAllValues && completeDeletes.map { change.position > $0 } ?? false
        for (name, number) in table.attributes where row.values[number] == nil && !row.unknown.contains(number) {
            if let value = values[number] {
                row.values[number] = value
            } else if name == Schema.entityAttribute {
                row.values[number] = change.entity == table.number ? .null : .text(table.entityName(change.entity))
            } else if table.others[change.entity]?.contains(number) == true {
                row.values[number] = .null
            } else if !isOlder {
                row.unknown.insert(number)
            }
        }
        rows[key] = row
    }
}

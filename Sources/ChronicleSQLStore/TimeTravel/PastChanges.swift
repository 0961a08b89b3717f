package import ChronicleCore

/// A change of a row in the history, as the table of changes contains it.
package protocol PastChange {
    associatedtype Values: Collection<PastValue>

    /// The number of the row's entity.
    var entity: Int64 { get }
    var key: Int64 { get }
    /// The kind of the change, or `nil` for a row that describes none.
    var operation: PastOperation? { get }
    /// The preserved values; those of a list contain a link each.
    var values: Values { get }

    /// Calls a closure with the numbers of the attributes that an update changed.
    ///
    /// - Throws: The error that `body` throws, or `SwiftDataError.damagedFile` if they cannot be read.
    func forEachUpdated(_ body: (Int) throws -> Void) throws
    /// Returns whether a deleted row had no such attribute, because it was added later.
    func lacks(_ attribute: Int) -> Bool
    /// Returns whether a deleted row may have had links of a list, although no values contain any.
    func mayLackLinks(of attribute: Int) -> Bool
    /// Returns the error for a change that no recorder writes.
    func damaged(_ detail: String) -> SwiftDataError
}

package enum PastOperation: Sendable {
    case insert, update, delete
}

/// The preserved value of an attribute before and after a change.
package struct PastValue: Sendable {
    /// The number of the attribute.
    package let attribute: Int64
    /// The values as the database stores them.
    package let old: PropertyValue
    package let new: PropertyValue

    package init(attribute: Int64, old: PropertyValue, new: PropertyValue) {
        (self.attribute, self.old, self.new) = (attribute, old, new)
    }
}

/// The rows that have changed since a position, as the history describes their state before.
///
/// The first change of a row decides whether it existed, and the first change of an attribute what its value was. Values
/// that never changed are those of the present row, or those that its delete preserved.
package struct PastChanges {
    package struct Key: Hashable {
        /// The number of the table's entity.
        package let table: Int64
        package let key: Int64
    }

    package struct Row {
        /// The number of the row's entity.
        package let entity: Int64
        /// Whether the row existed.
        package let isPresent: Bool
        /// Whether the state is known from earlier reads, so that ``values`` are not needed.
        package let isKnown: Bool
        /// Whether later changes belong to another row with the same key, or to none.
        package fileprivate(set) var isComplete: Bool
        /// The values by the numbers of their attributes.
        package fileprivate(set) var values: [Int: PropertyValue] = [:]
        package fileprivate(set) var unknown: Set<Int> = []
    }

    package struct Link: Hashable {
        package let owner: Int64
        package let destination: Int64
    }

    package private(set) var rows: [Key: Row] = [:]
    /// Whether the links existed, by the name of their table.
    package private(set) var links: [String: [Link: Bool]] = [:]
    /// The to-many relationships whose destinations are unknown.
    package private(set) var unknownLists: [(table: String, links: String, value: PastUnknowns.Value)] = []

    private let layout: PastLayout
    /// Returns whether a row existed, if that is known from earlier reads.
    private let known: (PastLayout.Table, Int64) throws -> Bool?

    package init(_ layout: PastLayout, known: @escaping (PastLayout.Table, Int64) throws -> Bool?) {
        (self.layout, self.known) = (layout, known)
    }

    /// Adds the next change.
    package mutating func add(_ change: some PastChange) throws {
        guard let table = layout.tables[change.entity] else {
            if layout.entities.contains(change.entity) { return }
            throw change.damaged("its entity is missing in chronicle_entity")
        }
        let key = Key(table: table.number, key: change.key)
        if rows[key] == nil {
            let known = try known(table, change.key)
            let isInsert = change.operation == .insert
            rows[key] = Row(
                entity: change.entity, isPresent: known ?? !isInsert, isKnown: known != nil,
                isComplete: isInsert || known != nil)
        }
        switch change.operation {
        case .insert:
            if let row = rows[key], row.isPresent, !row.isComplete { forget(row, key, table) }
            // Links that a restored row did not have before its delete.
            for value in change.values {
                if let list = table.lists[Int(value.attribute)] { addLinks(value, change.key, list) }
            }
        case .update: try addUpdate(change, key, table)
        case .delete: addDelete(change, key, table)
        case nil: break
        }
    }

    /// The row was changed, and then inserted without a delete in between: triggers of a program change the order in which changes
    /// are recorded, or a delete was not recorded. The values before these changes are not known.
    private mutating func forget(_ row: Row, _ key: Key, _ table: PastLayout.Table) {
        var row = row
        row.isComplete = true
        row.values = [:]
        row.unknown = Set(table.attributes.values)
        rows[key] = row
    }

    private mutating func addUpdate(_ change: some PastChange, _ key: Key, _ table: PastLayout.Table) throws {
        let values = change.values
        try change.forEachUpdated { number in
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

    private mutating func addLinks(_ value: PastValue, _ key: Int64, _ list: PastLayout.List) {
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

    private mutating func addUnknown(_ list: PastLayout.List, of change: some PastChange, _ table: PastLayout.Table) {
        unknownLists.append(
            (
                table.name, list.links,
                .init(
                    table: table.name, entity: table.entityName(change.entity), property: list.property, key: change.key
                )
            ))
    }

    private mutating func addDelete(_ change: some PastChange, _ key: Key, _ table: PastLayout.Table) {
        guard var row = rows[key] else { return }
        if row.isPresent {
            for (number, list) in table.lists where list.entities.contains(change.entity) {
                let own = change.values.filter { $0.attribute == Int64(number) }
                for value in own { addLinks(value, change.key, list) }
                if own.isEmpty, !list.isRecordedByOtherSide, change.mayLackLinks(of: number) {
                    addUnknown(list, of: change, table)
                }
            }
        }
        guard !row.isComplete else { return }
        row.isComplete = true
        let values = Dictionary(
            change.values.lazy.map { (Int($0.attribute), $0.old) }, uniquingKeysWith: { first, _ in first })
        for (name, number) in table.attributes where row.values[number] == nil && !row.unknown.contains(number) {
            if let value = values[number] {
                row.values[number] = value
            } else if name == Schema.entityAttribute {
                row.values[number] = change.entity == table.number ? .null : .text(table.entityName(change.entity))
            } else if table.others[change.entity]?.contains(number) == true {
                row.values[number] = .null
            } else if !change.lacks(number) {
                row.unknown.insert(number)
            }
        }
        rows[key] = row
    }
}

extension Schema {
    /// Returns a value before a change. An attribute that a subclass requires was added to the class later if it was NULL,
    /// and has its default value in earlier rows.
    package func pastValue(_ value: PropertyValue, of property: String, inEntity name: String) -> PropertyValue {
        guard value.isNull, let entity = entitiesByName[name], entity.superentity != nil,
            let property = entity.propertiesByName[property], !property.isOptional
        else { return value }
        return property.defaultValue ?? .null
    }

    /// Returns the value of an attribute that was added after a row was deleted.
    ///
    /// - Parameter columnDefault: The default value of the column. Columns of subentities have none.
    package func valueOfEarlierRow(
        of property: String, inEntity name: String, columnDefault: PropertyValue
    ) -> PropertyValue {
        guard columnDefault.isNull else { return columnDefault }
        return entitiesByName[name]?.propertiesByName[property]?.defaultValue ?? .null
    }
}

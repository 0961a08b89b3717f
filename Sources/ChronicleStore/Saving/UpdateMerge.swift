import ChronicleCore
import ChronicleSQLite
import Foundation

/// Merges the updates of each model in a save into one. A save updates a row with one statement and each of its links with
/// another, and triggers record each of them. Before the transaction has a header, no reader has seen the changes, so the
/// first update receives the attributes and the preserved values of the others.
struct UpdateMerge {
    let connection: Connection
    let first: Int64

    init(_ connection: Connection, from first: Int64) {
        self.connection = connection
        self.first = first
    }

    private struct Model: Hashable {
        let entity: Int64
        let key: Int64
    }

    private struct Change {
        let position: Int64
        let kind: ChangeTable.Kind
        let key: Int64
        /// The masks of an update, and otherwise the first preserved attribute and its value.
        var attributes: PropertyValue
        let oldValue: PropertyValue
        let newValue: PropertyValue
        var values: [Value] = []
        var isMerged = false
    }

    private struct Value {
        let attributes: PropertyValue
        let oldValue: PropertyValue
        let newValue: PropertyValue

        /// -1 if the value is not preserved.
        var number: Int {
            if case .integer(let number) = attributes { Int(truncatingIfNeeded: number) } else { -1 }
        }
    }

    func run() throws {
        guard let repeated = try firstRepeatedUpdate() else { return }
        var changes = try changes(from: repeated)
        try merge(&changes)
        let delete = try connection.cached("DELETE FROM \(ChangeTable.name) WHERE id >= ?")
        try delete.bind(repeated, at: 1)
        try delete.run()
        for change in changes where !change.isMerged { try write(change) }
    }

    private func firstRepeatedUpdate() throws -> Int64? {
        let scan = try connection.cached(Self.selectUpdates)
        defer { scan.reset() }
        try scan.bind(first, at: 1)
        var positions: [Model: Int64] = [:]
        var repeated: Int64?
        while try scan.step() {
            let position = try scan.position(0)
            let model = Model(entity: try scan.kind(1, at: position).entity, key: scan.int64(2))
            if let earlier = positions[model] {
                repeated = min(repeated ?? earlier, earlier)
            } else {
                positions[model] = position
            }
        }
        return repeated
    }

    private func changes(from position: Int64) throws -> [Change] {
        let scan = try connection.cached(Self.selectRows)
        defer { scan.reset() }
        try scan.bind(position, at: 1)
        var changes: [Change] = []
        while try scan.step() {
            let position = try scan.position(ChangeTable.Column.id)
            let kind = try scan.kind(ChangeTable.Column.kind, at: position)
            let value = Value(
                attributes: scan.plainValue(ChangeTable.Column.attributes),
                oldValue: scan.plainValue(ChangeTable.Column.oldValue),
                newValue: scan.plainValue(ChangeTable.Column.newValue))
            if kind.operation == .preservedValue, !changes.isEmpty {
                changes[changes.count - 1].values.append(value)
            } else {
                changes.append(
                    Change(
                        position: position, kind: kind,
                        key: try scan.integer(ChangeTable.Column.primaryKey, of: .change(position)),
                        attributes: value.attributes, oldValue: value.oldValue, newValue: value.newValue))
            }
        }
        return changes
    }

    private func masks(of change: Change) throws -> AttributeMasks {
        switch change.attributes {
        case .integer(let mask): return AttributeMasks(mask)
        case .text(let text): if let masks = AttributeMasks(text) { return masks }
        default: break
        }
        throw SwiftDataError.damagedRow(.change(change.position), "the attribute masks are invalid")
    }

    private func merge(_ changes: inout [Change]) throws {
        var updates: [Model: [Int]] = [:]
        for index in changes.indices where changes[index].kind.operation == .update {
            updates[Model(entity: changes[index].kind.entity, key: changes[index].key), default: []].append(index)
        }
        var columns: [Int64: Set<Int>] = [:]
        for (model, indexes) in updates where indexes.count > 1 {
            let merged = indexes.map { changes[$0] }
            let masks = try merged.map(masks)
            let all = masks.dropFirst().reduce(into: masks[0]) { $0.formUnion($1) }
            changes[indexes[0]].attributes = all.text.map { .text($0) } ?? .integer(all.first)
            for index in indexes.dropFirst() { changes[index].isMerged = true }
            guard !merged.allSatisfy(\.values.isEmpty) else { continue }
            let known = try columns[model.entity] ?? numbersOfColumns(of: model.entity)
            columns[model.entity] = known
            changes[indexes[0]].values = values(zip(merged, masks), columns: known)
        }
    }

    /// If several updates changed an attribute, such as a reference to a row that the same save deletes, the result has its
    /// value before the first and after the last, or none if one of them does not preserve it.
    private func values(_ updates: some Sequence<(Change, AttributeMasks)>, columns: Set<Int>) -> [Value] {
        var values: [Int: Value] = [:]
        var missing: Set<Int> = []
        var destinations: [Value] = []
        for (update, masks) in updates {
            let own = Dictionary(
                update.values.lazy.filter { columns.contains($0.number) }.map { ($0.number, $0) },
                uniquingKeysWith: { $1 })
            masks.forEach { number in
                guard columns.contains(number) else { return }
                if let value = own[number] {
                    let first = values[number] ?? value
                    values[number] = Value(
                        attributes: value.attributes, oldValue: first.oldValue, newValue: value.newValue)
                } else {
                    missing.insert(number)
                }
            }
            destinations += update.values.filter { !columns.contains($0.number) }
        }
        let attributes = values.filter { !missing.contains($0.key) }.values
        return (attributes + destinations).enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }.map(\.element)
    }

    /// Relationships without columns have a preserved value for each added or removed destination, which are not merged.
    private func numbersOfColumns(of entity: Int64) throws -> Set<Int> {
        let attributes = try EntityRegistry(connection).entities().first { $0.number == entity }?.attributes ?? []
        return Set(attributes.filter(\.isPresent).map(\.number))
    }

    private func write(_ change: Change) throws {
        let statement = try connection.cached(ChangeTable.insertRow)
        func write(_ kind: ChangeTable.Kind, _ value: Value) throws {
            try statement.bind(kind.rawValue, at: ChangeTable.Column.kind)
            try statement.bind(change.key, at: ChangeTable.Column.primaryKey)
            try statement.bind(value.attributes, at: ChangeTable.Column.attributes)
            try statement.bind(value.oldValue, at: ChangeTable.Column.oldValue)
            try statement.bind(value.newValue, at: ChangeTable.Column.newValue)
            try statement.run()
        }
        try write(
            change.kind,
            Value(attributes: change.attributes, oldValue: change.oldValue, newValue: change.newValue))
        let kind = ChangeTable.Kind(.preservedValue, of: change.kind.entity)
        for value in change.values { try write(kind, value) }
    }

    private static let selectUpdates = """
        SELECT id, kind, primary_key FROM \(ChangeTable.name) WHERE id >= ? AND \(ChangeTable.isOperation(.update)) \
        ORDER BY id
        """
    private static let selectRows =
        "SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id >= ? ORDER BY id"
}

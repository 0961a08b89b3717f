import Chronicle

/// The rows of an entity by primary key, with indexes for references and unique values.
struct Table: Sendable {
    let layout: TableLayout
    /// The columns of the schema in the order of its slots, then others that are in the journal.
    private(set) var columns: [String]
    /// Includes deleted rows, because a key is never used twice.
    var lastKey: Int64 = 0
    private(set) var rows = RowPages()
    private var referrers: [[Int64: Set<Int64>]]
    private var holders: [[[PropertyValue]: Int64]]
    private var numbers: [String: Int] = [:]
    /// Columns that some row was inserted without.
    private var incomplete = Set<Int>()

    init(_ layout: TableLayout) {
        self.layout = layout
        columns = layout.properties.map(\.name)
        referrers = layout.references.map { _ in [:] }
        holders = layout.constraints.map { _ in [:] }
        for property in layout.properties { numbers[property.name] = property.slot }
    }

    /// The number of a column, which is created if it does not exist.
    mutating func column(_ name: String) -> Int {
        if let number = numbers[name] { return number }
        columns.append(name)
        numbers[name] = columns.count - 1
        return columns.count - 1
    }

    // MARK: Reading

    /// The rows that refer to a row through a reference, given by its index in the layout.
    func referrers(_ reference: Int, to key: Int64) -> Set<Int64> { referrers[reference][key] ?? [] }

    /// The row that has the values of a constraint, given by its index in the layout.
    func holder(_ constraint: Int, of values: [PropertyValue]) -> Int64? { holders[constraint][values] }

    /// Checks whether the schema fits the rows. See ``Tables/check()``.
    func check() throws {
        for property in layout.properties {
            guard let old = property.previousName, let number = numbers[old], number >= layout.properties.count else {
                continue
            }
            throw SwiftDataError.backwardMigration.with(
                detail: "it is \(old) in the journal, which does not support renaming", entityName: layout.name,
                propertyName: property.name)
        }
        for column in incomplete
        where rows.keys.contains(where: { rows[$0]?[column].isNull == true }) {
            throw SwiftDataError.backwardMigration.with(
                detail: "rows of the journal have no value for it, and the class has no default",
                entityName: layout.name,
                propertyName: columns[column])
        }
    }

    // MARK: Changing

    mutating func insert(_ new: Changes.Inserted) throws {
        guard rows.insert(new.rows, from: new.firstKey) else { throw RecordReader.MalformedRecord() }
        lastKey = max(lastKey, new.firstKey + Int64(new.rows.count) - 1)
        guard !(layout.references.isEmpty && layout.constraints.isEmpty) else { return }
        for (offset, row) in new.rows.enumerated() { index(new.firstKey + Int64(offset), from: nil, to: row) }
    }

    mutating func apply(_ change: Change) throws {
        switch change.kind {
        case .insert:
            guard rows[change.key] == nil else { throw RecordReader.MalformedRecord() }
            set(row(change), change.key)
        case .update:
            guard var row = rows[change.key] else { throw RecordReader.MalformedRecord() }
            for (column, value) in zip(change.columns, change.values) { place(value, column, &row) }
            set(row, change.key)
        case .delete:
            guard rows[change.key] != nil else { throw RecordReader.MalformedRecord() }
            set(nil, change.key)
        }
    }

    private mutating func row(_ change: Change) -> [PropertyValue] {
        if change.columns == layout.schemaColumns { return change.values }
        var row = layout.properties.map { $0.defaultValue ?? .null }
        for (column, value) in zip(change.columns, change.values) { place(value, column, &row) }
        for property in layout.properties
        where !property.isOptional && row[property.slot].isNull && !change.columns.contains(property.slot) {
            incomplete.insert(property.slot)
        }
        return row
    }

    private func place(_ value: PropertyValue, _ column: Int, _ row: inout [PropertyValue]) {
        while row.count <= column { row.append(.absent) }
        row[column] = value
    }

    private mutating func set(_ row: [PropertyValue]?, _ key: Int64) {
        let old = rows.set(row, key)
        if row != nil { lastKey = max(lastKey, key) }
        index(key, from: old, to: row)
    }

    private mutating func index(_ key: Int64, from old: [PropertyValue]?, to new: [PropertyValue]?) {
        if layout.references.isEmpty && layout.constraints.isEmpty { return }
        for (number, reference) in layout.references.enumerated() {
            let (before, after) = (old?[reference.column].key, new?[reference.column].key)
            if before == after { continue }
            if let before { referrers[number][before]?.remove(key) }
            if let before, referrers[number][before]?.isEmpty == true { referrers[number][before] = nil }
            if let after { referrers[number][after, default: []].insert(key) }
        }
        for number in layout.constraints.indices {
            // Rows that exchange their values are changed one after the other: the last one has the value.
            if let values = old.flatMap({ layout.values(number, of: $0) }), holders[number][values] == key {
                holders[number][values] = nil
            }
            if let values = new.flatMap({ layout.values(number, of: $0) }) { holders[number][values] = key }
        }
    }
}

extension PropertyValue {
    /// Marks a column that the row was inserted without, before a column with a value. No row contains lists.
    static let absent = PropertyValue.references([])

    /// The primary key of a reference's destination.
    var key: Int64? {
        if case .reference(let identifier) = self { identifier.integerPrimaryKey } else { nil }
    }
}

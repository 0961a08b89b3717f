import Chronicle

/// The rows of an entity, by primary key, with what has to be found quickly.
struct Table: Sendable {
    /// A to-one relationship, seen from the table that has it.
    struct Reference: Sendable {
        let column: Int
        let destination: String
        /// What becomes of the row when its destination is deleted: the rule of the property that leads here.
        let rule: Schema.Relationship.DeleteRule
    }

    let name: String
    let origin: PersistentIdentifier.Origin
    /// Those of the schema in the order of its slots, then others that are in the journal.
    private(set) var columns: [String]
    /// The columns of the schema: what rows are inserted with.
    let schemaColumns: [Int]
    let references: [Reference]
    /// The columns that are unique together.
    let constraints: [[Int]]
    /// Those marked `.preserveValueOnDeletion`.
    let preserved: [Int]
    /// Also of rows that are gone: a key is never used twice.
    var lastKey: Int64 = 0
    private(set) var rows: [Int64: [PropertyValue]] = [:]
    /// In order, some of them of rows that are gone.
    private var keys: [Int64] = []
    private var referrers: [[Int64: Set<Int64>]]
    private var holders: [[[PropertyValue]: Int64]]
    private let entity: Schema.Entity?
    private var numbers: [String: Int] = [:]
    /// Columns that some row was inserted without.
    private var incomplete = Set<Int>()

    init(_ name: String, _ entity: Schema.Entity?, _ origin: PersistentIdentifier.Origin, _ schema: Schema) {
        (self.name, self.entity, self.origin) = (name, entity, origin)
        let properties = entity?.storedProperties ?? []
        columns = properties.map(\.name)
        schemaColumns = Array(columns.indices)
        references = properties.compactMap { property in
            property.relationship.map { Reference(column: property.slot, $0, schema) }
        }
        constraints = entity?.uniquenessConstraints.map { $0.map(\.slot) } ?? []
        preserved = entity?.preservedProperties.map(\.slot) ?? []
        referrers = references.map { _ in [:] }
        holders = constraints.map { _ in [:] }
        for property in properties { numbers[property.name] = property.slot }
    }

    /// The number of a column, which is made if there is none.
    mutating func column(_ name: String) -> Int {
        if let number = numbers[name] { return number }
        columns.append(name)
        numbers[name] = columns.count - 1
        return columns.count - 1
    }

    // MARK: Reading

    /// The keys of the rows, in order.
    var sortedKeys: some Sequence<Int64> { keys.lazy.filter { rows[$0] != nil } }

    /// The rows that refer to a row by a reference, by its place in ``references``.
    func referrers(_ reference: Int, to key: Int64) -> Set<Int64> { referrers[reference][key] ?? [] }

    /// The row that has the values of a constraint, by its place in ``constraints``.
    func holder(_ constraint: Int, of values: [PropertyValue]) -> Int64? { holders[constraint][values] }

    /// The values that have to be unique; `nil` when one is missing, because no value is not the same as no value.
    func values(_ constraint: Int, of row: [PropertyValue]) -> [PropertyValue]? {
        let values = constraints[constraint].map { row[$0] }
        return values.contains(where: \.isNull) ? nil : values
    }

    func check() throws {
        for property in entity?.storedProperties ?? [] {
            guard let old = property.originalName, let number = numbers[old], number >= schemaColumns.count else {
                continue
            }
            throw SwiftDataError.backwardMigration.adding(
                detail: "the journal has it as \(old), and renames nothing", entityName: name,
                propertyName: property.name)
        }
        for column in incomplete
        where column < schemaColumns.count && rows.values.contains(where: { $0[column].isNull }) {
            throw SwiftDataError.backwardMigration.adding(
                detail: "rows of the journal have no value for it, and the class has no default", entityName: name,
                propertyName: columns[column])
        }
    }

    // MARK: Changing

    mutating func apply(_ change: Change) throws {
        switch change.kind {
        case .insert:
            guard rows[change.key] == nil else { throw RecordReader.Nonsense() }
            set(row(change), change.key)
        case .update:
            guard var row = rows[change.key] else { throw RecordReader.Nonsense() }
            for (column, value) in zip(change.columns, change.values) { place(value, column, &row) }
            set(row, change.key)
        case .delete:
            guard rows[change.key] != nil else { throw RecordReader.Nonsense() }
            set(nil, change.key)
        }
    }

    private mutating func row(_ change: Change) -> [PropertyValue] {
        if change.columns == schemaColumns { return change.values }
        var row = schemaColumns.map { entity?.storedProperties[$0].defaultValue ?? .null }
        for (column, value) in zip(change.columns, change.values) { place(value, column, &row) }
        for column in schemaColumns where row[column].isNull && !change.columns.contains(column) {
            if entity?.storedProperties[column].attribute?.isOptional == false { incomplete.insert(column) }
        }
        return row
    }

    private func place(_ value: PropertyValue, _ column: Int, _ row: inout [PropertyValue]) {
        while row.count <= column { row.append(.absent) }
        row[column] = value
    }

    private mutating func set(_ row: [PropertyValue]?, _ key: Int64) {
        let old = row.map { rows.updateValue($0, forKey: key) } ?? rows.removeValue(forKey: key)
        if old == nil, row != nil { add(key) }
        if !references.isEmpty || !constraints.isEmpty { index(key, from: old, to: row) }
        // Not with every delete: what is gone is passed over until it is the greater part.
        if row == nil, keys.count > 2 * rows.count + 16 { keys.removeAll { rows[$0] == nil } }
    }

    private mutating func add(_ key: Int64) {
        if let last = keys.last, key <= last {
            keys.removeAll { $0 == key }
            keys.insert(key, at: keys.firstIndex { $0 > key } ?? keys.endIndex)
        } else {
            keys.append(key)
        }
        lastKey = max(lastKey, key)
    }

    private mutating func index(_ key: Int64, from old: [PropertyValue]?, to new: [PropertyValue]?) {
        for (number, reference) in references.enumerated() {
            let (before, after) = (old?[reference.column].key, new?[reference.column].key)
            if before == after { continue }
            if let before { referrers[number][before]?.remove(key) }
            if let before, referrers[number][before]?.isEmpty == true { referrers[number][before] = nil }
            if let after { referrers[number][after, default: []].insert(key) }
        }
        for number in constraints.indices {
            // Rows that exchange their values do it one after the other: the last to come has them.
            if let values = old.flatMap({ values(number, of: $0) }), holders[number][values] == key {
                holders[number][values] = nil
            }
            if let values = new.flatMap({ values(number, of: $0) }) { holders[number][values] = key }
        }
    }
}

extension Table.Reference {
    fileprivate init(column: Int, _ relationship: Schema.Relationship, _ schema: Schema) {
        let destination = schema.entitiesByName[relationship.destination]
        let inverse = relationship.inverseName.flatMap { destination?.property(named: $0)?.relationship }
        self.init(column: column, destination: relationship.destination, rule: inverse?.deleteRule ?? .nullify)
    }
}

extension PropertyValue {
    /// Stands in a row for a column that the row was inserted without, where a later one has a value. No row has lists.
    static let absent = PropertyValue.references([])

    /// The primary key that a reference leads to.
    var key: Int64? {
        if case .reference(let identifier) = self { identifier.integerPrimaryKey } else { nil }
    }
}

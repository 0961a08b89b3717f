import Chronicle

/// What a save comes to, before anything is written: keys for new rows, rules for deletes, and whether it may be.
///
/// It holds no tables: a copy of them would make the rows be copied at the next change.
struct SavePlan {
    /// A row of a table.
    struct Row: Hashable {
        let table: Int
        let key: Int64
    }

    /// The identifiers of new rows, by the temporary ones.
    private(set) var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    private(set) var inserted: [(row: Row, values: [PropertyValue])] = []
    /// The rows that are changed, in order, and what they will be.
    var order: [Row] = []
    var updated: [Row: [PropertyValue]] = [:]
    var deleted: [Row] = []
    private(set) var gone = Set<Row>()
    /// The updated rows that will refer to another row than before, by that row.
    var moved: [Row: [(row: Row, reference: Int)]] = [:]
    private(set) var lastKeys: [Int64]

    init(_ tables: Tables) { lastKeys = tables.indices.map { tables[$0].lastKey } }

    mutating func add(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ tables: Tables) throws {
        try insert(request.inserted, tables)
        for snapshot in request.updated { try update(snapshot, tables) }
        for snapshot in request.deleted { try delete(row(snapshot.persistentIdentifier, tables), tables) }
        try applyRules(tables)
        try checkReferences(tables)
        try checkUniqueness(tables)
    }

    /// The changes of the save, inserts first; without those that change nothing.
    func changes(_ tables: Tables) throws -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(inserted.count + order.count + deleted.count)
        for (row, values) in inserted {
            let columns = tables[row.table].schemaColumns
            changes.append(Change(kind: .insert, table: row.table, key: row.key, columns: columns, values: values))
        }
        for row in order where !gone.contains(row) {
            guard let new = updated[row], let old = tables[row.table].rows[row.key] else { continue }
            // Another context may have saved the same meanwhile.
            let columns = new.indices.filter { new[$0] != old[$0] }
            if columns.isEmpty { continue }
            changes.append(
                Change(
                    kind: .update, table: row.table, key: row.key, columns: columns, values: columns.map { new[$0] }))
        }
        for row in deleted {
            let columns = tables[row.table].preserved
            let last = updated[row] ?? tables[row.table].rows[row.key] ?? []
            changes.append(
                Change(
                    kind: .delete, table: row.table, key: row.key, columns: columns, values: columns.map { last[$0] }))
        }
        return changes
    }

    /// A row as it will be; `nil` when it will not be there.
    func values(_ row: Row, _ tables: Tables) -> [PropertyValue]? {
        gone.contains(row) ? nil : updated[row] ?? tables[row.table].rows[row.key]
    }

    // MARK: Parts

    private mutating func insert(_ snapshots: [DefaultSnapshot], _ tables: Tables) throws {
        permanent.reserveCapacity(snapshots.count)
        inserted.reserveCapacity(snapshots.count)
        // Keys first: new rows may refer to each other, in any order.
        var (name, table) = ("", 0)
        var rows: [Row] = []
        rows.reserveCapacity(snapshots.count)
        for snapshot in snapshots {
            let temporary = snapshot.persistentIdentifier
            if temporary.entityName != name { (name, table) = (temporary.entityName, try number(temporary, tables)) }
            guard lastKeys[table] < .max else {
                throw SwiftDataError.storeIsFull.adding(detail: "the last primary key is used", entityName: name)
            }
            lastKeys[table] += 1
            rows.append(Row(table: table, key: lastKeys[table]))
            permanent[temporary] = tables[table].origin.identifier(lastKeys[table])
        }
        for (row, snapshot) in zip(rows, snapshots) {
            try requireCount(snapshot, tables[row.table])
            inserted.append((row, remapped(snapshot.values, tables[row.table])))
        }
    }

    private mutating func update(_ snapshot: DefaultSnapshot, _ tables: Tables) throws {
        let row = try row(snapshot.persistentIdentifier, tables)
        guard var values = updated[row] ?? tables[row.table].rows[row.key] else {
            throw SwiftDataError.modelNotFound.adding(persistentIdentifier: snapshot.persistentIdentifier)
        }
        try requireCount(snapshot, tables[row.table])
        let new = remapped(snapshot.values, tables[row.table])
        // Another context may have saved other properties of the same model meanwhile.
        for column in snapshot.changed { values[column] = new[column] }
        if updated.updateValue(values, forKey: row) == nil { order.append(row) }
        for (number, reference) in tables[row.table].references.enumerated()
        where snapshot.changed.contains(reference.column) {
            guard let key = values[reference.column].key, let table = tables.known(reference.destination) else {
                continue
            }
            moved[Row(table: table, key: key), default: []].append((row, number))
        }
    }

    mutating func delete(_ row: Row, _ tables: Tables) throws {
        // Somebody else was faster, or a rule: what is wanted is so.
        guard tables[row.table].rows[row.key] != nil, gone.insert(row).inserted else { return }
        deleted.append(row)
    }

    private func number(_ identifier: PersistentIdentifier, _ tables: Tables) throws -> Int {
        guard let number = tables.known(identifier.entityName) else {
            throw SwiftDataError.unknownSchema.adding(
                entityName: identifier.entityName, storeIdentifier: tables.storeIdentifier)
        }
        return number
    }

    private func row(_ identifier: PersistentIdentifier, _ tables: Tables) throws -> Row {
        guard let key = identifier.integerPrimaryKey, identifier.storeIdentifier == tables.storeIdentifier else {
            throw SwiftDataError.modelNotFound.adding(
                detail: "it lives in another store", persistentIdentifier: identifier)
        }
        return Row(table: try number(identifier, tables), key: key)
    }

    private func requireCount(_ snapshot: DefaultSnapshot, _ table: Table) throws {
        guard snapshot.values.count == table.schemaColumns.count else {
            throw SwiftDataError.modelValidationFailure.adding(
                detail: "a snapshot has \(snapshot.values.count) values for \(table.schemaColumns.count) columns",
                entityName: table.name, persistentIdentifier: snapshot.persistentIdentifier)
        }
    }

    /// The values, with references to new rows by their permanent identifiers.
    private func remapped(_ values: [PropertyValue], _ table: Table) -> [PropertyValue] {
        var values = values
        for reference in table.references {
            guard case .reference(let identifier) = values[reference.column], let new = permanent[identifier] else {
                continue
            }
            values[reference.column] = .reference(new)
        }
        return values
    }
}

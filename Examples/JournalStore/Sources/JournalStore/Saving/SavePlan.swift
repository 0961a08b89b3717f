import Chronicle

/// The effects of a save, before anything is written: keys for new rows, delete rules, and validation.
///
/// The plan does not hold tables, because with a second reference the next change would copy their rows.
struct SavePlan {
    /// A row of a table.
    struct Row: Hashable {
        let table: Int
        let key: Int64
    }

    /// The identifiers of new rows, in the order of the request.
    private(set) var identifiers: [PersistentIdentifier] = []
    /// The same by temporary identifier, where something may refer to them.
    private var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
    private(set) var inserted: [Changes.Inserted] = []
    /// The changed rows, in order, with their new values.
    var order: [Row] = []
    var updated: [Row: [PropertyValue]] = [:]
    var deleted: [Row] = []
    private(set) var gone = Set<Row>()
    /// The updated rows with a changed reference, by the row that they will refer to.
    var moved: [Row: [(row: Row, reference: Int)]] = [:]
    /// The rows that deny the delete of another, unless the save deletes them too.
    var denied: [(row: Row, reference: TableLayout.Reference, target: Row)] = []
    private(set) var lastKeys: [Int64]

    init(_ tables: Tables) { lastKeys = tables.indices.map { tables[$0].lastKey } }

    mutating func add(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ tables: Tables) throws {
        try insert(request.inserted, tables)
        for snapshot in request.updated { try update(snapshot, tables) }
        for snapshot in request.deleted { try delete(row(snapshot.persistentIdentifier, tables), tables) }
        try applyRules(tables)
        if !deleted.isEmpty, request.replay == nil { try requireUpdatedRows(request, tables) }
        try checkDenied(tables)
        try checkReferences(tables)
        try checkUniqueness(tables)
    }

    /// The changes of the save, inserts first, without those that change nothing.
    func changes(_ tables: Tables) -> Changes {
        var changes = Changes(inserted: inserted)
        for row in order where !gone.contains(row) {
            guard let new = updated[row], let old = tables[row.table].rows[row.key] else { continue }
            // Another context may have saved the same in the meantime.
            let columns = new.indices.filter { new[$0] != old[$0] }
            if columns.isEmpty { continue }
            changes.others.append(
                Change(
                    kind: .update, table: row.table, key: row.key, columns: columns, values: columns.map { new[$0] }))
        }
        for row in deleted {
            let columns = tables.layout(row.table).preserved
            let last = updated[row] ?? tables[row.table].rows[row.key] ?? []
            changes.others.append(
                Change(
                    kind: .delete, table: row.table, key: row.key, columns: columns, values: columns.map { last[$0] }))
        }
        return changes
    }

    /// A row after the save; `nil` if it will not exist.
    func values(_ row: Row, _ tables: Tables) -> [PropertyValue]? {
        gone.contains(row) ? nil : updated[row] ?? tables[row.table].rows[row.key]
    }

    // MARK: Parts

    /// Assign keys first: new rows may refer to each other, in any order.
    private mutating func insert(_ snapshots: [DefaultSnapshot], _ tables: Tables) throws {
        identifiers.reserveCapacity(snapshots.count)
        var runs: [Range<Int>] = []
        var first = 0
        while first < snapshots.count {
            let name = snapshots[first].persistentIdentifier.entityName
            let run = snapshots[first...].prefix { $0.persistentIdentifier.entityName == name }
            runs.append(run.indices)
            first = run.endIndex
            try assignKeys(run.count, number(named: name, tables), tables)
        }
        if tables.indices.contains(where: { !tables.layout($0).references.isEmpty }) {
            permanent = Dictionary(
                zip(snapshots.lazy.map(\.persistentIdentifier), identifiers), uniquingKeysWith: { first, _ in first })
        }
        for (index, run) in runs.enumerated() {
            let layout = tables.layout(inserted[index].table)
            var rows: [[PropertyValue]] = []
            rows.reserveCapacity(run.count)
            for place in run {
                try layout.requireFit(snapshots[place])
                rows.append(remapped(snapshots[place].values, layout))
            }
            inserted[index].rows = rows
        }
    }

    private mutating func assignKeys(_ count: Int, _ table: Int, _ tables: Tables) throws {
        let origin = tables.layout(table).origin
        let (last, isPastTheLast) = lastKeys[table].addingReportingOverflow(Int64(count))
        guard !isPastTheLast, last < .max else {
            throw SwiftDataError.storeFull.with(
                detail: "all primary keys are used", entityName: tables.layout(table).name)
        }
        inserted.append(Changes.Inserted(table: table, firstKey: lastKeys[table] + 1))
        for key in lastKeys[table]..<last { identifiers.append(origin.identifier(key + 1)) }
        lastKeys[table] = last
    }

    private mutating func update(_ snapshot: DefaultSnapshot, _ tables: Tables) throws {
        let row = try row(snapshot.persistentIdentifier, tables)
        guard var values = updated[row] ?? tables[row.table].rows[row.key] else {
            throw SwiftDataError.modelNotFound.with(persistentIdentifier: snapshot.persistentIdentifier)
        }
        let layout = tables.layout(row.table)
        try layout.requireFit(snapshot)
        let new = remapped(snapshot.values, layout)
        // Another context may have saved other properties of the same model in the meantime.
        for column in snapshot.changed { values[column] = new[column] }
        if updated.updateValue(values, forKey: row) == nil { order.append(row) }
        for (number, reference) in layout.references.enumerated()
        where snapshot.changed.contains(reference.column) {
            guard let key = values[reference.column].key, let table = tables.known(reference.destination) else {
                continue
            }
            moved[Row(table: table, key: key), default: []].append((row, number))
        }
    }

    /// Throws an error if a delete rule deletes a row whose changes the save contains: another context has given the row to a
    /// deleted one, and the changes would be lost without a report.
    private func requireUpdatedRows(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ tables: Tables
    ) throws {
        for snapshot in request.updated where try gone.contains(row(snapshot.persistentIdentifier, tables)) {
            throw SwiftDataError.modelNotFound.with(
                detail: "the save deletes a row whose delete rule deletes this one; roll back and fetch again",
                persistentIdentifier: snapshot.persistentIdentifier)
        }
    }

    mutating func delete(_ row: Row, _ tables: Tables) throws {
        // Another writer or a delete rule has already deleted the row.
        guard tables[row.table].rows[row.key] != nil, gone.insert(row).inserted else { return }
        deleted.append(row)
    }

    private func number(named entityName: String, _ tables: Tables) throws -> Int {
        guard let number = tables.known(entityName) else {
            throw SwiftDataError.unknownSchema.with(entityName: entityName)
        }
        return number
    }

    private func row(_ identifier: PersistentIdentifier, _ tables: Tables) throws -> Row {
        guard let key = identifier.integerPrimaryKey, identifier.storeIdentifier == tables.storeIdentifier else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model belongs to another store", persistentIdentifier: identifier)
        }
        return Row(table: try number(named: identifier.entityName, tables), key: key)
    }

    /// The values, with references to new rows by their permanent identifiers.
    private func remapped(_ values: [PropertyValue], _ layout: TableLayout) -> [PropertyValue] {
        if layout.references.isEmpty { return values }
        var values = values
        for reference in layout.references {
            guard case .reference(let identifier) = values[reference.column], let new = permanent[identifier] else {
                continue
            }
            values[reference.column] = .reference(new)
        }
        return values
    }
}

import ChronicleCore
import ChronicleSQLite

/// Writes the rows of a save in an order that avoids conflicts: updates of references (so that deleting the previous
/// destination does not cascade to them), deletes (so that unique values become available), other updates, inserts. Links
/// are removed before all of them and added before the inserts. At the end, both sides of one-to-one relationships are made
/// to agree.
struct RowWriter {
    let connection: Connection
    let layout: StoreLayout
    /// Whether the keys of new rows may be predicted or reserved. Otherwise, SQLite chooses the key of each row.
    let predictsKeys: Bool
    let recording: Recording
    var reservations = KeyReservations()
    /// The identifiers in the order of the request.
    var inserted: [PersistentIdentifier] = []
    /// The identifiers by temporary identifier, if something references a new row.
    var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]
    var tables: TableCursor
    var statements: StatementCursor
    /// Updates compare unique values of a row instead of setting them.
    var comparesUniqueValues = false
    var hasDividedUpdates = false
    /// The rows that were changed to make both sides of one-to-one relationships agree.
    var reconciledRows: [PersistentIdentifier: DefaultSnapshot] = [:]

    /// A trigger of another program inserts into the same table, so that SQLite assigned unexpected keys. The rows are then
    /// inserted one by one to read their keys.
    struct UnexpectedKeys: Error {}

    init(
        _ connection: Connection, _ layout: StoreLayout, _ recording: Recording, predictsKeys: Bool
    ) {
        self.recording = recording
        self.connection = connection
        self.layout = layout
        self.predictsKeys = predictsKeys
        tables = TableCursor(layout)
        statements = StatementCursor(connection)
    }

    mutating func write(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        let inserts = try runs(request.inserted)
        let updates = try runs(request.updated)
        // With few rows, a failed comparison costs more than successful ones save.
        comparesUniqueValues = request.updated.count >= 8
        let isReferenced =
            try referencesNewRows(request.inserted, inserts) || referencesNewRows(request.updated, updates)
            || request.linked.contains { $0.owner.isTemporary || $0.destination.isTemporary }
        let isRestoring = inserts.contains { !isTemporary($0, in: request.inserted) }
        let bindsKeys = isReferenced || isRestoring
        let areBatched = predictsKeys && request.inserted.count >= 8
        if bindsKeys || areBatched { try chooseKeys(request.inserted, inserts) }
        if isReferenced { replace(request.inserted) }
        // Before deletes, which must not cascade along removed links.
        if !request.unlinked.isEmpty { try unlink(request.unlinked) }
        let later = try updateReferences(request.updated, updates, beforeDeletes: !request.deleted.isEmpty)
        try deleteRows(request.deleted)
        // A replayed transaction may have changed a row before it was deleted.
        if later != nil, !request.deleted.isEmpty, request.replay == nil {
            try requireMovedRows(request.updated, updates)
        }
        try updateRows(later ?? request.updated)
        // Before the inserts, so that the history contains no update of an inserted model.
        if !request.linked.isEmpty { try link(request.linked) }
        if let firstChange = recording.firstChange, try hasDividedUpdates || changesLinks(request) {
            try UpdateMerge(connection, from: firstChange).run()
        }
        let linkValues = try linkValues(request, isRestoring: isRestoring)
        for run in inserts {
            if bindsKeys {
                try insertRows(request.inserted, run, preserving: linkValues)
            } else if areBatched {
                try insertRows(request.inserted, run, with: run.table.inserts, bindingKeys: false)
            } else {
                try insertSingly(request.inserted, run)
            }
        }
        // A replayed transaction contains the changes of both sides that were recorded.
        if request.replay == nil { try reconcile(request, inserts, updates) }
    }

    private func referencesNewRows(_ snapshots: [DefaultSnapshot], _ runs: [Run]) throws -> Bool {
        for (rows, table) in runs where !table.referenceSlots.isEmpty {
            let isFound = try snapshots[rows].withUnsafeBufferPointer { rows in
                try rows.pointers.contains { snapshot in
                    try requireColumns(of: snapshot, table)
                    return table.referenceSlots.contains { slot in
                        if case .reference(let identifier) = snapshot.pointee.values[slot] {
                            identifier.isTemporary
                        } else {
                            false
                        }
                    }
                }
            }
            if isFound { return true }
        }
        return false
    }

    typealias Run = (rows: Range<Int>, table: EntityTable)

    func runs(_ snapshots: [DefaultSnapshot]) throws -> [Run] {
        var runs: [Run] = []
        for rows in SnapshotRuns(snapshots) {
            runs.append((rows, try layout.table(named: snapshots[rows.lowerBound].persistentIdentifier.entityName)))
        }
        return runs
    }
}

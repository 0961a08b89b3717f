import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// Writes the rows of a save.
///
/// The order of the writes avoids conflicts within the save: first updates of references (so that deleting the previous
/// destination does not cascade to them), then deletes (so that unique values become available), then other updates,
/// then inserts. Links are removed before all of them and added before the inserts. At the end, both sides of one-to-one
/// relationships are made to agree.
struct RowWriter {
    let connection: Connection
    let layout: StoreLayout
    /// Whether the keys of new rows may be known before the insert, because they are predicted or reserved. Otherwise,
    /// SQLite chooses the key of each row.
    let predictsKeys: Bool
    /// The recording of the changes.
    let recording: Recording
    var reservations = KeyReservations()
    /// The identifiers of the new rows in the order of the request.
    var inserted: [PersistentIdentifier] = []
    /// The permanent identifiers by temporary identifier, if something references a new row.
    var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]
    var tables: TableCursor
    var statements: StatementCursor
    /// Whether updates compare the unique values of a row instead of setting them.
    var comparesUniqueValues = false
    /// Whether a row was updated by two statements.
    private var hasDividedUpdates = false
    /// The rows that were changed to make both sides of one-to-one relationships agree.
    var reconciledRows: [PersistentIdentifier: DefaultSnapshot] = [:]

    /// An error that is thrown if SQLite assigned unexpected keys to rows of one statement, because a trigger of
    /// another program inserts into the same table. The rows are then inserted one by one to read their keys.
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
        try delete(request.deleted)
        try update(later ?? request.updated)
        // Before the inserts, so that the history contains no update of an inserted model.
        if !request.linked.isEmpty { try link(request.linked) }
        if let firstChange = recording.firstChange, try hasDividedUpdates || changesLinks(request) {
            try UpdateMerge(connection, from: firstChange).run()
        }
        let linkValues = try linkValues(request, isRestoring: isRestoring)
        for run in inserts {
            if bindsKeys {
                try insert(request.inserted, run, preserving: linkValues)
            } else if areBatched {
                try insert(request.inserted, run, with: run.table.inserts, bindingKeys: false)
            } else {
                try insertSingly(request.inserted, run)
            }
        }
        // A replayed transaction contains the changes of both sides that were recorded.
        if request.replay == nil { try reconcile(request, inserts, updates) }
    }

    /// Writes the updates that change references.
    ///
    /// - Returns: The remaining updates, or `nil` if no table has references.
    private mutating func updateReferences(
        _ snapshots: [DefaultSnapshot], _ runs: [Run], beforeDeletes: Bool
    ) throws -> [DefaultSnapshot]? {
        guard runs.contains(where: { !$0.table.referenceSlots.isEmpty }) else { return nil }
        var later: [DefaultSnapshot] = []
        for (rows, table) in runs {
            for snapshot in snapshots[rows] {
                let moves = table.referenceSlots.filter(snapshot.changed.contains)
                guard !moves.isEmpty else {
                    later.append(snapshot)
                    continue
                }
                do { try withUnsafePointer(to: snapshot) { try update($0, table) } } catch SwiftDataError
                    .uniquenessViolation
                {
                    later += try move(snapshot, moves, table, beforeDeletes: beforeDeletes)
                }
            }
        }
        return later
    }

    /// Updates only the references of a row whose unique values are not available yet. If these contain a reference, the row
    /// references no other row in between, so that deleting its previous destination does not delete the row.
    ///
    /// - Parameter beforeDeletes: Whether the save deletes rows.
    /// - Returns: The remaining updates.
    private mutating func move(
        _ snapshot: DefaultSnapshot, _ slots: [Int], _ table: EntityTable, beforeDeletes: Bool
    ) throws -> [DefaultSnapshot] {
        let parts = snapshot.movingReferences(slots)
        if let rest = parts.rest {
            // The two updates are merged afterwards, which needs their changes in the file.
            try recording.requireChangesInFile()
            if try updateIfUnique(parts.references, table) {
                hasDividedUpdates = true
                return [rest]
            }
        }
        guard beforeDeletes else { return [snapshot] }
        try recording.requireChangesInFile()
        if let detached = snapshot.detached(slots, table.entity), try updateIfUnique(detached, table) {
            hasDividedUpdates = true
        }
        for property in slots.lazy.map({ table.entity.storedProperties[$0] }) where !property.isOptional {
            if try release(property, of: snapshot) { hasDividedUpdates = true }
        }
        return [snapshot]
    }

    /// Updates a row.
    ///
    /// - Returns: `false` if another row has one of its unique values.
    private mutating func updateIfUnique(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws -> Bool {
        do { try withUnsafePointer(to: snapshot) { try update($0, table) } } catch SwiftDataError.uniquenessViolation {
            return false
        }
        return true
    }

    /// Updates rows in an order in which unique values are available when they are needed. Rows that exchange their values
    /// have no such order, and get other values in between.
    private mutating func update(_ snapshots: [DefaultSnapshot]) throws {
        var waiting = snapshots
        while !waiting.isEmpty {
            var conflicting: [DefaultSnapshot] = []
            var firstError: (any Error)?
            try waiting.withUnsafeBufferPointer { rows in
                for row in rows.pointers {
                    do { try update(row, tables.table(of: row)) } catch let error as SwiftDataError
                        where SwiftDataError.uniquenessViolation ~= error
                    {
                        conflicting.append(row.pointee)
                        firstError = firstError ?? error
                    }
                }
            }
            if let firstError, conflicting.count == waiting.count, try !releaseUniqueValues(of: conflicting) {
                throw firstError
            }
            waiting = try conflicting.orderedForUpdate { try owners($0).map(\.key) }
        }
    }

    /// Changes unique values that rows exchange to values that no other row has, until their updates set them again.
    ///
    /// - Returns: Whether a value was changed.
    private mutating func releaseUniqueValues(of snapshots: [DefaultSnapshot]) throws -> Bool {
        let held = try snapshots.heldUniqueValues(owners: owners)
        // The two updates of a row are merged afterwards, which needs their changes in the file.
        if !held.isEmpty { try recording.requireChangesInFile() }
        var isReleased = false
        for (snapshot, property) in held where try release(property, of: snapshot) { isReleased = true }
        if isReleased { hasDividedUpdates = true }
        return isReleased
    }

    /// SQLite cascades at most 1,000 levels deep (https://www.sqlite.org/limits.html#max_trigger_depth). Only rows to which
    /// and from which deletes cascade can form longer chains. The others are deleted in reverse order, in which
    /// nothing is left to cascade to, because a context lists owners before their destinations.
    private mutating func delete(_ snapshots: [DefaultSnapshot]) throws {
        let isReversed = snapshots.count >= DeleteOrder.maximumDepth
        let runs = try runs(snapshots)
        if isReversed, runs.contains(where: { $0.table.isReferenced && !$0.table.cascadeSlots.isEmpty }) {
            return try deleteReferencingRowsFirst(snapshots, runs)
        }
        for (rows, table) in isReversed ? runs.reversed() : runs {
            try snapshots[rows].withUnsafeBufferPointer { rows in
                if !table.isReferenced {
                    try deleteRanges(rows.pointers, table)
                } else if isReversed {
                    for row in rows.pointers.reversed() { try delete(row, table) }
                } else {
                    for row in rows.pointers { try delete(row, table) }
                }
            }
        }
    }

    /// Deletes rows that nothing references, with a statement for each range of consecutive keys.
    mutating func deleteRanges(_ rows: UnsafeBufferPointer<DefaultSnapshot>.Pointers, _ table: EntityTable)
        throws
    {
        var remaining = rows[...]
        while let row = remaining.first {
            let key = try key(row, table)
            var count = 1
            for next in remaining.dropFirst().prefix(ChangeRows.batchSize - 1) {
                guard try self.key(next, table) == key + Int64(count) else { break }
                count += 1
            }
            if try count == 1 || !delete(key..<key + Int64(count), table) {
                for row in remaining.prefix(count) { try delete(row, table) }
            }
            remaining = remaining.dropFirst(count)
        }
    }

    // MARK: Keys

    /// Determines the keys of the new rows: those of permanent identifiers, and, for the others, those after the
    /// highest key that each table ever contained, which SQLite assigns too.
    private mutating func chooseKeys(_ snapshots: [DefaultSnapshot], _ inserts: [Run]) throws {
        inserted.reserveCapacity(inserts.last?.rows.upperBound ?? 0)
        var highest = try highestRestoredKeys(snapshots, inserts)
        for run in inserts {
            let (rows, table) = run
            reservations.remove(table)
            guard isTemporary(run, in: snapshots) else {
                for key in try keys(snapshots, run) { inserted.append(table.origin.identifier(key)) }
                continue
            }
            let last = try highest[table.tableNumber] ?? connection.highestKey(of: table)
            let (end, overflows) = last.addingReportingOverflow(Int64(rows.count))
            guard !overflows else {
                throw SwiftDataError.storeFull.with(
                    detail: "no primary keys are left in the table", entityName: table.entity.name)
            }
            highest[table.tableNumber] = end
            for key in last + 1...end { inserted.append(table.origin.identifier(key)) }
        }
    }

    /// Returns the highest key of each table with permanent identifiers, including the keys that it ever contained.
    private func highestRestoredKeys(_ snapshots: [DefaultSnapshot], _ inserts: [Run]) throws -> [Int64: Int64] {
        var highest: [Int64: Int64] = [:]
        for run in inserts where !isTemporary(run, in: snapshots) {
            let number = run.table.tableNumber
            let known = try highest[number] ?? connection.highestKey(of: run.table)
            highest[number] = try keys(snapshots, run).reduce(known, max)
        }
        return highest
    }

    private func keys(_ snapshots: [DefaultSnapshot], _ run: Run) throws -> [Int64] {
        try snapshots[run.rows].withUnsafeBufferPointer { rows in try rows.pointers.map { try key($0, run.table) } }
    }

    /// Returns whether the rows of a run have temporary identifiers. They share the origin, so the first one decides.
    private func isTemporary(_ run: Run, in snapshots: [DefaultSnapshot]) -> Bool {
        snapshots[run.rows.lowerBound].persistentIdentifier.isTemporary
    }

    private mutating func replace(_ snapshots: [DefaultSnapshot]) {
        replacements = Dictionary(
            zip(snapshots.lazy.map(\.persistentIdentifier), inserted), uniquingKeysWith: { first, _ in first })
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

    /// Consecutive rows of one entity.
    typealias Run = (rows: Range<Int>, table: EntityTable)

    func runs(_ snapshots: [DefaultSnapshot]) throws -> [Run] {
        var runs: [Run] = []
        for rows in SnapshotRuns(snapshots) {
            runs.append((rows, try layout.table(named: snapshots[rows.lowerBound].persistentIdentifier.entityName)))
        }
        return runs
    }
}

import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

// Updates rows, in an order in which their unique values are available.
extension RowWriter {
    /// Returns the remaining updates, or `nil` if no table has references.
    mutating func updateReferences(
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
                do { try withUnsafePointer(to: snapshot) { try updateRow($0, table) } } catch SwiftDataError
                    .uniquenessViolation
                {
                    later += try move(snapshot, moves, table, beforeDeletes: beforeDeletes)
                }
            }
        }
        return later
    }

    /// Updates only the references of a row whose unique values are not available yet, and returns the remaining updates.
    /// If the unique values contain a reference, the row references no other row in between, so that deleting its previous
    /// destination does not delete the row.
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

    /// Throws an error if the deletes of the save have also deleted a row whose references it has updated before, because
    /// another context had connected the row with a deleted one. Its changes would be lost without a report.
    func requireMovedRows(_ snapshots: [DefaultSnapshot], _ runs: [Run]) throws {
        for (rows, table) in runs where !table.referenceSlots.isEmpty {
            for snapshot in snapshots[rows] where table.referenceSlots.contains(where: snapshot.changed.contains) {
                try withUnsafePointer(to: snapshot) {
                    if try !exists(key($0, table), table) { throw missing(snapshot, table) }
                }
            }
        }
    }

    private func missing(_ snapshot: DefaultSnapshot, _ table: EntityTable) -> SwiftDataError {
        .deletedElsewhere(snapshot.persistentIdentifier, entityName: table.entity.name)
    }

    /// Returns `false` if another row has one of the unique values.
    private mutating func updateIfUnique(_ snapshot: DefaultSnapshot, _ table: EntityTable) throws -> Bool {
        do { try withUnsafePointer(to: snapshot) { try updateRow($0, table) } } catch SwiftDataError.uniquenessViolation
        {
            return false
        }
        return true
    }

    /// Updates rows in an order in which unique values are available when they are needed. Rows that exchange their values
    /// have no such order, and get other values in between.
    mutating func updateRows(_ snapshots: [DefaultSnapshot]) throws {
        var waiting = snapshots
        while !waiting.isEmpty {
            var conflicting: [DefaultSnapshot] = []
            var firstError: (any Error)?
            try waiting.withUnsafeBufferPointer { rows in
                for row in rows.pointers {
                    do { try updateRow(row, tables.table(of: row)) } catch let error as SwiftDataError
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
    /// Returns whether a value was changed.
    mutating func releaseUniqueValues(of snapshots: [DefaultSnapshot]) throws -> Bool {
        let held = try snapshots.heldUniqueValues(owners: owners)
        // The two updates of a row are merged afterwards, which needs their changes in the file.
        if !held.isEmpty { try recording.requireChangesInFile() }
        var isReleased = false
        for (snapshot, property) in held where try release(property, of: snapshot) { isReleased = true }
        if isReleased { hasDividedUpdates = true }
        return isReleased
    }

    mutating func updateRow(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        try requireColumns(of: snapshot, table)
        if comparesUniqueValues, try updateKeepingUniqueValues(snapshot, table) { return }
        let statement = try statements.update(snapshot, table)
        let index = try bind(snapshot, snapshot.pointee.changed, table, statement, from: 1)
        try statement.bind(key(snapshot, table), at: index)
        recording.willUpdate(table, snapshot.pointee.changed)
        try run(statement, snapshot, table)
        if connection.changes != 1 { try requireValue(of: snapshot, table) }
    }

    /// Updates the other columns of a row if it already has the unique values of the snapshot, as the rows of merged models
    /// do. SQLite does not write the entries of an index if no column of it is set. If the row was not updated, later
    /// updates of the save do not compare unique values.
    private mutating func updateKeepingUniqueValues(_ snapshot: SnapshotPointer, _ table: EntityTable) throws -> Bool {
        var (kept, rest) = (PropertySet(), snapshot.pointee.changed)
        for slot in table.comparableUniqueSlots where rest.contains(slot) {
            kept.insert(slot)
            rest.remove(slot)
        }
        guard !kept.isEmpty, !rest.isEmpty, rest.allSatisfy({ $0 < table.columns.count }) else { return false }
        let statement = try statements.update(rest, keeping: kept, table)
        let index = try bind(snapshot, rest, table, statement, from: 1)
        try statement.bind(key(snapshot, table), at: index)
        _ = try bind(snapshot, kept, table, statement, from: index + 1)
        // All of them, because the statement does not skip rows that already have the other values.
        recording.willUpdate(table, snapshot.pointee.changed)
        try run(statement, snapshot, table)
        comparesUniqueValues = connection.changes == 1
        return comparesUniqueValues
    }

    /// If an update did not change the row, it must already have had the value.
    private func requireValue(of snapshot: SnapshotPointer, _ table: EntityTable) throws {
        let key = try key(snapshot, table)
        guard try exists(key, table) else { throw missing(snapshot.pointee, table) }
        guard let slot = table.comparedSlot(snapshot.pointee.changed) else { throw ignored(snapshot.pointee, table) }
        let query = try connection.cached(
            "SELECT 1 FROM \(quoted(table.name)) WHERE _rowid_ = ? AND \(quoted(table.columns[slot].name)) IS ? COLLATE BINARY"
        )
        defer { query.reset() }
        try query.bind(key, at: 1)
        try bind(snapshot, slot, table, query, 2)
        if try !query.step() { throw ignored(snapshot.pointee, table) }
    }

    /// To NULL if the property is optional, or else to random bytes, which a column of any type can contain. References are
    /// checked when the transaction commits. Returns `false` if a constraint of another program prevents it.
    func release(_ property: Schema.Property, of snapshot: DefaultSnapshot) throws -> Bool {
        let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
        let statement = try connection.cached(
            "UPDATE OR FAIL \(quoted(table.name)) SET \(quoted(table.columns[property.slot].name)) = "
                + "\(property.isOptional ? "NULL" : "randomblob(16)") WHERE _rowid_ = ?")
        try statement.bind(withUnsafePointer(to: snapshot) { try key($0, table) }, at: 1)
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            try requireTransaction(after: error)
            return false
        }
        return connection.changes == 1
    }

    /// The keys of the rows that have the unique values that an update sets.
    func owners(_ snapshot: DefaultSnapshot) throws -> [(key: Int64, constraint: [Schema.Property])] {
        let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
        var owners: [(key: Int64, constraint: [Schema.Property])] = []
        for constraint in table.entity.uniqueProperties
        where constraint.contains(where: { snapshot.changed.contains($0.slot) }) {
            let conditions = constraint.map { "\(quoted(table.columns[$0.slot].name)) = ?" }
            let statement = try connection.cached(
                "SELECT _rowid_ FROM \(quoted(table.name)) WHERE \(conditions.joined(separator: " AND "))")
            defer { statement.reset() }
            try withUnsafePointer(to: snapshot) { snapshot in
                for (index, property) in constraint.enumerated() {
                    try bind(snapshot, property.slot, table, statement, Int32(index + 1))
                }
            }
            if try statement.step() { owners.append((statement.int64(0), constraint)) }
        }
        return owners
    }

    /// Returns the index of the next parameter.
    private func bind(
        _ snapshot: SnapshotPointer, _ slots: PropertySet, _ table: EntityTable, _ statement: Statement,
        from first: Int32
    ) throws -> Int32 {
        var index = first
        for slot in slots {
            try bind(snapshot, slot, table, statement, index)
            index += 1
        }
        return index
    }
}

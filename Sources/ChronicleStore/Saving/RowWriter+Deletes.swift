import ChronicleCore
import ChronicleSQLite

// Deletes rows.
extension RowWriter {
    /// SQLite cascades at most 1,000 levels deep (https://www.sqlite.org/limits.html#max_trigger_depth). Only rows to which
    /// and from which deletes cascade can form longer chains. The others are deleted in reverse order, which leaves nothing
    /// to cascade to, because a context lists owners before their destinations.
    mutating func deleteRows(_ snapshots: [DefaultSnapshot]) throws {
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
                    for row in rows.pointers.reversed() { try deleteRow(row, table) }
                } else {
                    for row in rows.pointers { try deleteRow(row, table) }
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
                let following = key.addingReportingOverflow(Int64(count))
                guard try !following.overflow && self.key(next, table) == following.partialValue else { break }
                count += 1
            }
            if try count == 1 || !deleteRange(from: key, count: count, table) {
                for row in remaining.prefix(count) { try deleteRow(row, table) }
            }
            remaining = remaining.dropFirst(count)
        }
    }

    mutating func deleteRow(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        let statement = try statements.delete(table)
        let key = try key(snapshot, table)
        try statement.bind(key, at: 1)
        try run(statement, snapshot, table)
        // It is not an error if another writer has already deleted the row.
        if connection.changes == 0, try exists(key, table) { throw ignored(snapshot.pointee, table) }
    }

    /// Returns whether the range no longer contains rows. If not, deleting them one by one determines which row cannot be
    /// deleted, and why.
    func deleteRange(from first: Int64, count: Int, _ table: EntityTable) throws -> Bool {
        let statement = try connection.cached(table.deleteRange)
        try statement.bind(first, at: 1)
        try statement.bind(first + Int64(count - 1), at: 2)
        try recording.beginStatement()
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            recording.discardStatement()
            try requireTransaction(after: error)
            return false
        }
        return connection.changes == count
    }
}

import ChronicleCore

// Determines the keys of new rows.
extension RowWriter {
    /// The keys of permanent identifiers, and, for other rows, those after the highest key that each table ever contained,
    /// which SQLite assigns too.
    mutating func chooseKeys(_ snapshots: [DefaultSnapshot], _ inserts: [Run]) throws {
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

    /// Includes the keys that each table ever contained.
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

    /// The rows of a run share the origin of their identifiers, so the first one decides.
    func isTemporary(_ run: Run, in snapshots: [DefaultSnapshot]) -> Bool {
        snapshots[run.rows.lowerBound].persistentIdentifier.isTemporary
    }

    mutating func replace(_ snapshots: [DefaultSnapshot]) {
        replacements = Dictionary(
            zip(snapshots.lazy.map(\.persistentIdentifier), inserted), uniquingKeysWith: { first, _ in first })
    }
}

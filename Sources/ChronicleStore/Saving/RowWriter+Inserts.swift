import ChronicleCore
import ChronicleSQLite

// Inserts rows.
extension RowWriter {
    mutating func insertSingly(_ snapshots: [DefaultSnapshot], _ run: Run) throws {
        let (rows, table) = run
        if predictsKeys, !table.columns.isEmpty, let key = try reservations.keys(rows.count, in: table, connection) {
            for row in rows {
                inserted.append(table.origin.identifier(key + Int64(row - rows.lowerBound)))
                try insertWithReservedKey(snapshots, row, table)
            }
        } else {
            if !predictsKeys { reservations.remove(table) }
            try snapshots[rows].withUnsafeBufferPointer { try $0.pointers.forEach { try insertRow($0, table) } }
        }
    }

    private func insertWithReservedKey(_ snapshots: [DefaultSnapshot], _ row: Int, _ table: EntityTable) throws {
        do {
            try insertRows(snapshots, (row..<row + 1, table), with: table.insertsWithKeys, bindingKeys: true)
        } catch let error as SwiftDataError where SwiftDataError.uniquenessViolation ~= error {
            // Another program may have moved a row to the key after it removed the triggers.
            if let key = inserted[row].integerPrimaryKey, try exists(key, table) { throw UnexpectedKeys() }
            throw error
        }
    }

    private mutating func insertRow(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        guard let single = table.inserts.last else { return }
        let statement = try connection.cached(single.sql)
        try bind(snapshot, table, statement, from: 1)
        try run(statement, snapshot, table)
        guard connection.changes == 1 else { throw ignored(snapshot.pointee, table) }
        inserted.append(table.origin.identifier(connection.lastInsertRowID))
    }

    func insertRows(
        _ snapshots: [DefaultSnapshot], _ run: Run, with inserts: [(sql: String, rows: Int)], bindingKeys: Bool
    ) throws {
        let (rows, table) = run
        var start = rows.lowerBound
        for (sql, count) in inserts where rows.upperBound - start >= count {
            let statement = try connection.cached(sql)
            while rows.upperBound - start >= count {
                try snapshots[start..<start + count].withUnsafeBufferPointer { snapshots in
                    var index: Int32 = 1
                    for (offset, snapshot) in snapshots.pointers.enumerated() {
                        if bindingKeys {
                            try statement.bind(.reference(inserted[start + offset]), at: index)
                            index += 1
                        }
                        try bind(snapshot, table, statement, from: index)
                        index += Int32(table.columns.count)
                    }
                }
                try self.run(statement, snapshots, start..<start + count, table)
                if connection.changes != count {
                    // Inserting the rows one by one determines which row was ignored.
                    guard bindingKeys else { throw UnexpectedKeys() }
                    throw ignored(snapshots[try missing(start..<start + count, table) ?? start], table)
                }
                start += count
                guard connection.lastInsertRowID == inserted[start - 1].integerPrimaryKey else {
                    throw UnexpectedKeys()
                }
            }
        }
    }

    /// The rows must have predicted keys.
    private func missing(_ rows: Range<Int>, _ table: EntityTable) throws -> Int? {
        try rows.first { row in
            guard let key = inserted[row].integerPrimaryKey else { return true }
            return try !exists(key, table)
        }
    }
}

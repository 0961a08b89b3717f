import ChronicleCore
import ChronicleSQLite

// Writes one row, or several rows of a table.
extension RowWriter {
    /// Inserts a few rows with a statement for each.
    mutating func insertSingly(_ snapshots: [DefaultSnapshot], _ run: Run) throws {
        let (rows, table) = run
        if predictsKeys, !table.columns.isEmpty, let key = try reservations.keys(rows.count, in: table, connection) {
            for row in rows {
                inserted.append(table.origin.identifier(key + Int64(row - rows.lowerBound)))
                try insertWithReservedKey(snapshots, row, table)
            }
        } else {
            if !predictsKeys { reservations.remove(table) }
            try snapshots[rows].withUnsafeBufferPointer { try $0.pointers.forEach { try insert($0, table) } }
        }
    }

    private func insertWithReservedKey(_ snapshots: [DefaultSnapshot], _ row: Int, _ table: EntityTable) throws {
        do {
            try insert(snapshots, (row..<row + 1, table), with: table.insertsWithKeys, bindingKeys: true)
        } catch let error as SwiftDataError where SwiftDataError.uniquenessViolation ~= error {
            // Another program may have moved a row to the key after it removed the triggers.
            if let key = inserted[row].integerPrimaryKey, try exists(key, table) { throw UnexpectedKeys() }
            throw error
        }
    }

    private mutating func insert(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        guard let single = table.inserts.last else { return }
        let statement = try connection.cached(single.sql)
        try bind(snapshot, table, statement, from: 1)
        try run(statement, snapshot, table)
        guard connection.changes == 1 else { throw ignored(snapshot.pointee, table) }
        inserted.append(table.origin.identifier(connection.lastInsertRowID))
    }

    /// Inserts rows with known keys, several rows per statement.
    func insert(
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

    @inline(__always)
    private func bind(
        _ snapshot: SnapshotPointer, _ table: EntityTable, _ statement: Statement, from first: Int32
    ) throws {
        try requireColumns(of: snapshot, table)
        try snapshot.pointee.values.withUnsafeBufferPointer { values in
            var index = first
            for value in values.pointers {
                try bind(value, statement, index)
                index += 1
            }
        }
    }

    mutating func update(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        try requireColumns(of: snapshot, table)
        if comparesUniqueValues, try updateKeepingUniqueValues(snapshot, table) { return }
        let statement = try statements.update(snapshot, table)
        let index = try bind(snapshot, snapshot.pointee.changed, statement, from: 1)
        try statement.bind(key(snapshot, table), at: index)
        recording.willUpdate(table, snapshot.pointee.changed)
        try run(statement, snapshot, table)
        if connection.changes != 1 { try requireValue(of: snapshot, table) }
    }

    /// Updates the other columns of a row if it already has the unique values of the snapshot, as the rows of merged models
    /// do. SQLite does not write the entries of an index again if no column of the index is set.
    ///
    /// - Returns: Whether the row was updated. If not, later updates of the save set their unique values without comparing
    ///   them.
    private mutating func updateKeepingUniqueValues(_ snapshot: SnapshotPointer, _ table: EntityTable) throws -> Bool {
        var (kept, rest) = (PropertySet(), snapshot.pointee.changed)
        for slot in table.comparableUniqueSlots where rest.contains(slot) {
            kept.insert(slot)
            rest.remove(slot)
        }
        guard !kept.isEmpty, !rest.isEmpty, rest.allSatisfy({ $0 < table.columns.count }) else { return false }
        let statement = try statements.update(rest, keeping: kept, table)
        let index = try bind(snapshot, rest, statement, from: 1)
        try statement.bind(key(snapshot, table), at: index)
        _ = try bind(snapshot, kept, statement, from: index + 1)
        // All of them, because the statement does not skip rows that already have the other values.
        recording.willUpdate(table, snapshot.pointee.changed)
        try run(statement, snapshot, table)
        comparesUniqueValues = connection.changes == 1
        return comparesUniqueValues
    }

    /// Changes a unique value of a row to one that no other row has: to NULL if the property is optional, or else to
    /// random bytes, which a column of any type can contain. References are checked when the transaction commits.
    ///
    /// - Returns: Whether the value was changed. A constraint of another program may prevent it.
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

    /// Throws a constraint error after which no other statement of the save may run: `RAISE(ROLLBACK)` in a trigger of
    /// another program ends the transaction. <https://www.sqlite.org/lang_createtrigger.html#raise>
    private func requireTransaction(after error: SQLiteError) throws {
        if !connection.isInTransaction { throw error }
    }

    /// Returns the keys of the rows that have the unique values that an update sets, each with the constraint.
    func owners(_ snapshot: DefaultSnapshot) throws -> [(key: Int64, constraint: [Schema.Property])] {
        let table = try layout.table(named: snapshot.persistentIdentifier.entityName)
        var owners: [(key: Int64, constraint: [Schema.Property])] = []
        for constraint in table.entity.uniqueProperties
        where constraint.contains(where: { snapshot.changed.contains($0.slot) }) {
            let conditions = constraint.map { "\(quoted(table.columns[$0.slot].name)) = ?" }
            let statement = try connection.cached(
                "SELECT _rowid_ FROM \(quoted(table.name)) WHERE \(conditions.joined(separator: " AND "))")
            defer { statement.reset() }
            try snapshot.values.withUnsafeBufferPointer { values in
                for (index, property) in constraint.enumerated() {
                    try bind(values.baseAddress.unsafelyUnwrapped + property.slot, statement, Int32(index + 1))
                }
            }
            if try statement.step() { owners.append((statement.int64(0), constraint)) }
        }
        return owners
    }

    /// Binds the values of some slots, and returns the index of the next parameter.
    private func bind(
        _ snapshot: SnapshotPointer, _ slots: PropertySet, _ statement: Statement, from first: Int32
    ) throws -> Int32 {
        var index = first
        for slot in slots {
            try snapshot.pointee.values.withUnsafeBufferPointer {
                try bind($0.baseAddress.unsafelyUnwrapped + slot, statement, index)
            }
            index += 1
        }
        return index
    }

    /// Throws an error unless the row of an update that did not change it already had the value.
    private func requireValue(of snapshot: SnapshotPointer, _ table: EntityTable) throws {
        let key = try key(snapshot, table)
        guard try exists(key, table) else {
            throw SwiftDataError.modelNotFound.with(
                detail: "another context or program deleted the model; roll back and fetch again",
                entityName: table.entity.name, persistentIdentifier: snapshot.pointee.persistentIdentifier)
        }
        guard let slot = table.comparedSlot(snapshot.pointee.changed) else { throw ignored(snapshot.pointee, table) }
        let query = try connection.cached(
            "SELECT 1 FROM \(quoted(table.name)) WHERE _rowid_ = ? AND \(quoted(table.columns[slot].name)) IS ? COLLATE BINARY"
        )
        defer { query.reset() }
        try query.bind(key, at: 1)
        try snapshot.pointee.values.withUnsafeBufferPointer {
            try bind($0.baseAddress.unsafelyUnwrapped + slot, query, 2)
        }
        if try !query.step() { throw ignored(snapshot.pointee, table) }
    }

    mutating func delete(_ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        let statement = try statements.delete(table)
        let key = try key(snapshot, table)
        try statement.bind(key, at: 1)
        try run(statement, snapshot, table)
        // It is not an error if another writer has already deleted the row.
        if connection.changes == 0, try exists(key, table) { throw ignored(snapshot.pointee, table) }
    }

    /// Deletes all rows of a range of keys with one statement.
    ///
    /// - Returns: Whether the range no longer contains rows. If not, deleting them one by one determines which row
    ///   cannot be deleted, and why.
    func delete(_ keys: Range<Int64>, _ table: EntityTable) throws -> Bool {
        let statement = try connection.cached(table.deleteRange)
        try statement.bind(keys.lowerBound, at: 1)
        try statement.bind(keys.upperBound - 1, at: 2)
        try recording.beginStatement()
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            recording.discardStatement()
            try requireTransaction(after: error)
            return false
        }
        return connection.changes == keys.count
    }

    @inline(__always)
    private func bind(_ value: UnsafePointer<PropertyValue>, _ statement: Statement, _ index: Int32) throws {
        if case .reference(let identifier) = value.pointee, identifier.isTemporary {
            try statement.bind(.reference(replacements[identifier] ?? identifier), at: index)
        } else {
            try statement.bind(value.pointee, at: index)
        }
    }

    private func run(_ statement: Statement, _ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        try recording.beginStatement()
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            // The save may continue with another row.
            recording.discardStatement()
            throw constraintError(error, of: snapshot.pointee, table)
        }
    }

    private func run(
        _ statement: Statement, _ snapshots: [DefaultSnapshot], _ rows: Range<Int>, _ table: EntityTable
    ) throws {
        try recording.beginStatement()
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            // With OR FAIL, SQLite keeps and counts the rows before the one that violated the constraint. It also counts
            // this one if a trigger of another program rejects it after the insert.
            let row = rows.lowerBound + min(connection.changes, rows.count - 1)
            throw constraintError(error, of: snapshots[row], table)
        }
    }

    /// Returns the first row of a range that is not in the table. The rows must have predicted keys.
    private func missing(_ rows: Range<Int>, _ table: EntityTable) throws -> Int? {
        try rows.first { row in
            guard let key = inserted[row].integerPrimaryKey else { return true }
            return try !exists(key, table)
        }
    }

    func exists(_ key: Int64, _ table: EntityTable) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(quoted(table.name)) WHERE _rowid_ = ?") {
            try $0.bind(key, at: 1)
        } != nil
    }

    /// Returns the error for a row that was not written because a trigger of another program called RAISE(IGNORE).
    /// SQLite itself reports no error in this case.
    /// https://www.sqlite.org/lang_createtrigger.html#raise
    private func ignored(_ snapshot: DefaultSnapshot, _ table: EntityTable) -> SwiftDataError {
        .modelValidationFailure.with(
            detail: "a trigger of the table ignored the change; remove the trigger or change the model",
            entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }

    private func constraintError(
        _ error: SQLiteError, of snapshot: DefaultSnapshot, _ table: EntityTable
    ) -> SwiftDataError {
        var converted = SwiftDataError(error, storeIdentifier: nil)
        // The save does not continue with another row outside of its transaction.
        if !connection.isInTransaction, converted == .uniquenessViolation {
            converted = .modelValidationFailure.with(detail: converted.detail, underlying: DatabaseError(error))
        }
        return converted.with(entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }

    func key(_ snapshot: SnapshotPointer, _ table: EntityTable) throws -> Int64 {
        guard let key = snapshot.pointee.persistentIdentifier.integerPrimaryKey,
            snapshot.pointee.persistentIdentifier.storeIdentifier == layout.storeIdentifier
        else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model belongs to another store", entityName: table.entity.name,
                persistentIdentifier: snapshot.pointee.persistentIdentifier)
        }
        return key
    }

    /// Throws an error if a snapshot does not have one value for each column, for example because it was
    /// created with another version of the model.
    @inline(__always)
    func requireColumns(of snapshot: SnapshotPointer, _ table: EntityTable) throws {
        if snapshot.pointee.values.count != table.columns.count { throw wrongCount(snapshot.pointee, table) }
    }

    private func wrongCount(_ snapshot: DefaultSnapshot, _ table: EntityTable) -> SwiftDataError {
        .modelValidationFailure.with(
            detail:
                "the snapshot has \(snapshot.values.count) values, but the table has \(table.columns.count) columns",
            entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }
}

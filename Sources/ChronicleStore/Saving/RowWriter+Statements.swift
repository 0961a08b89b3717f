import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// Runs the statements of rows, and reports why a row could not be written.
extension RowWriter {
    @inline(__always)
    func bind(
        _ snapshot: SnapshotPointer, _ table: EntityTable, _ statement: Statement, from first: Int32
    ) throws {
        try requireColumns(of: snapshot, table)
        try snapshot.pointee.values.withUnsafeBufferPointer { values in
            var (slot, index) = (0, first)
            for value in values.pointers {
                try bind(value, snapshot, slot, table, statement, index)
                slot += 1
                index += 1
            }
        }
    }

    @inline(__always)
    func bind(
        _ snapshot: SnapshotPointer, _ slot: Int, _ table: EntityTable, _ statement: Statement, _ index: Int32
    ) throws {
        try snapshot.pointee.values.withUnsafeBufferPointer {
            try bind($0.baseAddress.unsafelyUnwrapped + slot, snapshot, slot, table, statement, index)
        }
    }

    @inline(__always)
    private func bind(
        _ value: UnsafePointer<PropertyValue>, _ snapshot: SnapshotPointer, _ slot: Int, _ table: EntityTable,
        _ statement: Statement, _ index: Int32
    ) throws {
        if case .reference(let identifier) = value.pointee {
            try statement.bind(referencedKey(identifier, snapshot, slot, table), at: index)
        } else {
            try statement.bind(value.pointee, at: index)
        }
    }

    private func referencedKey(
        _ identifier: PersistentIdentifier, _ snapshot: SnapshotPointer, _ slot: Int, _ table: EntityTable
    ) throws -> Int64 {
        let column = table.columns[slot]
        let entityName = column.destination?.rootEntityName ?? identifier.rootEntityName
        guard let key = key(of: identifier, entityName) else {
            throw SwiftDataError.unresolvedReference(
                entityName: table.entity.name, propertyName: column.name,
                persistentIdentifier: snapshot.pointee.persistentIdentifier)
        }
        return key
    }

    /// `nil` if the store has no row for the model.
    func key(of identifier: PersistentIdentifier, _ rootEntityName: String) -> Int64? {
        let permanent = identifier.isTemporary ? replacements[identifier] ?? identifier : identifier
        return permanent.key(in: layout.storeIdentifier, rootEntityName)
    }

    func run(_ statement: Statement, _ snapshot: SnapshotPointer, _ table: EntityTable) throws {
        try recording.beginStatement()
        do { try statement.run() } catch let error as SQLiteError where error.isConstraint {
            // The save may continue with another row.
            recording.discardStatement()
            throw constraintError(error, of: snapshot.pointee, table)
        }
    }

    func run(
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

    /// No other statement of the save may run after `RAISE(ROLLBACK)` in a trigger of another program, which ends the
    /// transaction. <https://www.sqlite.org/lang_createtrigger.html#raise>
    func requireTransaction(after error: SQLiteError) throws {
        if !connection.isInTransaction { throw error }
    }

    func exists(_ key: Int64, _ table: EntityTable) throws -> Bool {
        try connection.scalarInt64(table.exists) { try $0.bind(key, at: 1) } != nil
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

    /// A snapshot of another version of the model may not have one value for each column.
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

    /// Returns the error for a row that was not written because a trigger of another program called RAISE(IGNORE), which
    /// SQLite does not report. https://www.sqlite.org/lang_createtrigger.html#raise
    func ignored(_ snapshot: DefaultSnapshot, _ table: EntityTable) -> SwiftDataError {
        .modelValidationFailure.with(
            detail: "a trigger of the table ignored the change; remove the trigger or change the model",
            entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }

    func constraintError(
        _ error: SQLiteError, of snapshot: DefaultSnapshot, _ table: EntityTable
    ) -> SwiftDataError {
        var converted = SwiftDataError(error, storeIdentifier: nil)
        // The save does not continue with another row outside of its transaction.
        if !connection.isInTransaction, converted == .uniquenessViolation {
            converted = .modelValidationFailure.with(detail: converted.detail, underlying: DatabaseError(error))
        }
        return converted.with(entityName: table.entity.name, persistentIdentifier: snapshot.persistentIdentifier)
    }
}

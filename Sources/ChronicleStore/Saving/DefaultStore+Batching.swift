public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Synchronization

extension DefaultStore: DataStoreBatching {
    /// Deletes the rows that match a request with one statement, without loading them. Foreign keys apply the delete rules,
    /// and triggers record the changes.
    ///
    /// - Throws: The errors of the protocol's requirement and
    ///   - ``DataStoreError/preferInMemoryFilter`` if a delete cascades or is denied through a relationship without a
    ///     foreign key, or cascades deeper than SQLite supports. Contexts handle this error.
    ///   - ``SwiftDataError/deleteDenied`` if a required reference to a row exists. Delete the referencing models first.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    /// - Complexity: Proportional to the visited rows and the deleted rows.
    public func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        try requireModelWriteAccess()
        let query = try FetchSQL(
            FetchDescriptor(predicate: request.predicate), includeSubclasses: request.includeSubclasses,
            schema: schema, storeIdentifier: identifier
        ).delete
        let entity = try layout.table(for: Model.self).entity
        // Link tables have a trigger.
        let cascade = DeleteCascade(from: entity, schema, linksCascade: true)
        guard cascade.isByDatabase else { throw DataStoreError.preferInMemoryFilter }
        defer { startMaintenance() }
        try attributingErrors {
            try database.write { connection in
                do { try delete(query, request.editingState, connection) } catch let error as SQLiteError
                    where cascade.isRecursive && error.isGenericError
                {
                    // The cascade is deeper than SQLite supports, or the context will encounter the same error.
                    // https://www.sqlite.org/limits.html#max_trigger_depth
                    throw DataStoreError.preferInMemoryFilter
                }
            }
        }
    }

    private func delete(_ query: SQLQuery, _ state: EditingState, _ connection: Connection) throws {
        let header = try connection.immediate(mapError: { referenceError(from: $0, on: connection, deleted: nil) }) {
            let recording = try recorder.begin(connection)
            try connection.cached(query).run()
            return try recording.writeHeader(state, isChange: false)
        }
        recorder.didCommit(header, connection)
    }
}

extension DefaultStore {
    /// Changes the rows that match a request with one statement, without loading them.
    ///
    /// - Throws: The errors of the protocol's requirement and
    ///   - ``DataStoreError/preferInMemoryFilter`` if an expression has no SQL equivalent or reads another row, or unique
    ///     values conflict. Contexts handle this error.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    /// - Complexity: Proportional to the visited rows and the updated rows. If the rows exchange unique values, each of
    ///   them is updated by a separate statement, and the new values of all are in memory.
    public func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>) throws -> Int {
        try requireModelWriteAccess()
        let table = try layout.table(for: Model.self)
        let values: [DataStoreBatchValue]
        do { values = try request.values(in: schema) } catch let error as SwiftDataError
            where SwiftDataError.unsupportedPredicate ~= error
        {
            throw DataStoreError.preferInMemoryFilter
        }
        let rows = try FetchSQL(
            FetchDescriptor(predicate: request.predicate), schema: schema, storeIdentifier: identifier)
        let query = try rows.update(values)
        var slots = PropertySet()
        for value in values { slots.insert(value.property.slot) }
        defer { startMaintenance() }
        return try attributingErrors {
            try database.write { connection in
                do {
                    do {
                        return try update(query, table, slots, request.editingState, connection)
                    } catch let error as SQLiteError where error.isUniqueConstraint {
                        let (query, unchanged) = try rows.newValues(values)
                        return try exchange(
                            query, (values.map(\.property) + unchanged).map(\.slot), changed: slots, table,
                            request.editingState, connection)
                    }
                } catch SwiftDataError.uniquenessViolation {
                    throw DataStoreError.preferInMemoryFilter
                } catch let error as SQLiteError where error.isGenericError {
                    guard let name = PredicateFunctions.propertyOutOfRange(error.message) else { throw error }
                    throw SwiftDataError.valueOutOfRange.with(
                        detail: "the new value of a row cannot be calculated; exclude the row with the predicate",
                        entityName: table.entity.name, propertyName: name)
                }
            }
        }
    }

    private func update(
        _ query: SQLQuery, _ table: EntityTable, _ slots: PropertySet, _ state: EditingState, _ connection: Connection
    ) throws -> Int {
        let (count, header) = try recorder.transaction {
            try connection.immediate {
                let recording = try recorder.begin(updating: table, slots, connection)
                defer { recording.end() }
                let statement = try connection.cached(query)
                try recording.beginStatement()
                try statement.run()
                let count = connection.changes
                return (count, try recording.writeHeader(state, isChange: false))
            }
        }
        recorder.didCommit(header, connection)
        return count
    }

    /// Updates rows one by one in a transaction, because unique values of some are needed by others. Throws
    /// ``SwiftDataError/uniquenessViolation`` if another row has one of the values, or if two get the same.
    private func exchange(
        _ query: SQLQuery, _ slots: [Int], changed: PropertySet, _ table: EntityTable, _ state: EditingState,
        _ connection: Connection
    ) throws -> Int {
        let (count, header) = try connection.immediate {
            // The changes of a row that is updated twice are merged, which needs them in the file.
            let recording = try recorder.begin(connection)
            let rows = try newRows(query, slots, changed, table, connection)
            var writer = RowWriter(connection, layout, recording, predictsKeys: true)
            try writer.write(
                DataStoreSaveChangesRequest(editingState: state, inserted: [], updated: rows, deleted: []))
            return (rows.count, try recording.writeHeader(state, isChange: false))
        }
        recorder.didCommit(header, connection)
        return count
    }

    private func newRows(
        _ query: SQLQuery, _ slots: [Int], _ changed: PropertySet, _ table: EntityTable, _ connection: Connection
    ) throws -> [DefaultSnapshot] {
        let statement = try connection.cached(query)
        defer { statement.reset() }
        var rows: [DefaultSnapshot] = []
        while try statement.step() {
            var values = [PropertyValue](repeating: .null, count: table.columns.count)
            for (index, slot) in slots.enumerated() {
                values[slot] = statement.value(Int32(index + 1), slot, of: table)
            }
            rows.append(
                DefaultSnapshot(
                    persistentIdentifier: table.origin.identifier(statement.int64(0)), values: values,
                    changed: changed))
        }
        return rows
    }
}

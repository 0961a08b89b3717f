public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    /// Saves the changes of a context in one transaction, with the history and its header.
    ///
    /// Inserted snapshots with permanent identifiers of this store become rows with these keys. If another writer changed
    /// the other side of a one-to-one relationship since the context read it, the save also updates that side.
    ///
    /// - Throws: One of the following errors. Nothing was saved in that case.
    ///   - ``SwiftDataError/uniquenessViolation`` if another model has the same unique value, or the same permanent
    ///     identifier as an inserted one. Change the value and save again.
    ///   - ``SwiftDataError/modelNotFound`` if an updated model was deleted. Roll back or insert it again.
    ///   - ``SwiftDataError/modelValidationFailure`` if a relationship references a deleted model, or if a model would lose
    ///     the destination of a required one-to-one relationship. Assign another model and save again.
    ///   - ``SwiftDataError/deleteDenied`` if a required reference to a deleted model exists. Delete the referencing model
    ///     first.
    ///   - ``SwiftDataError/historyConsumerEvicted``, or another error of ``HistoryAcknowledgement/apply(to:)``, if the
    ///     request contains an acknowledgement. Request the next batch.
    ///   - ``SwiftDataError/historyReplayConflict`` if the request replays a transaction of another store, and this store
    ///     has other changes of the same models. Undo them.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and save again.
    /// - Complexity: Proportional to the number of changed rows.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try requireModelWriteAccess()
        defer { startMaintenance() }
        return try attributingErrors {
            try database.write { connection in
                let written = try write(request, connection)
                keyReservations.withLock { $0 = written.reservations }
                recorder.didCommit(written.header, connection)
                return DataStoreSaveChangesResult(
                    for: identifier, inserted: request.inserted, insertedIdentifiers: written.inserted,
                    snapshotsToReregister: written.reconciled,
                    historyToken: written.header.map { $0.token(storeIdentifier: identifier) },
                    mayHaveOtherChanges: written.mayHaveOtherChanges)
            }
        }
    }

    private final class Written {
        let inserted: [PersistentIdentifier]
        let reconciled: [PersistentIdentifier: DefaultSnapshot]
        let reservations: KeyReservations
        let header: HeaderWriter.Header?
        /// Whether triggers of other programs or delete rules may have changed further rows.
        let mayHaveOtherChanges: Bool

        init(_ rows: RowWriter, _ header: HeaderWriter.Header?, mayHaveOtherChanges: Bool) {
            self.mayHaveOtherChanges = mayHaveOtherChanges
            inserted = rows.inserted
            reconciled = rows.reconciledRows
            reservations = rows.reservations
            self.header = header
        }
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
    ) throws -> Written {
        var predictsKeys = true
        return try recorder.transaction {
            do {
                return try write(request, connection, predictsKeys: predictsKeys)
            } catch is RowWriter.UnexpectedKeys {
                predictsKeys = false
                return try write(request, connection, predictsKeys: false)
            }
        }
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection, predictsKeys: Bool
    ) throws -> Written {
        try connection.immediate(mapError: { referenceError(from: $0, on: connection, deleted: request.deleted) }) {
            if let acknowledgement = request.acknowledgement { try apply(acknowledgement, connection) }
            if let replay = request.replay { try apply(replay, connection) }
            let recording = try recorder.begin(request, connection)
            defer { recording.end() }
            var rows = RowWriter(connection, layout, recording, predictsKeys: predictsKeys)
            if let first = recording.firstChange, recording.continuesLatestTransaction {
                rows.reservations = keyReservations.withLock { $0.take(at: first) }
            }
            do {
                try rows.write(request)
                // Every insert is a change; an update or a delete may have no effect.
                let isChange = !request.inserted.isEmpty
                let header = try recording.writeHeader(request.editingState, isChange: isChange)
                if let first = recording.firstChange, request.replay != nil {
                    try requireListedDeletes(request, from: first, connection)
                }
                if let header { rows.reservations.end(at: header.position) }
                // Other triggers run only if those that record the changes do.
                let ranOtherTriggers = try header != nil && recording.runsTriggers && connection.hasOtherTriggers()
                // Deletes may have changed rows that others have inserted or connected since the context planned them.
                return Written(rows, header, mayHaveOtherChanges: ranOtherTriggers || !request.deleted.isEmpty)
            } catch {
                keyReservations.withLock { $0 = rows.reservations.rolledBack() }
                throw error
            }
        }
    }
}

extension Connection {
    fileprivate func hasOtherTriggers() throws -> Bool {
        let statement = try cached(
            """
            SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name NOT GLOB '\(RecorderSQL.prefix)*' UNION ALL \
            SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' LIMIT 1
            """)
        defer { statement.reset() }
        return try statement.step()
    }
}

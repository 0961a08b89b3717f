public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    /// Saves the changes of a context in one transaction, with the history and its header.
    ///
    /// - Parameter request: The inserted, updated, and deleted snapshots, and the added and removed links.
    /// - Returns: The permanent identifiers of the inserted models and the token of the transaction.
    /// - Throws: One of the following errors. Nothing was saved in that case.
    ///   - ``SwiftDataError/uniquenessViolation`` if another model has the same unique value. Change the value and save
    ///     again.
    ///   - ``SwiftDataError/modelNotFound`` if an updated model was deleted by another context. Roll back or insert it
    ///     again.
    ///   - ``SwiftDataError/modelValidationFailure`` if a relationship references a deleted model. Assign another model
    ///     and save again.
    ///   - ``SwiftDataError/deleteDenied`` if a required reference to a deleted model exists. Delete the referencing
    ///     model first.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving. Change the configuration.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and save again.
    /// - Complexity: Proportional to the number of changed rows.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeReadOnly.with(storeIdentifier: identifier)
        }
        return try attributingErrors {
            try database.write { connection in
                let written: (inserted: [PersistentIdentifier], header: HeaderWriter.Header?)
                do {
                    written = try write(request, connection, insertsTogether: true)
                } catch is RowWriter.KeysDiffer {
                    written = try write(request, connection, insertsTogether: false)
                }
                // After the transaction, because a failed transaction also rolls back its new source.
                if let header = written.header { sources.withLock { $0[header.source] = header.sourceNumber } }
                return DataStoreSaveChangesResult(
                    for: identifier, inserted: request.inserted, insertedIdentifiers: written.inserted,
                    historyToken: written.header.map { $0.token(storeIdentifier: identifier) })
            }
        }
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection, insertsTogether: Bool
    ) throws -> (inserted: [PersistentIdentifier], header: HeaderWriter.Header?) {
        try connection.immediate(mapError: { referenceError(from: $0, on: connection, deleted: request.deleted) }) {
            let headers = HeaderWriter(self, connection)
            let first = try configuration.recordsHistory ? headers.sealExternalChanges() : nil
            var rows = RowWriter(
                connection, layout, insertsTogether: insertsTogether, firstChange: first)
            try rows.write(request)
            // Every insert is a change; an update or a delete may have no effect.
            let isChange = !request.inserted.isEmpty
            let header = try first.flatMap { try headers.write(request.editingState, from: $0, isChange: isChange) }
            return (rows.inserted, header)
        }
    }
}

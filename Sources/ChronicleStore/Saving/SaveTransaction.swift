public import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

extension DefaultStore {
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeReadOnly.with(storeIdentifier: identifier)
        }
        return try translating {
            try database.write { connection in
                let written: (inserted: [PersistentIdentifier], header: HeaderWriter.Header?)
                do {
                    written = try write(request, connection, insertsTogether: true)
                } catch is RowWriter.KeysDiffer {
                    written = try write(request, connection, insertsTogether: false)
                }
                // Only now: a transaction that failed took its new source back.
                if let header = written.header { sources.withLock { $0[header.source] = header.sourceNumber } }
                return DataStoreSaveChangesResult(
                    inserted: request.inserted, insertedIdentifiers: written.inserted,
                    historyToken: written.header.map { $0.token(storeIdentifier: identifier) })
            }
        }
    }

    private func write(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection, insertsTogether: Bool
    ) throws -> (inserted: [PersistentIdentifier], header: HeaderWriter.Header?) {
        try connection.immediate(explaining: { referenceError(from: $0, on: connection, deleted: request.deleted) }) {
            let headers = HeaderWriter(self, connection)
            let first = try configuration.recordsHistory ? headers.sealForeignChanges() : nil
            var rows = RowWriter(
                connection, layout, insertsTogether: insertsTogether, firstChange: first)
            try rows.write(request)
            // An insert is a change whatever its values are; an update or delete may turn out not to be one.
            let isChange = !request.inserted.isEmpty
            let header = try first.flatMap { try headers.write(request.editingState, from: $0, isChange: isChange) }
            return (rows.inserted, header)
        }
    }
}

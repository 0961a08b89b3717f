import Chronicle
import Foundation
import Synchronization

/// Readings of instruments: they are added, and neither changed nor deleted. The rows are the history, and nothing else
/// is stored for it.
final class SeriesStore: DataStore, HistoryProviding {
    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = DefaultHistoryTransaction

    struct Configuration: DataStoreConfiguration {
        typealias Store = SeriesStore
        var name = "series"
        var schema: Schema?
    }

    /// The rows of one save.
    private struct Batch: Sendable {
        let firstKey: Int64
        let rows: [DefaultSnapshot]
        let saver: EditingState
        let timestamp: Date
    }

    let configuration: Configuration
    let schema: Schema
    let identifier = UUID().uuidString
    private let batches = Mutex<[Batch]>([])

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        self.schema = schema
    }

    // MARK: Models

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let rows = batches.withLock { $0 }.lazy.flatMap(\.rows).filter {
            $0.persistentIdentifier.entityName == Model.entityName
        }
        let page = rows.dropFirst(max(descriptor.fetchOffset ?? 0, 0)).prefix(max(descriptor.fetchLimit ?? .max, 0))
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(page))
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        guard request.updated.isEmpty, request.deleted.isEmpty else {
            throw DataStoreError.unsupportedFeature.with(detail: "changing or deleting what was saved")
        }
        return batches.withLock { batches in
            // One number for all entities: it is the row's key, and its position in the history.
            let firstKey = batches.last.map { $0.firstKey + Int64($0.rows.count) } ?? 1
            var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
            for (index, snapshot) in request.inserted.enumerated() {
                let origin = PersistentIdentifier.Origin(
                    storeIdentifier: identifier, entityName: snapshot.persistentIdentifier.entityName)
                permanent[snapshot.persistentIdentifier] = origin.identifier(firstKey + Int64(index))
            }
            let rows = request.inserted.map { snapshot in
                let row = snapshot.copy(
                    persistentIdentifier: permanent[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier,
                    remappedIdentifiers: permanent)
                return DefaultSnapshot(
                    persistentIdentifier: row.persistentIdentifier, values: row.values, changed: PropertySet())
            }
            batches.append(Batch(firstKey: firstKey, rows: rows, saver: request.editingState, timestamp: .now))
            return DataStoreSaveChangesResult(
                for: identifier, remappedIdentifiers: permanent, historyToken: token(firstKey + Int64(rows.count) - 1))
        }
    }

    // MARK: History

    func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]
    {
        let batches = batches.withLock { $0 }
        let newest = batches.last.map { $0.firstKey + Int64($0.rows.count) - 1 } ?? 0
        // Nothing is ever deleted, so tokens do not expire.
        for bound in try HistoryTokenBounds(descriptor).lower {
            guard let position = bound.token.position(in: identifier) else {
                throw SwiftDataError.historyTokenStoreMismatch
            }
            guard position <= newest else { throw SwiftDataError.historyTokenAhead }
        }
        return try descriptor.apply(to: batches.map(transaction))
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        throw DataStoreError.unsupportedFeature.with(detail: "deleting the history, which is the rows")
    }

    func currentHistoryToken() throws -> DefaultHistoryToken? {
        token(batches.withLock { $0.last.map { $0.firstKey + Int64($0.rows.count) - 1 } ?? 0 })
    }

    private func token(_ position: Int64) -> DefaultHistoryToken {
        DefaultHistoryToken(storeIdentifier: identifier, position: position)
    }

    /// The position after a transaction is the key of its last row.
    private func transaction(_ batch: Batch) -> DefaultHistoryTransaction {
        let last = batch.firstKey + Int64(batch.rows.count) - 1
        return DefaultHistoryTransaction(
            transactionIdentifier: last, storeIdentifier: identifier, token: token(last), timestamp: batch.timestamp,
            author: batch.saver.author, contextName: batch.saver.contextName, bundleIdentifier: "series",
            processIdentifier: String(ProcessInfo.processInfo.processIdentifier), metadata: batch.saver.metadata,
            changes: batch.rows.enumerated().map { index, row in
                .insert(
                    of: row.persistentIdentifier, changeIdentifier: batch.firstKey + Int64(index),
                    transactionIdentifier: last, schema: schema)
            })
    }
}

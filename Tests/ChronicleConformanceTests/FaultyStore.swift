import Chronicle
import Foundation
import Synchronization

@testable import ExampleStore

/// A correct store with at most one fault.
final class FaultyStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = FaultyStore

        let name = "faulty"
        var schema: Schema?
        var memory = Memory()
        let fault: Fault?
    }

    static var capabilities: DataStoreCapabilities { .excludedIdentifiers }

    let configuration: Configuration
    let schema: Schema
    let base: MemoryStore
    let saves = Atomic(0)
    /// Whether a row count was requested.
    let hasCountedOne = Atomic(false)
    let known: Mutex<Known>
    /// Called once, when consumers were read.
    let didReadConsumers = Mutex<(@Sendable () -> Void)?>(nil)

    /// What this store has read and saved itself, for faults that ignore other writers.
    struct Known {
        var keys: [String: Int64]
        var positions = Set<Int64>()
        /// Whether this store deleted history.
        var deletes = false
        /// The erased attributes with the positions up to which they are erased.
        var erased: [String: Int64] = [:]
    }

    var identifier: String { base.identifier }
    var memory: Memory { configuration.memory }
    var fault: Fault? { configuration.fault }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        self.schema = schema
        base = try MemoryStore(MemoryStoreConfiguration(memory: configuration.memory), schema: schema)
        if configuration.fault == .forgetsModels {
            try configuration.memory.change { $0.tables = $0.tables.mapValues { $0.emptied } }
        }
        if configuration.fault == .forgetsHistory { try configuration.memory.change { $0.history = MemoryHistory() } }
        if configuration.fault == .forgetsConsumers { try configuration.memory.change { $0.consumers = [:] } }
        known = Mutex(Known(keys: configuration.memory.contents.tables.mapValues(\.lastKey)))
    }

    // MARK: Fetching

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        if let found = try misread(request) ?? missorted(request) { return found }
        var descriptor = request.descriptor
        if !request.excludedIdentifiers.isEmpty, fault != .findsExcludedRows {
            (descriptor.fetchOffset, descriptor.fetchLimit) = (nil, nil)
            let all = try base.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: request.editingState))
            let rows = all.fetchedSnapshots.filter { !request.excludedIdentifiers.contains($0.persistentIdentifier) }
            let (offset, limit) = (request.descriptor.fetchOffset ?? 0, request.descriptor.fetchLimit ?? .max)
            return DataStoreFetchResult(
                descriptor: request.descriptor, fetchedSnapshots: Array(rows.dropFirst(offset).prefix(limit)))
        }
        switch fault {
        case .ignoresSorts where descriptor.predicate == nil: descriptor.sortBy = []
        case .ignoresOffsets where descriptor.predicate == nil: descriptor.fetchOffset = nil
        default: break
        }
        let found = try base.fetch(
            DataStoreFetchRequest(
                descriptor: descriptor, editingState: request.editingState, lookup: request.lookup))
        var rows = found.fetchedSnapshots
        if fault == .losesSignOfZero {
            rows = rows.map { row in row.with(row.values.map { $0 == .real(-0.0) ? .real(0) : $0 }) }
        }
        if fault == .ignoresOtherStores {
            rows = rows.filter { $0.key <= known.withLock(\.keys)[Model.entityName] ?? 0 }
        }
        if fault == .shufflesRows, descriptor.predicate == nil, request.lookup == nil { rows.shuffle() }
        if fault == .looksUpOneRow, request.lookup != nil { rows = Array(rows.prefix(1)) }
        if case .values(let properties, _)? = request.lookup,
            fault == (properties.count > 1 ? .losesCompoundRows : .losesUniqueRows)
        {
            rows = []
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: rows)
    }

    func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        let rows =
            try request.excludedIdentifiers.isEmpty ? base.fetchCount(request) : fetch(request).fetchedSnapshots.count
        let count = rows + (fault == .countsWrongly ? 1 : 0)
        if count == 1 { hasCountedOne.store(true, ordering: .releasing) }
        return count
    }

    /// Returns whether this store saved a transaction.
    func isOwn(_ transaction: DefaultHistoryTransaction) -> Bool {
        known.withLock { $0.positions.contains(transaction.transactionIdentifier) }
    }
}

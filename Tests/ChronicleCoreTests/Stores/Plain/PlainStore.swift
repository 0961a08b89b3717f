import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization

/// A store with only the declarations of SwiftData: it keeps whole snapshots in memory, and returns those of one class.
final class PlainStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    struct Configuration: DataStoreConfiguration {
        typealias Store = PlainStore
        var name = "plain"
        var schema: Schema?
        let memory: Memory

        init(_ memory: Memory) { self.memory = memory }
    }

    /// The content, which several containers may share.
    final class Memory: IdentityHashable, Sendable {
        struct Content: Sendable {
            var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
            /// The error of the next save, which changes nothing.
            var failure: SwiftDataError?
            /// The numbers of inserted, updated and deleted rows of each save.
            var saves: [[Int]] = []
            /// Changes a row before it is kept.
            var changeRow: @Sendable (DefaultSnapshot) -> DefaultSnapshot = { $0 }
        }

        private let content = Mutex(Content())

        init() {}

        var now: Content { content.withLock { $0 } }

        func change<Result: Sendable>(_ body: (inout Content) throws -> Result) rethrows -> Result {
            try content.withLock { try body(&$0) }
        }
    }

    let configuration: Configuration
    let schema: Schema
    let identifier = "plain"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        schema = try configuration.validatedSchema()
        self.configuration = configuration
    }

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let name = Schema.entityName(for: Model.self)
        let rows = configuration.memory.now.rows.values.filter { $0.persistentIdentifier.entityName == name }
            .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
            .dropFirst(request.descriptor.fetchOffset ?? 0).prefix(request.descriptor.fetchLimit ?? .max)
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(rows))
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try configuration.memory.change { content in
            if let failure = content.failure {
                content.failure = nil
                throw failure
            }
            var rows = content.rows
            var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
            for snapshot in request.inserted {
                let temporary = snapshot.persistentIdentifier
                remapped[temporary] = try .identifier(
                    for: identifier, entityName: temporary.entityName, primaryKey: UUID().uuidString)
            }
            for snapshot in request.inserted {
                let identifier = remapped[snapshot.persistentIdentifier]!
                rows[identifier] = content.changeRow(
                    snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
            }
            for snapshot in request.updated {
                let identifier = snapshot.persistentIdentifier
                guard rows[identifier] != nil else { throw SwiftDataError.modelNotFound }
                rows[identifier] = content.changeRow(
                    snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
            }
            for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
            content.rows = rows
            content.saves.append([request.inserted.count, request.updated.count, request.deleted.count])
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
        }
    }
}

extension PlainStore.Configuration {
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name && lhs.memory === rhs.memory }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

import Chronicle
import Foundation
import Synchronization

/// A store whose answers a test writes, with nothing but what `import Chronicle` gives to every author.
final class ScriptedStore: DataStore {
    typealias Snapshot = DefaultSnapshot
    typealias SaveRequest = DataStoreSaveChangesRequest<DefaultSnapshot>
    typealias SaveResult = DataStoreSaveChangesResult<DefaultSnapshot>

    struct Configuration: DataStoreConfiguration {
        typealias Store = ScriptedStore

        let name = "scripted"
        var schema: Schema?
        let script: Script
    }

    /// What the store has and how it answers; a test changes it as it goes on.
    final class Script: IdentityHashable, Sendable {
        struct State: Sendable {
            var rows: [DefaultSnapshot] = []
            var prefersFilter = false
            var prefersSort = false
            /// What every call fails with.
            var failure: (any Error)?
            var transactions: [DefaultHistoryTransaction] = []
            /// Makes the answer to a save of what an honest store would answer.
            var save: @Sendable (SaveRequest, SaveResult) -> SaveResult = { $1 }
            /// The fetches that the store answered or refused.
            var fetches: [String] = []
        }

        private let state = Mutex(State())
        var now: State { state.withLock { $0 } }

        func change<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
            try state.withLock { try body(&$0) }
        }
    }

    let configuration: Configuration
    let schema: Schema
    let identifier = "scripted-store"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        if let failure = configuration.script.now.failure { throw failure }
        self.configuration = configuration
        self.schema = schema
    }

    static func origin(_ entityName: String) -> PersistentIdentifier.Origin {
        PersistentIdentifier.Origin(storeIdentifier: "scripted-store", entityName: entityName)
    }

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        let (predicate, sort) = (descriptor.predicate != nil, !descriptor.sortBy.isEmpty)
        return try configuration.script.change { script in
            script.fetches.append(
                [predicate ? "filter" : nil, sort ? "sort" : nil, descriptor.fetchLimit.map { "limit \($0)" }]
                    .compactMap { $0 }.joined(separator: " "))
            if let failure = script.failure { throw failure }
            if predicate, script.prefersFilter { throw DataStoreError.preferInMemoryFilter }
            if sort, script.prefersSort { throw DataStoreError.preferInMemorySort }
            return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: script.rows)
        }
    }

    func save(_ request: SaveRequest) throws -> SaveResult {
        try configuration.script.change { script in
            if let failure = script.failure { throw failure }
            var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
            for snapshot in request.inserted {
                let identifier = Self.origin(snapshot.persistentIdentifier.entityName)
                    .identifier(Int64(script.rows.count + 1))
                remapped[snapshot.persistentIdentifier] = identifier
                script.rows.append(snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
            }
            for snapshot in request.updated {
                script.rows.removeAll { $0.persistentIdentifier == snapshot.persistentIdentifier }
                script.rows.append(snapshot)
            }
            return script.save(request, SaveResult(for: identifier, remappedIdentifiers: remapped))
        }
    }
}

/// A container with a scripted store, mostly for one class of models.
struct ScriptedContainer {
    let script = ScriptedStore.Script()
    let container: ModelContainer
    let context: ModelContext

    init(_ type: any PersistentModel.Type = Hotel.self) throws {
        container = try ModelContainer(for: type, configurations: ScriptedStore.Configuration(script: script))
        context = ModelContext(container)
    }

    @discardableResult
    func add(_ hotels: (String, Int)...) throws -> [Hotel] {
        let models = hotels.map { Hotel($0.0, stars: $0.1) }
        for model in models { context.insert(model) }
        try context.save()
        return models
    }
}

final class Hotel: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var stars: Int
    @Attribute(.preserveValueOnDeletion) var opened: Date?

    static let properties: PropertyMap<Hotel> = ["name": \.name, "stars": \.stars, "opened": \.opened]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(_ name: String, stars: Int) {
        persistentBackingData = BackingData()
        self.name = name
        self.stars = stars
    }
}

/// Snapshots by their identifiers, as the result of a save has them.
func keyed(_ snapshots: [DefaultSnapshot]) -> [PersistentIdentifier: DefaultSnapshot] {
    Dictionary(snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
}

package import Chronicle
package import Foundation
import Synchronization

/// A store whose responses a test provides, implemented with only `import Chronicle`.
package final class ScriptedStore: DataStore {
    package typealias Snapshot = DefaultSnapshot
    package typealias SaveRequest = DataStoreSaveChangesRequest<DefaultSnapshot>
    package typealias SaveResult = DataStoreSaveChangesResult<DefaultSnapshot>

    package struct Configuration: DataStoreConfiguration {
        package typealias Store = ScriptedStore

        package let name = "scripted"
        package var schema: Schema?
        package let script: Script

        package init(schema: Schema? = nil, script: Script) {
            self.schema = schema
            self.script = script
        }
    }

    /// The content and responses of the store, which a test may change at any time.
    package final class Script: IdentityHashable, Sendable {
        package struct State: Sendable {
            package var rows: [DefaultSnapshot] = []
            package var prefersFilter = false
            package var prefersSort = false
            /// The error that every call throws.
            package var failure: (any Error)?
            package var transactions: [DefaultHistoryTransaction] = []
            /// Creates the response to a save from the response of a correct store.
            package var save: @Sendable (SaveRequest, SaveResult) -> SaveResult = { $1 }
            /// The fetches that the store performed or rejected.
            package var fetches: [String] = []
        }

        private let state = Mutex(State())

        package init() {}

        package var now: State { state.withLock { $0 } }

        package func change<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
            try state.withLock { try body(&$0) }
        }
    }

    package let configuration: Configuration
    package let schema: Schema
    package let identifier = "scripted-store"
    package let migrationPlan: (any SchemaMigrationPlan.Type)?

    package init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        if let failure = configuration.script.now.failure { throw failure }
        self.configuration = configuration
        self.schema = schema
        self.migrationPlan = migrationPlan
    }

    package static func origin(_ entityName: String) -> PersistentIdentifier.Origin {
        PersistentIdentifier.Origin(storeIdentifier: "scripted-store", entityName: entityName)
    }

    package func fetch<Model>(
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

    package func save(_ request: SaveRequest) throws -> SaveResult {
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

/// A container with a scripted store, usually for one model class.
package struct ScriptedContainer {
    package let script = ScriptedStore.Script()
    package let container: ModelContainer
    package let context: ModelContext

    package init(_ type: any PersistentModel.Type = Hotel.self) throws {
        container = try ModelContainer(for: type, configurations: ScriptedStore.Configuration(script: script))
        context = ModelContext(container)
    }

    @discardableResult
    package func add(_ hotels: (String, Int)...) throws -> [Hotel] {
        let models = hotels.map { Hotel($0.0, stars: $0.1) }
        for model in models { context.insert(model) }
        try context.save()
        return models
    }
}

package final class Hotel: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String
    @Attribute package var stars: Int
    @Attribute(.preserveValueOnDeletion) package var opened: Date?

    package static let properties: PropertyMap<Hotel> = ["name": \.name, "stars": \.stars, "opened": \.opened]
    package let persistentBackingData: any BackingData<Hotel>
    package init(backingData: any BackingData<Hotel>) { persistentBackingData = backingData }

    package init(_ name: String, stars: Int) {
        persistentBackingData = Hotel.createBackingData()
        self.name = name
        self.stars = stars
    }
}

/// Snapshots by identifier, as in the result of a save.
package func keyed(_ snapshots: [DefaultSnapshot]) -> [PersistentIdentifier: DefaultSnapshot] {
    Dictionary(snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
}

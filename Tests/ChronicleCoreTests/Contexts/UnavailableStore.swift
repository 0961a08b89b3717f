import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization

/// The default store with reads and saves that a test can make fail.
final class UnavailableStore: DataStore, DataStoreLinking {
    typealias Snapshot = DefaultSnapshot

    static let capabilities: DataStoreCapabilities = .inheritance

    struct Configuration: DataStoreConfiguration {
        typealias Store = UnavailableStore

        let name = "unavailable"
        var schema: Schema?
        let base: ModelConfiguration
        let outage: Outage
    }

    /// The number of further reads that fail, and the error of saves.
    final class Outage: IdentityHashable, Sendable {
        private let remaining = Atomic<Int>(0)
        private let skipped = Atomic<Int>(0)
        private let saves = Mutex<(count: Int, failure: SwiftDataError?)>((0, nil))

        /// The number of saves that the store was asked for.
        var saveCount: Int { saves.withLock { $0.count } }

        /// Makes all further saves throw an error, or succeed again.
        func setSaveFailure(_ failure: SwiftDataError?) { saves.withLock { $0.failure = failure } }

        fileprivate func checkSave() throws {
            try saves.withLock { saves in
                saves.count += 1
                if let failure = saves.failure { throw failure }
            }
        }

        /// Makes all further reads fail, or the given number of them.
        ///
        /// - Parameter skipped: The number of reads before them that succeed.
        func begin(_ count: Int = .max, after skipped: Int = 0) {
            self.skipped.store(skipped, ordering: .relaxed)
            remaining.store(count, ordering: .relaxed)
        }
        func end() { remaining.store(0, ordering: .relaxed) }

        fileprivate func check() throws {
            guard remaining.load(ordering: .relaxed) > 0 else { return }
            if skipped.load(ordering: .relaxed) > 0 {
                skipped.subtract(1, ordering: .relaxed)
                return
            }
            remaining.subtract(1, ordering: .relaxed)
            throw SwiftDataError.storeBusy
        }
    }

    let configuration: Configuration
    private let base: DefaultStore
    private var outage: Outage { configuration.outage }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try DefaultStore(configuration.base, schema: schema)
    }

    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        try outage.check()
        return try base.fetch(request)
    }

    func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        try outage.check()
        return try base.fetchLinked(request)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try outage.checkSave()
        return try base.save(request)
    }
}

/// A container whose store can be made unavailable.
struct UnavailableContainer {
    let outage = UnavailableStore.Outage()
    let container: ModelContainer
    private let directory: TemporaryDirectory

    init(_ kind: StoreKind, _ types: any PersistentModel.Type...) throws {
        directory = try TemporaryDirectory()
        let base =
            kind == .file
            ? ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true)
        container = try ModelContainer(
            for: Schema(types), configurations: [UnavailableStore.Configuration(base: base, outage: outage)])
    }

    /// Saves models in a separate context.
    func save(_ models: any PersistentModel...) throws {
        let context = ModelContext(container)
        for model in models { context.insert(model) }
        try context.save()
    }
}

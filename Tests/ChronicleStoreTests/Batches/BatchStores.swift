import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

/// Stores that delete batches in SQLite, and stores for which the context fetches and deletes the models.
enum BatchKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inMemory, file
    /// A ``DefaultStore`` without its own batch deletes.
    case unbatched
    /// A store that only stores rows.
    case memoryStore

    var testDescription: String { rawValue }
    /// Whether a reference without an inverse is cleared when its destination is deleted.
    var hasForeignKeys: Bool { self != .memoryStore }
}

struct BatchStore {
    let directory: TemporaryDirectory
    let kind: BatchKind
    let container: ModelContainer

    init(_ kind: BatchKind, _ types: any PersistentModel.Type...) throws {
        directory = try TemporaryDirectory()
        self.kind = kind
        let file = ModelConfiguration(url: directory.file("test.store"), durability: .relaxed)
        let configuration: any DataStoreConfiguration =
            switch kind {
            case .inMemory: ModelConfiguration(isStoredInMemoryOnly: true)
            case .file: file
            case .unbatched: UnbatchedStore.Configuration(base: file)
            case .memoryStore: MemoryStoreConfiguration()
            }
        container = try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    func context(author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    /// What a new context reads; it exists until the end of the body.
    func read<Result>(_ body: (ModelContext) throws -> Result) rethrows -> Result {
        let context = context()
        return try withExtendedLifetime(context) { try body(context) }
    }

    func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
        try context().fetchCount(FetchDescriptor<Model>())
    }

    /// The newest transaction.
    func newest() throws -> BatchHistory? { try history().last }

    func history() throws -> [BatchHistory] {
        try context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { BatchHistory($0) }
    }
}

/// A transaction as a set of changes, which is equal for stores that record them in different orders.
struct BatchHistory: Equatable {
    let author: String?
    var inserted: Set<String> = []
    /// The updated attributes by model, except of models that the same transaction deletes.
    var updated: [String: Set<String>] = [:]
    /// The preserved values by model.
    var deleted: [String: [String: String]] = [:]

    init(_ transaction: some HistoryTransaction) {
        author = transaction.author
        for change in transaction.changes {
            let model = "\(change.changedPersistentIdentifier)"
            switch change {
            case .insert: inserted.insert(model)
            case .update(let update): updated[model, default: []].formUnion(update.names)
            case .delete(let delete): deleted[model] = delete.kept
            }
        }
        for model in deleted.keys { updated[model] = nil }
    }
}

extension HistoryUpdate {
    fileprivate var names: [String] { updatedAttributes.map { Model.properties.name(of: $0) ?? "?" } }
}

extension HistoryDelete {
    fileprivate var kept: [String: String] {
        Dictionary(uniqueKeysWithValues: tombstone.namedValues.map { ($0.name, "\($0.value)") })
    }
}

/// A ``DefaultStore`` that does not implement batch deletes.
final class UnbatchedStore: DataStore, HistoryProviding {
    struct Configuration: DataStoreConfiguration {
        typealias Store = UnbatchedStore

        var base: ModelConfiguration
        var name: String { base.name }
        var schema: Schema? {
            get { base.schema }
            set { base.schema = newValue }
        }
    }

    let configuration: Configuration
    let base: DefaultStore
    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try DefaultStore(configuration.base, schema: schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        try base.fetch(request)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try base.save(request)
    }

    func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]
    {
        try base.fetchHistory(descriptor)
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try base.deleteHistory(descriptor)
    }

    func currentHistoryToken() throws -> DefaultHistoryToken? { try base.currentHistoryToken() }
}

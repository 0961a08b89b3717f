import Chronicle
import ChronicleAppleStore
import Foundation

/// A store that saves with Chronicle, writes the result to a file with the layout of Core Data, and reads that file. So the
/// rules for stores check what is read, although the file is never written by ``AppleStore``.
final class MirroredStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    static var capabilities: DataStoreCapabilities { AppleStore.capabilities }

    let configuration: MirroredConfiguration
    let schema: Schema
    private let original: DefaultStore
    private let mirror: AppleStore
    /// One save and its copy at a time.
    private let lock = NSLock()

    init(_ configuration: MirroredConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = try configuration.validatedSchema()
        original = try DefaultStore(
            ModelConfiguration(
                schema: schema, url: configuration.url.appendingPathExtension("original"), durability: .relaxed),
            migrationPlan: migrationPlan)
        try MirrorScript(original).write(to: configuration.url)
        mirror = try AppleStore(
            AppleStoreConfiguration(schema: schema, url: configuration.url), migrationPlan: nil)
    }

    var identifier: String { mirror.identifier }

    // MARK: Reading

    func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> { try mirror.fetch(request) }

    func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int { try mirror.fetchCount(request) }

    func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        try mirror.fetchIdentifiers(request)
    }

    // MARK: Writing

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try writing {
            let result = try original.save(request)
            try MirrorScript(original).write(to: configuration.url)
            return DataStoreSaveChangesResult(
                for: identifier, remappedIdentifiers: result.remappedIdentifiers,
                snapshotsToReregister: result.snapshotsToReregister,
                historyToken: result.historyToken == nil ? nil : try mirror.currentHistoryToken(),
                mayHaveOtherChanges: result.mayHaveOtherChanges)
        }
    }

    func erase() throws {
        try writing {
            try original.erase()
            try MirrorScript(original).write(to: configuration.url)
        }
    }

    private func writing<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}

extension MirroredStore: DataStoreLinking {
    func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> { try mirror.fetchLinked(request) }
}

extension MirroredStore: HistoryPaging {
    typealias HistoryType = DefaultHistoryTransaction

    func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try mirror.fetchHistory(descriptor) }

    func fetchHistoryWithoutChanges(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try mirror.fetchHistoryWithoutChanges(descriptor) }

    func fetchHistoryIdentifiers(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [Int64] {
        try mirror.fetchHistoryIdentifiers(descriptor)
    }

    func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
        try mirror.fetchHistoryCount(descriptor)
    }

    func fetchHistoryChanges(
        _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] { try mirror.fetchHistoryChanges(request) }

    func currentHistoryToken() throws -> DefaultHistoryToken? { try mirror.currentHistoryToken() }

    func earliestHistoryToken() throws -> DefaultHistoryToken? { try mirror.earliestHistoryToken() }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try mirror.deleteHistory(descriptor)
    }
}

struct MirroredConfiguration: DataStoreConfiguration {
    typealias Store = MirroredStore

    var name = "mirror"
    var schema: Schema?
    /// The URL of the file with the layout of Core Data. The store that saves is beside it.
    var url: URL

    init(url: URL) { self.url = url }
}

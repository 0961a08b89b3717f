import Chronicle
import Foundation
import SampleTrips

/// Keeps the index of a store up to date, as a consumer of the store's history.
///
/// Each change replaces the document of a model with the model's current state, or removes it if the model does not
/// exist. Doing this twice has no further effect, so it is sufficient that the consumer delivers each change at least
/// once.
///
/// The consumer's position is part of the store, and the index also has one. When the updater starts, it moves the
/// consumer to the position of the index. If the index was deleted, or the store or the index was restored from a backup,
/// the consumer therefore delivers what is missing, or a reset if the history does not contain it.
public final class IndexUpdater {
    private let container: ModelContainer
    private let consumer: HistoryConsumer<DefaultHistoryTransaction>
    private let url: URL
    private var index: SearchIndex

    /// The number of changes that are indexed in one transaction.
    private let batchSize: Int

    /// Opens the store, and its index for changes.
    ///
    /// - Throws: ``Failure`` if another process keeps the index up to date, or if the store is a journal.
    public convenience init(_ store: TripStore) throws {
        try self.init(store, SearchIndex.url(of: store), consumerName: "search")
    }

    init(_ store: TripStore, _ url: URL, consumerName: String, batchSize: Int = 5_000) throws {
        guard store.kind == .sqlite else {
            throw Failure("\(store.url.path) is a journal, which keeps no consumers. Only SQLite stores have an index.")
        }
        container = try store.open(author: nil).container
        self.url = url
        self.batchSize = batchSize
        consumer = try container.historyConsumer(named: consumerName, startingNewAt: .snapshot)
        // First, because it fails if another process is using the index.
        do { try consumer.seek(to: .snapshot) } catch SwiftDataError.historyConsumerInUse {
            throw Failure("another process keeps the index of \(store.url.path) up to date already.")
        }
        index = try SearchIndex(updating: url)
        if let position = try index.position() { try consumer.seek(to: .token(position)) }
    }

    /// Indexes what was committed since the last time.
    ///
    /// - Returns: The number of changes, and of models when the index was built.
    @discardableResult
    public func update() throws -> Int {
        var count = 0
        while let batchCount = try applyNextBatch() { count += batchCount }
        try index.completeRebuild()
        return count
    }

    /// - Returns: The number of changes or models, or `nil` if there is nothing more to read.
    func applyNextBatch() throws -> Int? { try consumer.nextBatch(limit: batchSize).map(apply) }

    /// Indexes every commit of any process, until the task is cancelled.
    public func follow() async throws {
        try update()
        for try await batch in consumer.batches(limit: batchSize) {
            try apply(batch)
            // Completes the index as soon as there is nothing more to read.
            if try !index.isComplete { try update() }
        }
    }

    /// - Returns: The number of changes or models.
    @discardableResult
    private func apply(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws -> Int {
        guard FileManager.default.fileExists(atPath: url.path) else {
            try rebuild()
            return 0
        }
        do {
            let count = try index(batch)
            try consumer.acknowledge(batch)
            return count
        } catch let error as DatabaseError where error.isDamage {
            try rebuild()
            return 0
        }
    }

    /// Discards the index. The next batch is a reset.
    private func rebuild() throws {
        try SearchIndex.remove(url)
        index = try SearchIndex(updating: url)
        try consumer.seek(to: .snapshot)
    }

    private func index(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws -> Int {
        switch batch.content {
        case .changes, .largeTransaction:
            var count = 0
            var reader = batch.changeReader()
            try index.update(to: batch.token, isComplete: true) {
                while let changes = try reader.nextChanges() {
                    try replaceDocuments(Set(changes.map(\.changedPersistentIdentifier)))
                    count += changes.count
                }
            }
            return count
        case .reset:
            try index.update(to: batch.token, isComplete: false) { try index.removeAll() }
            return 0
        case .snapshot(let identifiers):
            try index.update(to: batch.token, isComplete: false) { try replaceDocuments(Set(identifiers)) }
            return identifiers.count
        }
    }

    /// Replaces the documents of models with their current state.
    private func replaceDocuments(_ identifiers: Set<PersistentIdentifier>) throws {
        let context = ModelContext(container)
        let byEntity = Dictionary(grouping: identifiers, by: \.entityName)
        for kind in Document.Kind.allCases {
            try replaceDocuments(kind.model, byEntity[kind.model.entityName] ?? [], context)
        }
    }

    private func replaceDocuments<Model: SearchableModel>(
        _ type: Model.Type, _ identifiers: [PersistentIdentifier], _ context: ModelContext
    ) throws {
        guard !identifiers.isEmpty else { return }
        let models = try context.fetch(
            FetchDescriptor<Model>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
        for model in models {
            let id = try Document.ID(Model.kind, model.persistentModelID)
            try index.replace(Document(id: id, title: model.title, detail: model.detail))
        }
        for deleted in Set(identifiers).subtracting(models.map(\.persistentModelID)) {
            try index.remove(Document.ID(Model.kind, deleted))
        }
    }
}

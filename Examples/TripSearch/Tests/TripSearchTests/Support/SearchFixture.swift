import Chronicle
import Foundation
import SampleTrips

@testable import TripSearch

/// A store with sample trips in a separate directory, and its index.
final class SearchFixture {
    let directory: URL
    let store: TripStore
    let context: ModelContext
    var indexURL: URL { SearchIndex.url(of: store) }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "TripSearchTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = TripStore(directory.appending(path: "Trips.store"))
        context = try store.open(author: TripStore.Author.app, creating: true)
        try SampleData.insert(into: context)
        try context.save()
    }

    deinit {
        do { try FileManager.default.removeItem(at: directory) } catch { print(error) }
    }

    /// Updates the index in a new updater, as a new process would.
    @discardableResult
    func update() throws -> Int { try IndexUpdater(store).update() }

    func index() throws -> SearchIndex { try SearchIndex(reading: indexURL) }

    /// The titles that a search finds, with their matches in brackets.
    func search(_ text: String) throws -> [String] { try index().search(text).map(\.title) }

    /// The documents of the index. A damaged index has none, because opening it for changes creates a new one.
    func documents() throws -> Set<Document> { try SearchIndex(updating: indexURL).documents() }

    /// The documents of an index that is built from nothing.
    func documentsOfNewIndex() throws -> Set<Document> {
        let url = directory.appending(path: "\(UUID().uuidString).search")
        let updater = try IndexUpdater(store, url, consumerName: url.lastPathComponent)
        try updater.update()
        return try SearchIndex(reading: url).documents()
    }

    /// The documents that the index must contain.
    func documentsOfModels() throws -> Set<Document> {
        let context = ModelContext(context.container)
        return try documents(of: Trip.self, context)
            .union(documents(of: BucketListItem.self, context))
            .union(documents(of: LivingAccommodation.self, context))
    }

    private func documents<Model: SearchableModel>(of type: Model.Type, _ context: ModelContext) throws -> Set<Document>
    {
        Set(
            try context.fetch(FetchDescriptor<Model>()).map { model in
                Document(
                    id: try Document.ID(Model.kind, model.persistentModelID), title: model.title,
                    detail: model.detail)
            })
    }

    /// Runs SQL on the store, or another file, in the `sqlite3` shell, a program that does not use Chronicle.
    func shell(_ sql: String, _ file: URL? = nil) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-bail", "-cmd", ".timeout 5000", (file ?? store.url).path, sql]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("sqlite3 failed: \(sql)") }
    }
}

extension SearchFixture {
    /// The position of the index's consumer.
    func position() throws -> DefaultHistoryToken? {
        let consumers = try context.container.historyConsumers(of: DefaultHistoryTransaction.self)
        return consumers.first { $0.name == "search" }?.position
    }
}

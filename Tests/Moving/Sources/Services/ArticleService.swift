import Foundation
import SwiftData

/// Works with articles outside of the main actor.
@ModelActor
public actor ArticleService {
    public private(set) var imported = 0

    /// Adds the records that are new, and updates the others, in saves of limited size.
    public func `import`(_ records: [ArticleRecord], into address: String, batchSize: Int = 100) throws -> Int {
        let feed = try feed(at: address)
        var known: [Int: Article] = [:]
        for article in feed.articles { known[article.remoteID] = article }
        modelContext.author = "import"
        for (index, record) in records.enumerated() {
            try Task.checkCancellation()
            if let article = known[record.id] {
                if article.title != record.title { article.title = record.title }
            } else {
                let article = Article(remoteID: record.id, title: record.title, publishedAt: record.published)
                article.feed = feed
                modelContext.insert(article)
                known[record.id] = article
                imported += 1
            }
            if (index + 1).isMultiple(of: batchSize) { try modelContext.save() }
        }
        if modelContext.hasChanges { try modelContext.save() }
        return imported
    }

    public func unread(limit: Int) throws -> [ArticleSummary] {
        var descriptor = FetchDescriptor<Article>(
            predicate: #Predicate { !$0.isRead }, sortBy: [SortDescriptor(\.publishedAt, order: .reverse)])
        descriptor.fetchLimit = limit
        descriptor.propertiesToFetch = [\.title]
        return try modelContext.fetch(descriptor).map { ArticleSummary(id: $0.persistentModelID, title: $0.title) }
    }

    public func markAsRead(_ identifiers: [PersistentIdentifier]) throws {
        for identifier in identifiers {
            self[identifier, as: Article.self]?.isRead = true
        }
        try modelContext.save()
    }

    public func removeArticles(before date: Date) throws {
        try modelContext.delete(model: Article.self, where: #Predicate { $0.publishedAt < date })
        try modelContext.save()
    }

    private func feed(at address: String) throws -> Feed {
        let descriptor = FetchDescriptor<Feed>(predicate: #Predicate { $0.address == address })
        if let feed = try modelContext.fetch(descriptor).first { return feed }
        let feed = Feed(address: address)
        modelContext.insert(feed)
        return feed
    }
}

/// An actor that declares its executor itself.
public actor ArticleCounter: ModelActor {
    public nonisolated let modelContainer: ModelContainer
    public nonisolated let modelExecutor: any ModelExecutor

    public init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        let context = ModelContext(modelContainer)
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    public func count(in address: String) throws -> Int {
        try modelContext.fetchCount(FetchDescriptor<Article>(predicate: #Predicate { $0.feed?.address == address }))
    }
}

extension ModelActor {
    /// Returns the identifiers of all models of a class.
    public func identifiers<Model: PersistentModel>(of type: Model.Type) throws -> [PersistentIdentifier] {
        try modelContext.fetchIdentifiers(FetchDescriptor<Model>())
    }
}

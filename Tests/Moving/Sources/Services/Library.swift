import Foundation
import SwiftData

/// Gives the parts of an app their services.
public final class Library: Sendable {
    public let container: ModelContainer

    public init(inMemory: Bool, directory: URL? = nil) throws {
        let schema = Schema([Article.self, Feed.self])
        let configuration =
            if let directory {
                ModelConfiguration(schema: schema, url: directory.appendingPathComponent("Articles.store"))
            } else {
                ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory)
            }
        container = try ModelContainer(for: schema, configurations: [configuration])
    }

    /// Creates a service on another thread, when it is first needed.
    public func makeService() -> @Sendable () async -> ArticleService {
        let container = container
        return { ArticleService(modelContainer: container) }
    }

    /// Imports several feeds at once.
    public func importAll(_ feeds: [String: [ArticleRecord]]) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (address, records) in feeds {
                let makeService = makeService()
                group.addTask { try await makeService().import(records, into: address, batchSize: 3) }
            }
            return try await group.reduce(0, +)
        }
    }

    @MainActor
    public func article(_ summary: ArticleSummary) -> Article? {
        container.mainContext.model(for: summary.id) as? Article
    }
}

import Foundation
import Services
import SwiftData
import Testing

/// Actors that import records in the background.
@Suite struct ServiceTests {
    private static func records(_ identifiers: Range<Int>) -> [ArticleRecord] {
        identifiers.map {
            ArticleRecord(id: $0, title: "Article \($0)", published: Date(timeIntervalSinceReferenceDate: Double($0)))
        }
    }

    @Test(arguments: [true, false]) func severalActorsImportAtOnce(inMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let library = try Library(inMemory: inMemory, directory: inMemory ? nil : folder.url)
        let feeds = Dictionary(
            uniqueKeysWithValues: (0..<5).map { ("feed \($0)", Self.records($0 * 10..<$0 * 10 + 10)) })
        #expect(try await library.importAll(feeds) == 50)

        let service = await library.makeService()()
        #expect(try await service.identifiers(of: Article.self).count == 50)
        #expect(try await service.identifiers(of: Feed.self).count == 5)
        #expect(try await ArticleCounter(modelContainer: library.container).count(in: "feed 3") == 10)
        // A second import updates the articles, and adds none.
        var changed = feeds["feed 0"]!
        changed[0].title = "Another title"
        #expect(try await service.import(changed, into: "feed 0") == 0)

        let unread = try await service.unread(limit: 2)
        #expect(unread.map(\.title) == ["Article 49", "Article 48"])
        try await service.markAsRead(unread.map(\.id))
        #expect(try await service.unread(limit: 1).map(\.title) == ["Article 47"])
        try await service.removeArticles(before: Date(timeIntervalSinceReferenceDate: 40))
        #expect(try await service.identifiers(of: Article.self).count == 10)

        let isRead = await MainActor.run { library.article(unread[0])?.isRead }
        #expect(isRead == true)
    }
}

import Foundation
import SwiftData

@Model
public final class Article {
    #Index<Article>([\.remoteID], [\.publishedAt])

    @Attribute(.unique) public var remoteID: Int
    public var title: String
    public var publishedAt: Date
    public var isRead = false
    public var feed: Feed?

    public init(remoteID: Int, title: String, publishedAt: Date) {
        self.remoteID = remoteID
        self.title = title
        self.publishedAt = publishedAt
    }
}

@Model
public final class Feed {
    @Attribute(.unique) public var address: String
    @Relationship(deleteRule: .cascade, inverse: \Article.feed) public var articles: [Article] = []

    public init(address: String) { self.address = address }
}

/// An article as a server sends it.
public struct ArticleRecord: Codable, Sendable {
    public var id: Int
    public var title: String
    public var published: Date

    public init(id: Int, title: String, published: Date) {
        self.id = id
        self.title = title
        self.published = published
    }
}

/// What other actors may keep of an article.
public struct ArticleSummary: Sendable, Identifiable, Equatable {
    public let id: PersistentIdentifier
    public let title: String
}

import Chronicle

public struct UnreadTrips<Transaction: HistoryTransaction>: Codable, Equatable, Sendable {
    struct Bookmark: Codable, Equatable, Sendable {
        let author: String?
        var token: Transaction.TokenType?
    }

    public private(set) var marks: Set<TripMark> = []
    private(set) var bookmarks = [Bookmark(author: TripStore.Author.widget), Bookmark(author: nil)]

    public init() {}

    public func contains(_ trip: PersistentIdentifier) -> Bool {
        marks.contains { $0.trip == trip }
    }

    public mutating func remove(_ trip: PersistentIdentifier) {
        marks = marks.filter { $0.trip != trip }
    }

    private func read(_ bookmark: inout Bookmark, _ history: TripHistory<Transaction>) throws -> TripNews {
        let current = try history.currentToken()
        let transactions = try history.findTransactions(after: bookmark.token, author: bookmark.author)
        let news = try history.findTrips(in: transactions)
        bookmark.token = [current, transactions.last?.token].compactMap(\.self).max() ?? bookmark.token
        return news
    }

    private mutating func apply(_ news: TripNews, setsMarks: Bool) {
        marks = marks.filter { !news.gone.contains($0.trip) && !news.gone.contains($0.accommodation) }
        if setsMarks { marks.formUnion(news.marks) }
    }
}

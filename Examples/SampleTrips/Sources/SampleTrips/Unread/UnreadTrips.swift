import Chronicle

/// What the app has to remember between runs: how far it has read the history, and which trips it has not shown since
/// they changed. How far is said by the tokens of the store, whose type those of its transactions know.
///
/// Codable as one value, so that the tokens and the marks that were found on the way to them are never out of step.
public struct UnreadTrips<Transaction: HistoryTransaction>: Codable, Equatable, Sendable {
    /// How far the changes of one author were read.
    struct Bookmark: Codable, Equatable, Sendable {
        let author: String?
        var token: Transaction.TokenType?
    }

    public private(set) var marks: Set<TripMark> = []
    /// The widget sets marks and takes them away. Programs that do not sign (the `sqlite3` shell) only take them away, by
    /// deleting what was marked. Each has a token of its own, and with it an exact answer.
    private(set) var bookmarks = [Bookmark(author: TripStore.Author.widget), Bookmark(author: nil)]

    public init() {}

    /// Whether a trip changed since it was last shown.
    public func contains(_ trip: PersistentIdentifier) -> Bool {
        marks.contains { $0.trip == trip }
    }

    /// The trip was shown, or deleted.
    public mutating func remove(_ trip: PersistentIdentifier) {
        marks = marks.filter { $0.trip != trip }
    }

    /// Reads what happened since the last time.
    public mutating func catchUp(with history: TripHistory<Transaction>) throws -> UnreadReport {
        var report = UnreadReport()
        for index in bookmarks.indices {
            do {
                let news = try read(&bookmarks[index], history)
                apply(news, setsMarks: bookmarks[index].author != nil)
                report.deletedTrips += news.deletedTrips
            } catch SwiftDataError.historyTokenExpired {
                bookmarks[index].token = try history.currentToken()
                report.startedOver = true
            }
        }
        if report.startedOver { marks = try history.valid(marks) }
        return report
    }

    /// Everything in the history up to here was read.
    public var readToken: Transaction.TokenType? {
        let tokens = bookmarks.compactMap(\.token)
        return tokens.count == bookmarks.count ? tokens.min() : nil
    }

    private func read(_ bookmark: inout Bookmark, _ history: TripHistory<Transaction>) throws -> TripNews {
        // Asked for first: what is committed from now on has a later position, and either is among the transactions or
        // comes after them the next time.
        let current = try history.currentToken()
        let transactions = try history.findTransactions(after: bookmark.token, author: bookmark.author)
        let news = try history.findTrips(in: transactions)
        // The newest of the two. That of the last transaction alone would stay behind for as long as others do all the
        // writing: each run would look through their changes again, and one day the token would be expired.
        bookmark.token = [current, transactions.last?.token].compactMap(\.self).max() ?? bookmark.token
        return news
    }

    private mutating func apply(_ news: TripNews, setsMarks: Bool) {
        marks = marks.filter { !news.gone.contains($0.trip) && !news.gone.contains($0.accommodation) }
        if setsMarks { marks.formUnion(news.marks) }
    }
}

/// What ``UnreadTrips/catchUp(with:)`` found beside the marks.
public struct UnreadReport: Equatable, Sendable {
    public var deletedTrips: [DeletedTrip] = []
    /// Whether a token was of no more use, so that changes may have been missed.
    public var startedOver = false
}

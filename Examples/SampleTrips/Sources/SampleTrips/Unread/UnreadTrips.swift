import Chronicle

/// The state that the app stores between runs: how far it has read the history, as tokens of the store, and which trips
/// it has not displayed since they changed. The type of the transactions determines the type of the tokens.
///
/// It is encoded as one value, so that the tokens and the marks that were found up to them are always consistent.
public struct UnreadTrips<Transaction: HistoryTransaction>: Codable, Equatable, Sendable {
    /// How far the changes of one author were read.
    struct Bookmark: Codable, Equatable, Sendable {
        let author: String?
        var token: Transaction.TokenType?
    }

    public private(set) var marks: Set<TripMark> = []
    /// The widget sets and removes marks. Programs without an author (the `sqlite3` shell) only remove them, by
    /// deleting what was marked. Each has its own token, so that both are read exactly.
    private(set) var bookmarks = [Bookmark(author: TripStore.Author.widget), Bookmark(author: nil)]

    public init() {}

    /// Whether a trip changed since it was last displayed.
    public func contains(_ trip: PersistentIdentifier) -> Bool {
        marks.contains { $0.trip == trip }
    }

    /// Removes the marks of a trip that was displayed or deleted.
    public mutating func remove(_ trip: PersistentIdentifier) {
        marks = marks.filter { $0.trip != trip }
    }

    /// Reads the changes since the last time.
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

    /// The token up to which the history was read for every author; `nil` before the first read.
    public var readToken: Transaction.TokenType? {
        let tokens = bookmarks.compactMap(\.token)
        return tokens.count == bookmarks.count ? tokens.min() : nil
    }

    private func read(_ bookmark: inout Bookmark, _ history: TripHistory<Transaction>) throws -> TripNews {
        // Fetched first: what is committed from now on has a later position, and is either among the transactions or
        // returned the next time.
        let current = try history.currentToken()
        let transactions = try history.findTransactions(after: bookmark.token, author: bookmark.author)
        let news = try history.findTrips(in: transactions)
        // Use the newer of the two. The token of the last transaction alone would not advance while only others write:
        // each run would scan their changes again, and the token would expire at some point.
        bookmark.token = [current, transactions.last?.token].compactMap(\.self).max() ?? bookmark.token
        return news
    }

    private mutating func apply(_ news: TripNews, setsMarks: Bool) {
        marks = marks.filter { !news.gone.contains($0.trip) && !news.gone.contains($0.accommodation) }
        if setsMarks { marks.formUnion(news.marks) }
    }
}

/// What ``UnreadTrips/catchUp(with:)`` found in addition to the marks.
public struct UnreadReport: Equatable, Sendable {
    public var deletedTrips: [DeletedTrip] = []
    /// Whether a token could not be used, so that changes may have been missed.
    public var startedOver = false
}

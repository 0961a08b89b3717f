import Chronicle
import Foundation

/// The questions about trips that the history answers.
///
/// Of the store it knows the type of its transactions, and nothing else: what it asks of them, the protocols say of
/// all. Written once, it reads the history of any store.
public struct TripHistory<Transaction: HistoryTransaction> {
    public typealias Token = Transaction.TokenType

    let context: ModelContext

    public init(_ context: ModelContext) {
        self.context = context
    }

    /// The position of now, found without reading anything; `nil` before the first transaction.
    public func currentToken() throws -> Token? {
        // There is one store.
        try context.currentHistoryTokens(for: Transaction.self).values.first
    }

    /// The transactions of one author after a token, in the order in which they were committed.
    ///
    /// - Parameters:
    ///   - token: `nil` for all that the store still has.
    ///   - author: `nil` for programs that do not sign, like the `sqlite3` shell.
    /// - Throws: `SwiftDataError.historyTokenExpired` when something after the token was deleted.
    public func findTransactions(after token: Token?, author: String?) throws -> [Transaction] {
        var descriptor = HistoryDescriptor<Transaction>()
        if let token {
            descriptor.predicate = #Predicate { transaction in
                (transaction.token > token) && (transaction.author == author)
            }
        } else {
            descriptor.predicate = #Predicate { $0.author == author }
        }
        return try context.fetchHistory(descriptor)
    }

    /// What the transactions did to trips: the insert or update of an accommodation marks its trip, the delete takes the
    /// mark away. Trips that were deleted are known by what their tombstones kept.
    public func findTrips(in transactions: [Transaction]) throws -> TripNews {
        var news = TripNews()
        for change in transactions.lazy.flatMap(\.changes) {
            switch change {
            case .insert(let insert as any HistoryInsert<LivingAccommodation>):
                try mark(insert.changedPersistentIdentifier, in: &news)
            case .update(let update as any HistoryUpdate<LivingAccommodation>):
                try mark(update.changedPersistentIdentifier, in: &news)
            case .delete(let delete as any HistoryDelete<LivingAccommodation>):
                news.accommodationWasDeleted(delete.changedPersistentIdentifier)
            case .delete(let delete as any HistoryDelete<Trip>):
                news.tripWasDeleted(delete.changedPersistentIdentifier, delete.tombstone)
            default:
                break
            }
        }
        return news
    }

    /// Marks the trip of an accommodation. There is none when the trip moved elsewhere or was deleted since.
    private func mark(_ accommodation: PersistentIdentifier, in news: inout TripNews) throws {
        let trips = FetchDescriptor<Trip>(
            predicate: #Predicate { trip in trip.livingAccommodation?.persistentModelID == accommodation })
        for trip in try context.fetch(trips) {
            news.marks.insert(TripMark(trip: trip.persistentModelID, accommodation: accommodation))
        }
    }
}

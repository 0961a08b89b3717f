import Chronicle
import Foundation

/// Reads changes of trips from the history.
///
/// It depends only on the type of the store's transactions and uses it through the protocols, so it works with the
/// history of any store.
public struct TripHistory<Transaction: HistoryTransaction> {
    public typealias Token = Transaction.TokenType

    let context: ModelContext

    public init(_ context: ModelContext) {
        self.context = context
    }

    /// The current position, determined without reading transactions; `nil` before the first transaction.
    public func currentToken() throws -> Token? {
        // There is one store.
        try context.currentHistoryTokens(for: Transaction.self).values.first
    }

    /// The transactions of one author after a token, in the order in which they were committed.
    ///
    /// - Parameters:
    ///   - token: The token to start after; `nil` for all transactions that the store has.
    ///   - author: The author; `nil` for programs that do not set one, like the `sqlite3` shell.
    /// - Throws: `SwiftDataError.historyTokenExpired` if the transaction of the token was deleted.
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

    /// The changes of trips in transactions: the insert or update of an accommodation marks its trip, the delete
    /// removes the mark. Deleted trips are described by the values that their tombstones preserved.
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

    /// Marks the trip of an accommodation. There is none if the trip changed its accommodation or was deleted since.
    private func mark(_ accommodation: PersistentIdentifier, in news: inout TripNews) throws {
        let trips = FetchDescriptor<Trip>(
            predicate: #Predicate { trip in trip.livingAccommodation?.persistentModelID == accommodation })
        for trip in try context.fetch(trips) {
            news.marks.insert(TripMark(trip: trip.persistentModelID, accommodation: accommodation))
        }
    }
}

import Chronicle
import Foundation

public struct TripHistory<Transaction: HistoryTransaction> {
    public typealias Token = Transaction.TokenType

    let context: ModelContext

    public init(_ context: ModelContext) {
        self.context = context
    }

    public func currentToken() throws -> Token? {
        try context.currentHistoryTokens(for: Transaction.self).values.first
    }

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

    private func mark(_ accommodation: PersistentIdentifier, in news: inout TripNews) throws {
        let trips = FetchDescriptor<Trip>(
            predicate: #Predicate { trip in trip.livingAccommodation?.persistentModelID == accommodation })
        for trip in try context.fetch(trips) {
            news.marks.insert(TripMark(trip: trip.persistentModelID, accommodation: accommodation))
        }
    }
}

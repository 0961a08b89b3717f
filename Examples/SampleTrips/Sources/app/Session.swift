import Chronicle
import Foundation
import SampleTrips

/// An open store, and what the app remembers of it between runs.
struct Session<Transaction: HistoryTransaction> {
    let context: ModelContext
    let keeper: UnreadTrips<Transaction>.Keeper

    private init(context: ModelContext, keeper: UnreadTrips<Transaction>.Keeper) {
        self.context = context
        self.keeper = keeper
    }

    init(_ arguments: Arguments, creating: Bool = false) throws {
        context = try arguments.store.open(author: TripStore.Author.app, creating: creating)
        keeper = try UnreadTrips<Transaction>.Keeper(arguments.store)
    }

    /// Reads what happened since the last time, remembers it, and says what has no place in the list.
    func catchUp() throws -> UnreadTrips<Transaction> {
        var unread = try keeper.load()
        let report = try unread.catchUp(with: TripHistory(context))
        // Said before it is remembered: better twice than not at all.
        show(TripList().lines(report))
        try keeper.save(unread)
        return unread
    }

    /// The same with a new context, for a look at everything as it is now: models that a context has at hand are not
    /// read again only because another process changed them.
    func renewed() -> Session { Session(context: ModelContext(context.container), keeper: keeper) }
}

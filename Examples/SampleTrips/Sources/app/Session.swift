import Chronicle
import Foundation
import SampleTrips

/// An open store, and the state that the app stores for it between runs.
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

    /// Reads the changes since the last time, stores the result, and prints what the list does not show.
    func catchUp() throws -> UnreadTrips<Transaction> {
        var unread = try keeper.load()
        let report = try unread.catchUp(with: TripHistory(context))
        // Printed before it is stored, because printing twice is better than not at all.
        show(TripList().lines(report))
        try keeper.save(unread)
        return unread
    }

    /// Returns the session with a new context, to read the current state: a context does not read its models again only
    /// because another process changed them.
    func renewed() -> Session { Session(context: ModelContext(context.container), keeper: keeper) }
}

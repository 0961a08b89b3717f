import Chronicle
import SampleTrips

extension App {
    static func history(_ arguments: inout Arguments) throws {
        let name = arguments.nextIfPresent()
        let start = try arguments.start()
        try arguments.end()
        let context = try Session<Transaction>(arguments).context
        if let name { return try history(of: context.trip(named: name, starting: start), context) }
        let transactions = try context.fetchHistory(HistoryDescriptor<Transaction>())
        guard !transactions.isEmpty else { return show("The history is empty.") }
        let text = HistoryText()
        for transaction in transactions { show(text.lines(transaction)) }
    }

    private static func history(of trip: Trip, _ context: ModelContext) throws {
        let entries = try context.history(of: trip, for: Transaction.self)
        guard !entries.isEmpty else { return show("The history does not contain this trip.") }
        let text = HistoryText()
        for entry in entries { show(text.lines(entry)) }
    }

    /// Deletes history. Transactions that the app has not read yet are kept, unless all history is deleted: then the
    /// app's token expires, and the next `list` starts over.
    static func prune(_ arguments: inout Arguments) throws {
        let all = arguments.flag("--all")
        try arguments.end()
        let session = try Session<Transaction>(arguments)
        let whole = HistoryDescriptor<Transaction>()
        let before = try session.context.fetchHistoryCount(whole)
        if all {
            try session.context.deleteHistory(whole)
        } else if let token = try session.keeper.load().readToken {
            try session.context.deleteHistory(HistoryDescriptor<Transaction>.before(token))
        }
        let left = try session.context.fetchHistoryCount(whole)
        show("Deleted \(before - left) transactions from the history; \(left) are left.")
    }
}

import Chronicle
import Foundation
import SampleTrips

extension App {
    /// Displays the trips as they were.
    static func showPast(_ arguments: inout Arguments) throws {
        guard let time = arguments.value("--as-of") else { throw UsageError("show needs --as-of WHEN") }
        try arguments.end()
        let context = try defaultHistoryContext(arguments)
        let past = try past(time, context)
        show(TripList().lines(try past.trips()))
    }

    static func tag(_ arguments: inout Arguments) throws {
        let name = try arguments.next("a NAME")
        try arguments.end()
        try defaultHistoryContext(arguments).tag(name, replacing: true)
        show("Tagged the present state “\(name)”. See it with `app show --as-of \(name)`.")
    }

    static func undo(_ arguments: inout Arguments) throws {
        try arguments.end()
        let context = try defaultHistoryContext(arguments)
        let plan: RevertPlan?
        do { plan = try context.undoHistory.undo() } catch SwiftDataError.revertConflict {
            throw Failure("the last change of the app was changed again since, so it cannot be taken back.")
        }
        guard let plan else { return show("There is nothing to undo.") }
        show("Took back the last change of the app.")
        show(plan.steps.map { "  \($0.action)  \($0.persistentIdentifier)" })
    }

    /// Returns a context at a date, a tag, or a transaction.
    private static func past(_ time: String, _ context: ModelContext) throws -> ModelContext {
        let container = context.container
        if let number = Int64(time) {
            let found = try context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(
                    predicate: #Predicate { $0.transactionIdentifier == number }))
            guard let transaction = found.first else { throw Failure("the history has no transaction #\(number).") }
            return try ModelContext(container, asOf: transaction)
        }
        if let date = (try? Day.parse(time)) ?? (try? Date(time, strategy: .iso8601)) {
            return try ModelContext(container, asOf: date)
        }
        do { return try ModelContext(container, asOf: context.token(tagged: time)) } catch SwiftDataError
            .historyTagNotFound
        {
            throw Failure("“\(time)” is no day, no time, no number of a transaction, and no tag.")
        }
    }

    /// Returns a context of a store with values in its history, which a journal does not have.
    private static func defaultHistoryContext(_ arguments: Arguments) throws -> ModelContext {
        guard arguments.store.kind != .journal else {
            throw Failure("a journal does not keep the values of changes; use a store that is not a .journal.")
        }
        return try Session<Transaction>(arguments).context
    }
}

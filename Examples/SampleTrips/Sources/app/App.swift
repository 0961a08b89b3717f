import Chronicle
import Foundation
import SampleTrips

/// The app: displays trips, with a mark on those that its widget changed since they were last displayed.
///
/// It works with all stores: the store in the command line determines the type of the transactions.
@main
@MainActor
enum Main {
    static func main() async {
        await Program("app", usage: usage).run { arguments in
            try await perform(&arguments, arguments.store.kind.transactionType)
        }
    }

    private static func perform<Transaction: HistoryTransaction>(
        _ arguments: inout Arguments, _ type: Transaction.Type
    ) async throws {
        try await App<Transaction>.perform(&arguments)
    }

    static let usage = """
        usage: app COMMAND [ARGUMENTS] [--store PATH]

          list                              the trips; a mark says that the widget changed one
          view NAME                         one trip, and its mark is cleared
          add NAME DESTINATION START END    a new trip, days like 2027-05-01
          delete NAME                       deletes a trip
          watch [--once] [--timeout S]      the list, kept up to date until Ctrl-C
          history [TRIP]                    what the store remembers, or the changes of one trip with their values
          show --as-of WHEN                 the trips at a date, a tag, or the number of a transaction
          tag NAME                          names the present state, for `show`
          undo                              takes back the last change of the app, not those of the widget
          prune [--all]                     deletes the history that the app has read, or all of it
          seed                              a few trips to begin with
          reset                             deletes all trips and forgets what was read

          --start DAY    with view, history and delete: the trip that starts then, when several have one name
          --as-of WHEN   a day like 2027-05-01, a time like 2027-05-01T12:00:00Z, a tag, or a number of `history`
          --once         with watch: ends after the first change
          --timeout S    with watch: ends after S seconds; with --once, that is a failure
          --store PATH   the store's file, a journal if its name ends with .journal,
                         a database like postgresql://host/name, by default
                         \(TripStore.standard.url.path)

        What the app has read and shown is remembered in the user's defaults “SampleTrips”.
        """
}

/// The commands, for a store with a given type of transactions.
@MainActor
enum App<Transaction: HistoryTransaction> {
    static func perform(_ arguments: inout Arguments) async throws {
        switch arguments.command {
        case "list": try list(&arguments)
        case "view": try view(&arguments)
        case "add": try add(&arguments)
        case "delete": try delete(&arguments)
        case "watch": try await watch(&arguments)
        case "history": try history(&arguments)
        case "show": try showPast(&arguments)
        case "tag": try tag(&arguments)
        case "undo": try undo(&arguments)
        case "prune": try prune(&arguments)
        case "seed": try seed(&arguments)
        case "reset": try reset(&arguments)
        case let other: throw UsageError("there is no command “\(other)”")
        }
    }
}

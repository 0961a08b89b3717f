import Chronicle
import Foundation
import SampleTrips

/// A member of a group of processes: adds a trip for each line of its input, and prints what the other members did.
@main
@MainActor
enum Main {
    static let usage = """
        usage: monitor AUTHOR [--store PATH]

        Adds a trip for each line of its input, and prints the changes of other authors. Start it in several terminals,
        with a different author in each. The end of the input (Ctrl-D) ends the program.

          --store PATH   the store's file, a journal if its name ends with .journal,
                         a database like postgresql://host/name, by default
                         \(TripStore.standard.url.path)
        """

    static func main() async {
        await Program("monitor", usage: usage).run { arguments in
            try arguments.end()
            try run(arguments.command, arguments.store, arguments.store.kind.transactionType)
        }
    }

    private static func run<Transaction: HistoryTransaction>(
        _ author: String, _ store: TripStore, _ type: Transaction.Type
    ) throws {
        let context = try store.open(author: author)
        let changes = try context.container.changes(except: author, type)
        let monitor = Monitor(modelContainer: context.container)
        // Detached, because the main actor is blocked while it waits for input.
        let task = Task.detached {
            do { try await monitor.run(changes, print) } catch {
                show("\(error)")
                exit(1)
            }
        }
        defer { task.cancel() }
        show("Monitoring \(store.url.lastPathComponent) as \(author).")
        while let name = readLine() {
            context.insert(Trip(name: name, destination: "anywhere", startDate: .now, endDate: .now))
            try context.save()
        }
    }

    nonisolated private static func print(_ event: Monitor.Event) {
        let verb =
            switch event.change {
            case .insert: "added"
            case .update: "changed"
            case .delete: "deleted"
            }
        show("\(event.author ?? "somebody") \(verb) \(event.tripName ?? "\(event.change.changedPersistentIdentifier)")")
    }
}

import Chronicle
import Foundation
import SampleTrips
import TripSearch

/// Searches the trips of the app, with an index that follows the history of the store.
@main
@MainActor
enum Main {
    static let usage = """
        usage: trip-search COMMAND [ARGUMENTS] [--store PATH]

          follow          keeps the index up to date until Ctrl-C
          update          updates the index once
          search WORDS    the trips, wishes and stays that contain all words, the last also as the beginning of a word

          --store PATH    the store's file, by default
                          \(TripStore.standard.url.path)

        The index is the file PATH.search. It may be deleted at any time: the next update builds it again.
        """

    static func main() async {
        await Program("trip-search", usage: usage).run { arguments in
            switch arguments.command {
            case "follow": try await follow(&arguments)
            case "update": try update(&arguments)
            case "search": try search(&arguments)
            case let other: throw UsageError("there is no command “\(other)”")
            }
        }
    }

    private static func follow(_ arguments: inout Arguments) async throws {
        try arguments.end()
        // The index is consistent at any time.
        Program.exitWhenInterrupted()
        let updater = try IndexUpdater(arguments.store)
        try updater.update()
        show("Following \(arguments.store.url.path).")
        try await updater.follow()
    }

    private static func update(_ arguments: inout Arguments) throws {
        try arguments.end()
        let count = try IndexUpdater(arguments.store).update()
        show(count == 0 ? "The index is up to date." : "Indexed \(count) changes.")
    }

    private static func search(_ arguments: inout Arguments) throws {
        var words = [try arguments.next("one or more WORDS")]
        while let word = arguments.nextIfPresent() { words.append(word) }
        try arguments.end()
        let index = try SearchIndex(reading: SearchIndex.url(of: arguments.store))
        let found = try index.search(words.joined(separator: " "), delimiters: Style.output.matchDelimiters)
        var table = Table()
        for document in found {
            let kind = document.id.kind?.name ?? ""
            table.add(.init(kind, Style.output.dim), .init(document.title), .init(document.detail))
        }
        show(found.isEmpty ? ["Nothing found."] : table.lines)
        if try !index.isComplete { show("The index is not complete yet. `trip-search update` completes it.") }
    }
}

extension Document.Kind {
    fileprivate var name: String {
        switch self {
        case .trip: "trip"
        case .bucketListItem: "wish"
        case .livingAccommodation: "stay"
        }
    }
}

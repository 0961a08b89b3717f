import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about the history of a model, blame and tags.

/// Returns a line for each name that a trip had.
func names(of trip: Trip, in context: ModelContext) throws -> [String] {
    var lines: [String] = []
    for entry in try context.history(of: trip, attribute: \.name) {
        let author = entry.transaction.author ?? "unknown"
        switch entry.kind {
        case .insert: lines.append("\(author) inserted \(entry.value(\Trip.name) ?? "?")")
        case .update: lines.append("\(author) renamed it to \(entry.value(\Trip.name) ?? "?")")
        case .delete: lines.append("\(author) deleted \(entry.previousValue(\Trip.name) ?? "?")")
        }
    }
    return lines
}

/// Shows the newest changes of a trip first, and earlier ones on request.
struct TripHistoryList {
    private(set) var entries: [ModelHistoryEntry<DefaultHistoryTransaction>] = []
    private(set) var hasMore = true
    private var request: ModelHistoryRequest<DefaultHistoryTransaction>

    init(_ trip: Trip) {
        request = ModelHistoryRequest(trip.persistentModelID, order: .reverse, limit: 20)
    }

    mutating func loadMore(in context: ModelContext) throws {
        let page = try context.historyPage(request)
        entries += page.entries
        request.continuation = page.continuation
        hasMore = page.continuation != nil
    }
}

/// Creates the index of the history by model in each store.
func indexHistory(of container: ModelContainer) throws {
    for case let store as DefaultStore in container.stores { try store.setHistoryIndexedByModel(true) }
}

/// Returns who gave the attributes of a trip their present values.
func authors(of trip: Trip, in context: ModelContext) throws -> [String: String] {
    let blame = try context.blame(trip)
    print("named by", blame[\.name]?.author ?? "unknown", "at", blame[\.name]?.timestamp ?? .distantPast)
    var authors: [String: String] = [:]
    for name in blame.attributeNames { authors[name] = blame[name]?.author ?? "unknown" }
    return authors
}

/// Imports trips, and returns the number of transactions that the import made.
func importTrips(_ names: [String], into context: ModelContext) throws -> Int {
    try context.tag("before-import", replacing: true)
    for name in names {
        context.insert(Trip(name: name, destination: "imported"))
        try context.save()
    }
    return try context.fetchHistoryCount(.after(context.token(tagged: "before-import")))
}

@Suite struct ModelHistoryListingTests {
    @Test func changesOfATripAreListed() throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context(author: "app")
        let trip = try store.add("Rome", in: context)[0]
        context.author = "widget"
        trip.name = "Roma"
        try context.save()
        #expect(try names(of: trip, in: context) == ["app inserted Rome", "widget renamed it to Roma"])
        #expect(try authors(of: trip, in: context)["name"] == "widget")
        #expect(try authors(of: trip, in: context)["destination"] == "app")

        var list = TripHistoryList(trip)
        for number in 0..<30 {
            trip.note = "\(number)"
            try context.save()
        }
        try list.loadMore(in: context)
        #expect(list.entries.count == 20 && list.hasMore)
        try list.loadMore(in: context)
        #expect(list.entries.count == 32 && !list.hasMore && list.entries.last?.kind == .insert)

        context.delete(trip)
        try context.save()
        try indexHistory(of: context.container)
        #expect(try names(of: trip, in: context).last == "widget deleted Roma")
    }

    @Test func importIsTagged() throws {
        let context = try TestStore(.inMemory).context()
        #expect(try importTrips(["a", "b"], into: context) == 2)
        #expect(try importTrips(["c"], into: context) == 1)
    }
}

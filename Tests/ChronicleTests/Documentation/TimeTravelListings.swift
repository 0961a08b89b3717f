import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about time travel.

/// Opens a file whose history preserves values.
func openTrips(at url: URL) throws -> ModelContainer {
    let container = try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(url: url, preservesValues: true))
    return container
}

/// Returns the names of the trips to Rome at a position.
func names(in container: ModelContainer, asOf token: DefaultHistoryToken) throws -> [String] {
    let past = try ModelContext(container, asOf: token)
    let trips = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination == "Rome" }, sortBy: [SortDescriptor(\.name)])
    return try past.fetch(trips).map(\.name)
}

/// Returns the name of a trip at a position, or `nil` if it did not exist.
func previousName(of trip: Trip, in container: ModelContainer, asOf token: DefaultHistoryToken) throws -> String? {
    let past = try ModelContext(container, asOf: token)
    do {
        return try (past.existingModel(for: trip.persistentModelID) as? Trip)?.name
    } catch SwiftDataError.modelNotFound {
        return nil
    }
}

@Suite struct TimeTravelListings {
    @Test(arguments: StoreKind.allCases)
    func listingsReadThePast(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context()
        let before = try context.currentHistoryToken()
        let trip = Trip(name: "Honeymoon", destination: "Rome")
        context.insert(trip)
        try context.save()
        let token = try context.currentHistoryToken()
        trip.name = "Holiday"
        try context.save()
        #expect(try names(in: test.container, asOf: token) == ["Honeymoon"])
        #expect(try previousName(of: trip, in: test.container, asOf: token) == "Honeymoon")
        #expect(try previousName(of: trip, in: test.container, asOf: before) == nil)
    }

    @Test func aNewFilePreservesValues() throws {
        let directory = try TemporaryDirectory()
        let container = try openTrips(at: directory.file("trips.store"))
        let context = ModelContext(container)
        context.insert(Trip(name: "Honeymoon", destination: "Rome"))
        try context.save()
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let change = try #require(transactions.first?.changes.first)
        #expect(change.preservedValues.contains { $0.name == "destination" && $0.value as? String == "Rome" })
    }
}

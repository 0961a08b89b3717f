import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about predicates.

@Model private final class Trip {
    var name: String
    var destination: String
    var startDate = Date(timeIntervalSinceReferenceDate: 0)
    var budget: Int
    var note: String?
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, budget: Int, note: String? = nil) {
        (self.name, self.destination, self.budget, self.note) = (name, destination, budget, note)
    }
}

@Model private final class LivingAccommodation {
    var isConfirmed = true

    init() {}
}

@Model private final class Hotel {
    var address: Address
    var labels: [String] = []

    init(_ address: Address, labels: [String]) { (self.address, self.labels) = (address, labels) }
}

private struct Address: Codable {
    struct Location: Codable {
        var latitude: Double
    }

    var city: String
    var location: Location?
}

private struct TripFilter: Codable {
    struct Range: Codable {
        var lower: Int
    }

    var budgets: Range?
    var hidden: [String]?
    var words: [String] = []
}

private func newYorkTrips(in context: ModelContext) throws -> [Trip] {
    let newYork = FetchDescriptor<Trip>(
        predicate: #Predicate { $0.destination.starts(with: "New") && $0.livingAccommodation?.isConfirmed == true },
        sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name, order: .reverse)])
    return try context.fetch(newYork)
}

private func trips(with text: String, in context: ModelContext) throws -> [Trip] {
    let predicate = #Predicate<Trip> {
        text.isEmpty || $0.name.localizedStandardContains(text) || $0.note?.localizedStandardContains(text) == true
    }
    return try context.fetch(FetchDescriptor(predicate: predicate))
}

private func trips(of filter: TripFilter, in context: ModelContext) throws -> [Trip] {
    let predicate = #Predicate<Trip> { trip in
        trip.budget >= filter.budgets?.lower ?? 0 && !(filter.hidden ?? []).contains(trip.name)
            && filter.words.allSatisfy { trip.name.contains($0) }
    }
    return try context.fetch(FetchDescriptor(predicate: predicate))
}

private func hotels(in context: ModelContext) throws -> [Hotel] {
    let inRome = #Predicate<Hotel> {
        $0.address.city == "Rome" && ($0.address.location?.latitude ?? 0) > 41 && $0.labels.contains("quiet")
    }
    return try context.fetch(FetchDescriptor(predicate: inRome))
}

@Suite struct PredicateListings {
    @Test func predicatesSelectModels() throws {
        let context = try TestStore(.inMemory, [Trip.self, LivingAccommodation.self, Hotel.self]).context()
        for (name, destination, budget, note) in [
            ("Café tour", "New York", 900, nil), ("Museums", "New Delhi", 100, "with cafe"),
            ("Beach", "Rome", 500, nil),
        ] {
            let trip = Trip(name: name, destination: destination, budget: budget, note: note)
            trip.livingAccommodation = LivingAccommodation()
            context.insert(trip)
        }
        context.insert(Hotel(Address(city: "Rome", location: .init(latitude: 41.9)), labels: ["quiet"]))
        context.insert(Hotel(Address(city: "Rome"), labels: ["quiet"]))
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(try newYorkTrips(in: context).map(\.name) == ["Museums", "Café tour"])
            #expect(try Set(trips(with: "CAFE", in: context).map(\.name)) == ["Museums", "Café tour"])
            let filter = TripFilter(budgets: .init(lower: 200), hidden: ["Beach"], words: ["tour"])
            #expect(try trips(of: filter, in: context).map(\.name) == ["Café tour"])
            #expect(try hotels(in: context).count == 1)
        }
    }
}

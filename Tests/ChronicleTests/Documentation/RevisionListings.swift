import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about revisions.

/// Returns a line for each state in which a trip had a destination.
func visits(to place: String, of trip: Trip, in context: ModelContext) throws -> [String] {
    let descriptor = RevisionDescriptor<Trip>(
        predicate: #Predicate { $0.destination == place }, of: [trip.persistentModelID])
    return try context.fetchRevisions(descriptor).map { revision in
        let author = revision.transaction?.author ?? "unknown"
        return "\(try revision[\.name]) by \(author)\(revision.isCurrent ? ", now" : "")"
    }
}

/// Returns who cancelled trips since a date.
func cancellations(since date: Date, in context: ModelContext) throws -> [String?] {
    var descriptor = RevisionDescriptor<Trip>(
        predicate: #Predicate { $0.note == "cancelled" }, transactions: #Predicate { $0.timestamp >= date })
    descriptor.changedProperties = [\.note]
    descriptor.order = .reverse
    descriptor.fetchLimit = 20
    return try context.fetchRevisions(descriptor).map { $0.transaction?.author }
}

@Suite struct RevisionListings {
    @Test(arguments: StoreKind.allCases)
    func revisionsAreFetched(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context(author: "alice")
        let trip = Trip(name: "Summer", destination: "Rome")
        context.insert(trip)
        try context.save()
        trip.destination = "Oslo"
        try context.save()
        context.author = "bob"
        (trip.destination, trip.note) = ("Rome", "cancelled")
        try context.save()
        trip.name = "Autumn"
        try context.save()

        #expect(
            try visits(to: "Rome", of: trip, in: context) == [
                "Summer by alice", "Summer by bob", "Autumn by bob, now",
            ])
        #expect(try cancellations(since: .distantPast, in: context) == ["bob"])
        #expect(try cancellations(since: .distantFuture, in: context) == [])
    }
}

import Chronicle
import Foundation
import SampleTrips

/// A store in a directory of its own with one trip, and a context for each who writes to it.
final class TripsFixture {
    private let directory: URL
    let app: ModelContext
    let widget: ModelContext
    /// Signs nothing.
    let stranger: ModelContext

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "SampleTripsTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        app = try TripStore.open(
            directory.appending(path: "Trips.store"), author: TripStore.Author.app, creating: true)
        widget = ModelContext(app.container)
        widget.author = TripStore.Author.widget
        stranger = ModelContext(app.container)
        try addTrip("Rome")
    }

    deinit {
        do { try FileManager.default.removeItem(at: directory) } catch { print(error) }
    }

    func addTrip(_ name: String) throws {
        let trip = Trip(
            name: name, destination: "Italy", startDate: try Day.parse("2027-05-01"),
            endDate: try Day.parse("2027-05-08"))
        app.insert(trip)
        trip.livingAccommodation = LivingAccommodation(placeName: "Casa Rossa")
        try app.save()
    }

    /// Changes the trip of this name in a context, and saves.
    func change(_ name: String = "Rome", in context: ModelContext, _ body: (Trip) -> Void) throws {
        body(try context.trip(named: name, starting: nil))
        try context.save()
    }

    func confirm(_ name: String = "Rome", in context: ModelContext) throws {
        try change(name, in: context) { $0.livingAccommodation?.isConfirmed = true }
    }

    /// Catches up in a context that has seen nothing.
    func catchUp(_ unread: inout UnreadTrips) throws -> UnreadTrips.Report {
        try unread.catchUp(with: TripHistory(ModelContext(app.container)))
    }

    /// The names of the trips with a mark.
    func marked(_ unread: UnreadTrips) throws -> [String] {
        try app.trips().filter { unread.contains($0.persistentModelID) }.map(\.name)
    }
}

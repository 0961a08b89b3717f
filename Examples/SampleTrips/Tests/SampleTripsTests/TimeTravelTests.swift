import Chronicle
import Foundation
import SampleTrips
import Testing

/// The values in the history, the trips as they were, and the undo of the app's own changes.
@Suite struct TimeTravelTests {
    private let trips: TripsFixture

    init() throws { trips = try TripsFixture(.sqlite) }

    @Test func theHistoryOfATripContainsItsValues() throws {
        try trips.change(in: trips.widget) { $0.destination = "Lazio" }
        let rome = try trips.app.trip(named: "Rome", starting: nil)
        let lines = try trips.app.history(of: rome).map { HistoryText().lines($0) }
        #expect(lines.count == 2)
        #expect(lines[0].contains("    destination: Italy") && lines[0].contains("    startDate: 2027-05-01"))
        #expect(lines[1].first?.contains("by widget") == true)
        #expect(lines[1].last == "    destination: Italy → Lazio")
    }

    @Test func anUndoOfTheAppKeepsTheChangesOfTheWidget() throws {
        let before = try trips.app.tag("before")
        try trips.addTrip("Paris")
        try trips.confirm(in: trips.widget)
        let past = try ModelContext(trips.app.container, asOf: before)
        #expect(try past.trips().map(\.name) == ["Rome"])
        let app = ModelContext(trips.app.container)
        app.author = TripStore.Author.app
        #expect(try app.undoHistory.undo() != nil)
        let rest = try ModelContext(trips.app.container).trips()
        #expect(rest.map(\.name) == ["Rome"])
    }
}

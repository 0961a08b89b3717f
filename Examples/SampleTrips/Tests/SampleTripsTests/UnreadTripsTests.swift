import Chronicle
import Foundation
import SampleTrips
import Testing

@Suite struct UnreadTripsTests {
    let trips: TripsFixture
    var unread = UnreadTrips()

    init() throws { trips = try TripsFixture() }

    @Test mutating func updateMarksTheTripOfTheAccommodation() throws {
        try trips.addTrip("Kyoto")
        try trips.confirm("Kyoto", in: trips.widget)
        let report = try trips.catchUp(&unread)
        #expect(report.deletedTrips.isEmpty && !report.startedOver)
        #expect(try trips.marked(unread) == ["Kyoto"])
    }

    @Test mutating func insertMarksAndDeleteUnmarks() throws {
        try trips.change(in: trips.widget) { $0.livingAccommodation = LivingAccommodation(placeName: "Tent") }
        _ = try trips.catchUp(&unread)
        #expect(try trips.marked(unread) == ["Rome"])

        let trip = try trips.widget.trip(named: "Rome", starting: nil)
        trips.widget.delete(try #require(trip.livingAccommodation))
        try trips.widget.save()
        _ = try trips.catchUp(&unread)
        #expect(unread.marks.isEmpty)
    }

    @Test mutating func onlyTheWidgetMarks() throws {
        try trips.confirm(in: trips.app)
        try trips.change(in: trips.stranger) { $0.livingAccommodation?.placeName = "Tent" }
        _ = try trips.catchUp(&unread)
        #expect(unread.marks.isEmpty)
    }

    @Test mutating func aMarkThatWasClearedStaysCleared() throws {
        try trips.confirm(in: trips.widget)
        _ = try trips.catchUp(&unread)
        unread.remove(try trips.app.trip(named: "Rome", starting: nil).persistentModelID)
        _ = try trips.catchUp(&unread)
        #expect(unread.marks.isEmpty)
    }

    @Test mutating func theTokenMovesPastWhatOthersWrote() throws {
        _ = try trips.catchUp(&unread)
        try trips.confirm(in: trips.app)
        _ = try trips.catchUp(&unread)
        let current = try trips.app.currentHistoryToken()
        #expect(unread.readToken == current)
    }

    @Test(arguments: [TripStore.Author.widget, nil])
    mutating func deletedTripsAreReportedOnceByTheirTombstones(author: String?) throws {
        try trips.confirm(in: trips.widget)
        _ = try trips.catchUp(&unread)
        trips.stranger.author = author
        trips.stranger.delete(try trips.stranger.trip(named: "Rome", starting: nil))
        try trips.stranger.save()

        let deleted = try trips.catchUp(&unread).deletedTrips
        #expect(deleted.map(\.name) == ["Rome"])
        #expect(deleted.map(\.startDate) == [try Day.parse("2027-05-01")])
        #expect(deleted.map(\.endDate) == [try Day.parse("2027-05-08")])
        #expect(unread.marks.isEmpty)
        #expect(try trips.catchUp(&unread).deletedTrips.isEmpty)
    }

    @Test mutating func anExpiredTokenStartsOverWithTheMarksThatAreStillTrue() throws {
        try trips.addTrip("Kyoto")
        try trips.confirm("Rome", in: trips.widget)
        try trips.confirm("Kyoto", in: trips.widget)
        _ = try trips.catchUp(&unread)
        trips.app.delete(try trips.app.trip(named: "Kyoto", starting: nil))
        try trips.app.save()
        try trips.app.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())

        #expect(try trips.catchUp(&unread).startedOver)
        #expect(try trips.marked(unread) == ["Rome"])
        #expect(unread.marks.count == 1)
        #expect(try !trips.catchUp(&unread).startedOver)
    }

    @Test mutating func survivesJSON() throws {
        try trips.confirm(in: trips.widget)
        _ = try trips.catchUp(&unread)
        var decoded = try JSONDecoder().decode(UnreadTrips.self, from: JSONEncoder().encode(unread))
        #expect(decoded == unread)
        _ = try trips.catchUp(&decoded)
        #expect(try trips.marked(decoded) == ["Rome"])
    }
}

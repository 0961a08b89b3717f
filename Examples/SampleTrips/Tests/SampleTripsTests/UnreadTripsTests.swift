import Chronicle
import Foundation
import SampleTrips
import Testing

/// These tests run with every kind of store.
@Suite struct UnreadTripsTests {
    @Test(arguments: StoreKind.files)
    func updateOfAnAccommodationMarksItsTrip(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.addTrip("Kyoto")
        try trips.confirm("Kyoto", in: trips.widget)
        let report = try trips.catchUp()
        #expect(report.deletedTrips.isEmpty && !report.startedOver)
        #expect(try trips.marked() == ["Kyoto"])
    }

    @Test(arguments: StoreKind.files)
    func insertMarksAndDeleteUnmarks(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.change(in: trips.widget) { $0.livingAccommodation = LivingAccommodation(placeName: "Tent") }
        try trips.catchUp()
        #expect(try trips.marked() == ["Rome"])

        let trip = try trips.widget.trip(named: "Rome", starting: nil)
        trips.widget.delete(try #require(trip.livingAccommodation))
        try trips.widget.save()
        try trips.catchUp()
        #expect(trips.unread.marks.isEmpty)
    }

    @Test(arguments: StoreKind.files)
    func onlyChangesOfTheWidgetAreMarked(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.confirm(in: trips.app)
        try trips.change(in: trips.stranger) { $0.livingAccommodation?.placeName = "Tent" }
        try trips.catchUp()
        #expect(trips.unread.marks.isEmpty)
    }

    @Test(arguments: StoreKind.files)
    func clearedMarksStayCleared(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.confirm(in: trips.widget)
        try trips.catchUp()
        trips.unread.remove(try trips.app.trip(named: "Rome", starting: nil).persistentModelID)
        try trips.catchUp()
        #expect(trips.unread.marks.isEmpty)
    }

    @Test(arguments: StoreKind.files)
    func tokenAdvancesPastTransactionsOfOtherAuthors(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.catchUp()
        try trips.confirm(in: trips.app)
        try trips.catchUp()
        #expect(try trips.unread.isAtTheEnd(in: trips.app))
    }

    @Test(arguments: StoreKind.files, [TripStore.Author.widget, nil])
    func deletedTripsAreReportedOnceFromTombstones(_ kind: StoreKind, author: String?) throws {
        let trips = try TripsFixture(kind)
        try trips.confirm(in: trips.widget)
        try trips.catchUp()
        trips.stranger.author = author
        trips.stranger.delete(try trips.stranger.trip(named: "Rome", starting: nil))
        try trips.stranger.save()

        let deleted = try trips.catchUp().deletedTrips
        #expect(deleted.map(\.name) == ["Rome"])
        #expect(deleted.map(\.startDate) == [try Day.parse("2027-05-01")])
        #expect(deleted.map(\.endDate) == [try Day.parse("2027-05-08")])
        #expect(trips.unread.marks.isEmpty)
        #expect(try trips.catchUp().deletedTrips.isEmpty)
    }

    @Test(arguments: StoreKind.files)
    func expiredTokenStartsOverAndKeepsValidMarks(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.addTrip("Kyoto")
        try trips.confirm("Rome", in: trips.widget)
        try trips.confirm("Kyoto", in: trips.widget)
        try trips.catchUp()
        trips.app.delete(try trips.app.trip(named: "Kyoto", starting: nil))
        try trips.app.save()
        try trips.deleteAllHistory()

        #expect(try trips.catchUp().startedOver)
        #expect(try trips.marked() == ["Rome"])
        #expect(trips.unread.marks.count == 1)
        #expect(try !trips.catchUp().startedOver)
    }

    @Test(arguments: StoreKind.files)
    func stateRoundTripsThroughJSON(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.confirm(in: trips.widget)
        try trips.catchUp()
        trips.unread = try #require(try trips.unread.decodedFromJSON())
        try trips.catchUp()
        #expect(try trips.marked() == ["Rome"])
    }

    @Test(arguments: StoreKind.files)
    func readingContinuesAfterReopening(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        try trips.catchUp()
        try trips.confirm(in: trips.widget)
        let reopened = try trips.store.open(author: TripStore.Author.app)
        let report = try trips.unread.catchUp(in: reopened)
        #expect(!report.startedOver)
        #expect(try trips.marked() == ["Rome"])
    }
}

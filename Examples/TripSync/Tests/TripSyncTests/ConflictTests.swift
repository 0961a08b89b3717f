import Chronicle
import Foundation
import Testing

@testable import TripSync

/// Two devices change the same models while they are offline.
@Suite("Conflicts") struct ConflictTests {
    let fixture: SyncFixture
    let phone: Device
    let tablet: Device

    /// Both devices contain the trip “Rome” with the item “Forum”.
    init() throws {
        fixture = try SyncFixture()
        phone = try fixture.device("phone")
        tablet = try fixture.device("tablet")
        try phone.edit { context in
            let trip = Trip(name: "Rome", destination: "Italy", startDate: day(10))
            trip.bucketList = [BucketListItem(title: "Forum")]
            context.insert(trip)
        }
        try synchronize()
    }

    private func day(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400) }

    /// Synchronises the phone before the tablet, until both have everything.
    private func synchronize() throws {
        for device in [phone, tablet, phone] { try device.session.synchronize() }
    }

    private func expectEqualStores(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let content = try fixture.hubContent()
        #expect(try phone.content() == content, sourceLocation: sourceLocation)
        #expect(try tablet.content() == content, sourceLocation: sourceLocation)
    }

    private func trip(_ container: ModelContainer) throws -> Trip {
        try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    }

    @Test func differentPropertiesAreCombined() throws {
        try phone.edit("Rome") { $0.destination = "Lazio" }
        try tablet.edit("Rome") { $0.notes = "By train" }
        try synchronize()
        let trip = try trip(phone.container)
        #expect(trip.destination == "Lazio")
        #expect(trip.notes == "By train")
        #expect(try fixture.conflicts().isEmpty)
        try expectEqualStores()
    }

    @Test func lastChangeRemains() throws {
        try phone.edit("Rome") { $0.destination = "of the phone" }
        try tablet.edit("Rome") { $0.destination = "of the tablet" }
        try synchronize()
        #expect(try trip(phone.container).destination == "of the tablet")
        let conflict = try #require(try fixture.conflicts().first)
        #expect(conflict.propertyName == "destination")
        #expect(conflict.device == "tablet")
        #expect(conflict.hubValue == "“of the phone”")
        #expect(conflict.result == "“of the tablet”")
        try expectEqualStores()
    }

    @Test(arguments: [(3, 7), (7, 3)]) func earlierDayRemains(_ phoneDay: Int, _ tabletDay: Int) throws {
        try phone.edit("Rome") { $0.startDate = day(phoneDay) }
        try tablet.edit("Rome") { $0.startDate = day(tabletDay) }
        try synchronize()
        #expect(try trip(tablet.container).startDate == day(3))
        try expectEqualStores()
    }

    /// The device that lost the conflict also has a later change of the same property.
    @Test func changesAfterALostConflictAreSent() throws {
        let rule = ConflictRule.firstChange
        let other = try Device(
            "laptop", at: fixture.directory.appending(path: "laptop.store"), hub: fixture.hub, rule: rule)
        try other.session.synchronize()
        try phone.edit("Rome") { $0.destination = "of the phone" }
        try other.edit("Rome") { $0.destination = "of the laptop" }
        try phone.session.synchronize()
        try other.session.synchronize()
        #expect(try trip(other.container).destination == "of the phone")
        try other.edit("Rome") { $0.destination = "again" }
        try other.session.synchronize()
        try synchronize()
        #expect(try trip(phone.container).destination == "again")
        try expectEqualStores()
    }

    @Test func closuresReplaceRules() throws {
        let rule = ConflictRule { conflict in
            guard case .text(let hub) = conflict.hubValue, case .text(let device) = conflict.deviceValue else {
                return conflict.hubValue
            }
            return .text([hub, device].sorted().joined(separator: " or "))
        }
        let other = try Device(
            "laptop", at: fixture.directory.appending(path: "laptop.store"), hub: fixture.hub, rule: rule)
        try other.session.synchronize()
        try phone.edit("Rome") { $0.destination = "Naples" }
        try other.edit("Rome") { $0.destination = "Bari" }
        try phone.session.synchronize()
        try other.session.synchronize()
        try synchronize()
        #expect(try trip(phone.container).destination == "Bari or Naples")
        #expect(try trip(other.container).destination == "Bari or Naples")
        try expectEqualStores()
    }

    @Test func deletesRemain() throws {
        try phone.edit { $0.delete(try #require(try $0.fetch(FetchDescriptor<Trip>()).first)) }
        try tablet.edit("Rome") { $0.notes = "By train" }
        try synchronize()
        #expect(try fixture.hubContent().count == 0)
        let conflict = try #require(try fixture.conflicts().first)
        #expect(conflict.propertyName == nil)
        #expect(conflict.deviceValue == "notes: “By train”")
        try expectEqualStores()
    }

    /// The other device has added to a trip that is deleted: the item remains, without a trip.
    @Test func itemsOfDeletedTripsRemain() throws {
        try phone.edit { $0.delete(try #require(try $0.fetch(FetchDescriptor<Trip>()).first)) }
        try tablet.edit("Rome") { $0.bucketList.append(BucketListItem(title: "Pantheon")) }
        try synchronize()
        let items = try ModelContext(tablet.container).fetch(FetchDescriptor<BucketListItem>())
        #expect(items.map(\.title) == ["Pantheon"])
        #expect(items.first?.trip == nil)
        try expectEqualStores()
    }
}

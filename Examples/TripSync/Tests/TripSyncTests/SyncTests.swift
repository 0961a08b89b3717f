import Chronicle
import Foundation
import Testing

@testable import TripSync

/// Devices without conflicts: the first synchronisation, positions, and stores that were replaced.
@Suite("Synchronisation") struct SyncTests {
    let fixture: SyncFixture

    init() throws { fixture = try SyncFixture() }

    private func addTrip(_ name: String, to device: Device) throws {
        try device.edit { context in
            let trip = Trip(name: name, destination: "somewhere")
            trip.bucketList = [BucketListItem(title: "see \(name)")]
            context.insert(trip)
        }
    }

    private func names(_ container: ModelContainer) throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }

    @Test func newDevicesReceiveASnapshot() throws {
        let phone = try fixture.device("phone")
        for name in ["Rome", "Oslo", "Bern"] { try addTrip(name, to: phone) }
        try phone.session.synchronize()
        try ModelContext(fixture.hub).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let tablet = try fixture.device("tablet")
        try addTrip("Paris", to: tablet)
        try tablet.session.synchronize()
        #expect(try names(tablet.container) == ["Bern", "Oslo", "Paris", "Rome"])
        #expect(try tablet.content() == fixture.hubContent())
        try phone.session.synchronize()
        #expect(try phone.content() == fixture.hubContent())
    }

    /// What a device receives is not sent back.
    @Test func changesDoNotReturn() throws {
        let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        try phone.session.synchronize()
        try tablet.session.synchronize()
        try addTrip("Rome", to: phone)
        #expect(try phone.session.synchronize().sent == 1)
        #expect(try tablet.session.synchronize().sent == 0)
        try phone.session.synchronize()
        for device in [phone, tablet] {
            let summary = try device.session.synchronize()
            #expect(summary == SyncSummary(sent: 0, received: 0))
        }
    }

    /// Each transaction of a device is one transaction of the hub, with the author of the device.
    @Test func transactionsRemainTransactions() throws {
        let phone = try fixture.device("phone")
        try phone.session.synchronize()
        let token = try ModelContext(fixture.hub).currentHistoryToken()
        for name in ["Rome", "Oslo"] { try addTrip(name, to: phone) }
        try phone.session.synchronize()
        let transactions: [DefaultHistoryTransaction] = try ModelContext(fixture.hub).fetchHistory(.after(token))
        #expect(transactions.map(\.author) == ["phone", "phone"])
    }

    /// The connection is cut at each step.
    @Test(arguments: SyncStep.allCases, HubKind.available)
    func interruptedSessionsContinue(_ step: SyncStep, _ kind: HubKind) throws {
        let fixture = try SyncFixture(kind)
        let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        try phone.session.synchronize()
        try addTrip("Oslo", to: tablet)
        try tablet.session.synchronize()
        try addTrip("Rome", to: phone)
        phone.cut = step
        #expect(throws: Device.Cut.self) { try phone.session.synchronize() }
        try phone.session.synchronize()
        try tablet.session.synchronize()
        #expect(try names(fixture.hub) == ["Oslo", "Rome"])
        #expect(try phone.content() == fixture.hubContent())
        #expect(try tablet.content() == fixture.hubContent())
        let inserts: [DefaultHistoryTransaction] = try ModelContext(fixture.hub).fetchHistory(HistoryDescriptor())
        let trips = inserts.flatMap(\.changes).filter {
            if case .insert(_ as DefaultHistoryInsert<Trip>) = $0 { true } else { false }
        }
        #expect(trips.count == 2)
    }

    /// The hub deleted the history that the device has not read.
    @Test func expiredHubHistoryKeepsUnsentChanges() throws {
        let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        try addTrip("Rome", to: phone)
        try phone.session.synchronize()
        try tablet.session.synchronize()

        try phone.edit("Rome") { $0.destination = "Lazio" }
        try addTrip("Oslo", to: phone)
        try phone.session.synchronize()
        try fixture.hub.removeHistoryConsumer(named: "device tablet")
        try ModelContext(fixture.hub).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        try tablet.edit("Rome") { $0.notes = "By train" }
        try addTrip("Bern", to: tablet)

        let later = try fixture.device("tablet")
        try later.session.synchronize()
        #expect(try names(later.container) == ["Bern", "Oslo", "Rome"])
        try phone.session.synchronize()
        let trip = try ModelContext(fixture.hub).fetch(FetchDescriptor<Trip>()).first { $0.name == "Rome" }
        #expect(trip?.destination == "Lazio")
        #expect(trip?.notes == "By train")
        #expect(try later.content() == fixture.hubContent())
        #expect(try phone.content() == fixture.hubContent())
    }

    /// The device deleted its history before it was sent.
    @Test func expiredDeviceHistoryKeepsUnsentChanges() throws {
        let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        for name in ["Rome", "Bern"] { try addTrip(name, to: phone) }
        try phone.session.synchronize()
        try tablet.session.synchronize()
        try phone.edit("Rome") { $0.destination = "Lazio" }
        try phone.session.synchronize()

        try tablet.edit("Rome") { $0.notes = "By train" }
        try tablet.edit { context in
            for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.name == "Bern" { context.delete(trip) }
        }
        try addTrip("Oslo", to: tablet)
        try ModelContext(tablet.container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        try tablet.session.synchronize()
        try phone.session.synchronize()
        #expect(try names(fixture.hub) == ["Oslo", "Rome"])
        let trip = try ModelContext(fixture.hub).fetch(FetchDescriptor<Trip>()).first { $0.name == "Rome" }
        #expect(trip?.destination == "Lazio")
        #expect(trip?.notes == "By train")
        #expect(try tablet.content() == fixture.hubContent())
        #expect(try phone.content() == fixture.hubContent())
    }

    /// Another device changed the same properties, and the hub delivers these changes before the device sends its values.
    @Test(arguments: HubKind.available) func expiredDeviceHistoryKeepsConflicts(_ kind: HubKind) throws {
        let fixture = try SyncFixture(kind)
        let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        try addTrip("Rome", to: phone)
        try phone.session.synchronize()
        try tablet.session.synchronize()
        for number in 1...2 { try phone.edit("Rome") { ($0.destination, $0.notes) = ("phone \(number)", "\(number)") } }
        try phone.session.synchronize()

        try tablet.edit("Rome") { $0.destination = "of the tablet" }
        try ModelContext(tablet.container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        try tablet.session.synchronize()
        try phone.session.synchronize()
        let trip = try #require(
            try ModelContext(fixture.hub).fetch(FetchDescriptor<Trip>()).first { $0.name == "Rome" })
        #expect(trip.destination == "of the tablet")
        #expect(trip.notes == "2")
        #expect(try fixture.conflicts().map(\.hubValue) == ["“phone 2”"])
        #expect(try tablet.content() == fixture.hubContent())
        #expect(try phone.content() == fixture.hubContent())
    }

    @Test func otherHubsAreRejected() throws {
        let phone = try fixture.device("phone")
        try addTrip("Rome", to: phone)
        try phone.session.synchronize()
        let path = fixture.directory.appending(path: "other.store").path
        let other = try Stores.hub(at: path)
        let session = try SyncSession(device: phone.container, named: "phone", hub: other)
        #expect(throws: SyncError.self) { try session.synchronize() }
        #expect(try names(other).isEmpty)
        try session.forgetHub()
        try session.synchronize()
        #expect(try Content(ModelContext(other)) == phone.content())
    }

    @Test func namesOfDevicesAreUnique() throws {
        let phone = try fixture.device("phone")
        try phone.session.synchronize()
        let url = fixture.directory.appending(path: "second.store")
        let second = try Device("phone", at: url, hub: fixture.hub)
        #expect(throws: SyncError.self) { try second.session.synchronize() }
    }

    /// The hub is replaced by a backup. The devices send again what it lost.
    @Test func restoredHubsReceiveLostChanges() throws {
        let backup = fixture.directory.appending(path: "backup.store")
        do {
            let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
            try addTrip("Rome", to: phone)
            try phone.session.synchronize()
            try tablet.session.synchronize()
            try SyncFixture.run("sqlite3", fixture.hubPath, "VACUUM INTO '\(backup.path)'")
            try addTrip("Oslo", to: phone)
            try phone.session.synchronize()
            try tablet.session.synchronize()
            try addTrip("Bern", to: tablet)
        }
        let hub = try Stores.hub(at: backup.path)
        let phone = try Device("phone", at: fixture.directory.appending(path: "phone.store"), hub: hub)
        let tablet = try Device("tablet", at: fixture.directory.appending(path: "tablet.store"), hub: hub)
        for device in [tablet, phone, tablet] { try device.session.synchronize() }
        #expect(try names(hub) == ["Bern", "Oslo", "Rome"])
        let content = try Content(ModelContext(hub))
        #expect(try phone.content() == content)
        #expect(try tablet.content() == content)
    }

    /// A value that depends on one that the hub lost as well, and a trip that only another device still has.
    @Test(arguments: [["phone"], ["tablet"], ["phone", "tablet"], ["tablet", "phone"]])
    func restoredHubsReceiveTheNewestState(_ order: [String]) throws {
        let backup = fixture.directory.appending(path: "backup.store")
        do {
            let (phone, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
            try addTrip("Rome", to: phone)
            try phone.session.synchronize()
            try tablet.session.synchronize()
            try SyncFixture.run("sqlite3", fixture.hubPath, "VACUUM INTO '\(backup.path)'")
            try phone.edit("Rome") { $0.name = "Roma" }
            try addTrip("Oslo", to: phone)
            try phone.session.synchronize()
            try tablet.session.synchronize()
            try tablet.edit("Roma") { $0.name = "Roma in May" }
            try addTrip("Bern", to: tablet)
            try tablet.session.synchronize()
            try phone.session.synchronize()
        }
        let hub = try Stores.hub(at: backup.path)
        let devices = try order.map { name in
            try Device(name, at: fixture.directory.appending(path: "\(name).store"), hub: hub)
        }
        for device in devices + devices {
            try device.session.synchronize()
            #expect(try names(hub) == ["Bern", "Oslo", "Roma in May"])
        }
        for device in devices { #expect(try device.content() == Content(ModelContext(hub))) }
        // Sending the state again changes nothing.
        let token = try ModelContext(hub).currentHistoryToken()
        for device in devices { try device.session.synchronize() }
        #expect(try ModelContext(hub).currentHistoryToken() == token)
    }

    /// What the hub received after it was restored is newer than what it lost, which gets a record.
    @Test func changesAfterTheRestoreStay() throws {
        let backup = fixture.directory.appending(path: "backup.store")
        do {
            let phone = try fixture.device("phone")
            try addTrip("Rome", to: phone)
            try addTrip("Oslo", to: phone)
            try phone.session.synchronize()
            try SyncFixture.run("sqlite3", fixture.hubPath, "VACUUM INTO '\(backup.path)'")
            try phone.edit("Rome") { $0.name = "Roma" }
            try phone.edit("Oslo") { $0.notes = "Rain" }
            try phone.session.synchronize()
        }
        let hub = try Stores.hub(at: backup.path)
        let tablet = try Device("tablet", at: fixture.directory.appending(path: "tablet.store"), hub: hub)
        try tablet.session.synchronize()
        try tablet.edit("Rome") { $0.name = "Rom" }
        try tablet.edit { try $0.fetch(FetchDescriptor<Trip>()).filter { $0.name == "Oslo" }.forEach($0.delete) }
        try tablet.session.synchronize()
        let phone = try Device("phone", at: fixture.directory.appending(path: "phone.store"), hub: hub)
        for device in [phone, tablet] { try device.session.synchronize() }
        #expect(try names(hub) == ["Rom"])
        #expect(try phone.content() == tablet.content())
        let records = try ModelContext(hub).fetch(FetchDescriptor<ConflictRecord>())
        #expect(records.contains { $0.propertyName == "name" && $0.hubValue == "“Rom”" && $0.deviceValue == "“Roma”" })
        #expect(
            records.contains { $0.propertyName == "notes" && $0.hubValue == "deleted" && $0.deviceValue == "“Rain”" })
    }

    /// The hub returned to a value that the device had before, which is newer than what the hub lost.
    @Test func earlierValuesAfterTheRestoreStay() throws {
        let backup = fixture.directory.appending(path: "backup.store")
        do {
            let phone = try fixture.device("phone")
            for name in ["Rome", "Oslo", "Bern"] { try addTrip(name, to: phone) }
            try phone.session.synchronize()
            try SyncFixture.run("sqlite3", fixture.hubPath, "VACUUM INTO '\(backup.path)'")
            try phone.edit("Rome") { $0.name = "Roma" }
            try phone.edit("Oslo") { $0.notes = "Rain" }
            try phone.edit("Bern") { $0.notes = "Snow" }
            try phone.session.synchronize()
        }
        let hub = try Stores.hub(at: backup.path)
        func device(_ name: String) throws -> Device {
            try Device(name, at: fixture.directory.appending(path: "\(name).store"), hub: hub)
        }
        let tablet = try device("tablet")
        try tablet.session.synchronize()
        for (name, newName) in [("Rome", "Rom"), ("Rom", "Rome")] {
            try tablet.edit(name) { $0.name = newName }
            try tablet.session.synchronize()
        }
        let phone = try device("phone")
        for device in [phone, tablet] { try device.session.synchronize() }
        #expect(try names(hub) == ["Bern", "Oslo", "Rome"])
        #expect(try phone.content() == tablet.content())
        #expect(try phone.content() == Content(ModelContext(hub)))
        let trips = try ModelContext(hub).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.notes) == ["Snow", "Rain", nil])
        let records = try ModelContext(hub).fetch(FetchDescriptor<ConflictRecord>())
        #expect(records.map(\.propertyName) == ["name", "name"])
        #expect(records.contains { $0.hubValue == "“Rome”" && $0.deviceValue == "“Roma”" })
    }

    /// A device is replaced by a backup, and changed again. The hub contains more of its transactions, as many, or fewer.
    @Test(arguments: [1, 3, 5], HubKind.available)
    func restoredDevicesSendLaterChanges(_ count: Int, _ kind: HubKind) throws {
        let fixture = try SyncFixture(kind)
        let (original, tablet) = (try fixture.device("phone"), try fixture.device("tablet"))
        try addTrip("Rome", to: original)
        try original.session.synchronize()
        // The hub receives this change before the backup, and the backup does not know.
        try original.edit("Rome") { $0.notes = "By train" }
        original.cut = .afterHubSave
        #expect(throws: Device.Cut.self) { try original.session.synchronize() }
        let backup = try fixture.backUp(original)
        try original.edit("Rome") { $0.destination = "lost" }
        try original.edit("Rome") { $0.startDate = Date(timeIntervalSinceReferenceDate: 0) }
        try addTrip("Oslo", to: original)
        try original.session.synchronize()
        try tablet.session.synchronize()
        try tablet.edit("Rome") { ($0.destination, $0.notes) = ("of the tablet", "By plane") }
        try tablet.session.synchronize()

        let phone = try fixture.restore("phone", from: backup)
        for number in 1...count { try phone.edit("Rome") { $0.destination = "\(number)" } }
        #expect(try phone.session.synchronize().sent == count)
        try tablet.session.synchronize()
        let trip = try #require(
            try ModelContext(fixture.hub).fetch(FetchDescriptor<Trip>()).first { $0.name == "Rome" })
        #expect(trip.destination == "\(count)")
        #expect(trip.notes == "By plane")
        #expect(trip.startDate == Date(timeIntervalSinceReferenceDate: 0))
        #expect(try names(phone.container) == ["Oslo", "Rome"])
        #expect(try fixture.conflicts().map(\.hubValue) == ["“of the tablet”"])
        #expect(try phone.content() == fixture.hubContent())
        #expect(try tablet.content() == fixture.hubContent())
        #expect(try phone.session.synchronize() == SyncSummary(sent: 0, received: 0))
    }

    /// The hub deleted the history after the backup as well.
    @Test func restoredDevicesSendLaterChangesWithoutHubHistory() throws {
        let original = try fixture.device("phone")
        try addTrip("Rome", to: original)
        try original.session.synchronize()
        let backup = try fixture.backUp(original)
        try original.edit("Rome") { ($0.destination, $0.notes) = ("lost", "By train") }
        try addTrip("Oslo", to: original)
        try original.session.synchronize()
        try fixture.hub.removeHistoryConsumer(named: "device phone")
        try ModelContext(fixture.hub).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())

        let phone = try fixture.restore("phone", from: backup)
        try phone.edit("Rome") { $0.destination = "Lazio" }
        #expect(try phone.session.synchronize().sent == 1)
        let trip = try #require(
            try ModelContext(fixture.hub).fetch(FetchDescriptor<Trip>()).first { $0.name == "Rome" })
        #expect(trip.destination == "Lazio")
        #expect(trip.notes == "By train")
        #expect(try names(fixture.hub) == ["Oslo", "Rome"])
        #expect(try fixture.conflicts().map(\.hubValue) == ["“lost”"])
        #expect(try phone.content() == fixture.hubContent())
    }
}

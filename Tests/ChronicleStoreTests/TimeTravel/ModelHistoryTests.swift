import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

typealias Entry = ModelHistoryEntry<DefaultHistoryTransaction>
typealias HistoryRequest = ModelHistoryRequest<DefaultHistoryTransaction>

/// The changes of one model, with values and transactions.
@Suite struct ModelHistoryTests {
    /// A trip that was inserted by “app”, changed by “widget” and deleted by another program.
    private func filled(_ kind: StoreKind) throws -> (TestStore, PersistentIdentifier) {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context(author: "app")
        context.transactionMetadata = ["reason": "import"]
        let (trip, other) = (Trip(name: "Rome", destination: "Italy"), Trip(name: "Oslo", destination: "Norway"))
        for trip in [other, trip] { context.insert(trip) }
        try context.save()
        context.author = "widget"
        context.transactionMetadata = [:]
        (trip.name, trip.note, other.note) = ("Roma", "by train", "x")
        try context.save()
        other.note = "y"
        try context.save()
        trip.note = nil
        try context.save()
        let identifier = trip.persistentModelID
        try store.foreign("DELETE FROM Trip WHERE id = \(try #require(identifier.integerPrimaryKey))")
        return (store, identifier)
    }

    @Test(arguments: StoreKind.allCases)
    func entriesHaveTransactionsAndValues(_ kind: StoreKind) throws {
        let (store, identifier) = try filled(kind)
        let entries = try store.context().history(of: identifier)
        #expect(entries.map(\.kind) == [.insert, .update, .update, .delete])
        #expect(entries.map(\.transaction.author) == ["app", "widget", "widget", nil])
        #expect(entries.map(\.updatedAttributeNames) == [[], ["name", "note"], ["note"], []])
        #expect(entries[0].transaction.metadata == ["reason": "import"] && entries[3].transaction.isExternal)
        let history = try store.history()
        #expect(entries.map(\.transaction.token) == [0, 1, 3, 4].map { history[$0].token })
        #expect(entries.allSatisfy { $0.transaction.changes.isEmpty })

        #expect(entries.map { $0.previousValue(\Trip.name) } == [nil, "Rome", nil, "Roma"])
        #expect(entries.map { $0.value(\Trip.name) } == ["Rome", "Roma", nil, nil])
        #expect(entries.map { $0.previousValue(\Trip.note) } == [nil, .some(nil), "by train", .some(nil)])
        #expect(entries.map { $0.value(\Trip.note) } == [.some(nil), "by train", .some(nil), nil])
        #expect(entries[1].value(named: "name") as? String == "Roma")
        #expect(entries[3].previousValue(named: "destination") as? String == "Italy")
        #expect(entries[3].value(named: "destination") == nil && entries[0].previousValue(named: "name") == nil)
        let newest = try store.context().history(of: identifier, order: .reverse)
        #expect(newest.map(\.change.text) == entries.reversed().map(\.change.text))
    }

    @Test(arguments: StoreKind.allCases)
    func attributeLimitsUpdates(_ kind: StoreKind) throws {
        let (store, identifier) = try filled(kind)
        let context = store.context()
        let names = try context.history(of: identifier, attribute: \Trip.name)
        #expect(names.map(\.kind) == [.insert, .update, .delete])
        #expect(try context.history(of: identifier, attributeNamed: "note").count == 4)
        for name in ["nam", "unknown", ""] {
            #expect(
                try failure { try context.history(of: identifier, attributeNamed: name) } == .unsupportedKeyPath)
        }
        let other = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        #expect(
            try context.history(of: other, attribute: \.note).map { $0.value(\Trip.note) } == [.some(nil), "x", "y"])
        #expect(try context.history(of: other, attribute: \.name).map(\.kind) == [.insert])
    }

    @Test(arguments: StoreKind.allCases)
    func linksAndRelationshipsAreIncluded(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self, BucketListItem.self], preservesValues: true)
        let context = store.context()
        let (item, tag) = (LinkItem("item"), LinkTag("tag"))
        let (trip, toDo) = (Trip(name: "Rome", destination: "Italy"), BucketListItem(title: "Pack"))
        context.insert(item)
        for model in [tag, trip, toDo] as [any PersistentModel] { context.insert(model) }
        try context.save()
        item.tags = [tag]
        toDo.trip = trip
        try context.save()
        item.tags = []
        toDo.trip = nil
        try context.save()
        let links = try context.history(of: item, attribute: \.tags)
        #expect(links.map(\.kind) == [.insert, .update, .update])
        #expect(links[1].addedDestinations(\LinkItem.tags) == [tag.persistentModelID])
        #expect(links[1].removedDestinations(\LinkItem.tags) == [])
        #expect(links[2].removedDestinations(\LinkItem.tags) == [tag.persistentModelID])
        #expect(try context.history(of: tag, attribute: \.items).map(\.kind) == [.insert, .update, .update])

        let linked = LinkItem("linked", tags: [tag])
        context.insert(linked)
        try context.save()
        let insert = try #require(try context.history(of: linked).first)
        #expect(insert.addedDestinations(\LinkItem.tags) == [tag.persistentModelID])
        #expect(insert.removedDestinations(\LinkItem.tags) == nil)

        let trips = try context.history(of: toDo, attribute: \.trip)
        #expect(trips.map { $0.value(\BucketListItem.trip) } == [.some(nil), trip.persistentModelID, .some(nil)])
        #expect(trips.map { $0.previousValue(\BucketListItem.trip) } == [nil, .some(nil), trip.persistentModelID])
        // The changes of a list with a to-one inverse are those of its destinations.
        #expect(try failure { try context.history(of: trip, attribute: \.bucketList) } == .unsupportedKeyPath)
        #expect(try context.history(of: trip).map(\.kind) == [.insert])
    }

    @Test(arguments: StoreKind.allCases)
    func modelsWithoutHistoryAreRejected(_ kind: StoreKind) throws {
        let (store, other) = (try TestStore(kind), try TestStore(.inMemory))
        let context = store.context()
        let trip = Trip(name: "new", destination: "x")
        #expect(try failure { try context.history(of: trip) } == .modelNotFound)
        context.insert(trip)
        #expect(try failure { try context.history(of: trip) } == .modelNotFound)
        #expect(try failure { try context.blame(trip) } == .modelNotFound)
        let stranger = try other.add("a")[0]
        #expect(try failure { try context.history(of: stranger) } == .contextMismatch)
        #expect(try failure { try context.blame(stranger) } == .contextMismatch)
        // A number that no model had.
        let identifier = PersistentIdentifier.Origin(
            storeIdentifier: try store.store.identifier, entityName: "Trip"
        ).identifier(99)
        #expect(try context.history(of: identifier).isEmpty)
        let removed = PersistentIdentifier.Origin(
            storeIdentifier: try store.store.identifier, entityName: "Unknown"
        ).identifier(1)
        #expect(try context.history(of: removed).isEmpty)
    }

    @Test func disabledHistoryIsReported() throws {
        let configuration = ModelConfiguration(
            schema: Schema([Trip.self]), isStoredInMemoryOnly: true, recordsHistory: false)
        let context = ModelContext(try ModelContainer(for: Schema([Trip.self]), configurations: [configuration]))
        let trip = Trip(name: "a", destination: "b")
        context.insert(trip)
        try context.save()
        #expect(try failure { try context.history(of: trip) } == .historyDisabled)
        #expect(try failure { try context.blame(trip) } == .historyDisabled)
        #expect(try failure { try context.tag("a") } == .historyDisabled)
    }

    /// The class and its attributes are available by name.
    @Test func removedClassIsReadByName() throws {
        let store = try TestStore(.file, [Trip.self, LinkItem.self], preservesValues: true)
        let context = store.context()
        let item = LinkItem("old")
        context.insert(item)
        try context.save()
        item.name = "older"
        try context.save()
        let identifier = item.persistentModelID
        let reopened = ModelContext(try store.reopened())
        let entries = try reopened.history(of: identifier, attributeNamed: "name")
        #expect(entries.map { $0.value(named: "name") as? String } == ["old", "older"])
        #expect(try failure { try reopened.history(of: identifier, attribute: \LinkItem.name) } == .unsupportedKeyPath)
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func subclassesShareATable(_ kind: StoreKind, _ isIndexed: Bool) throws {
        let store = try TestStore(kind, vehicleModels, preservesValues: true)
        try store.store.setHistoryIndexedByModel(isIndexed)
        let context = store.context()
        let vehicles = [Vehicle("a"), Car("b"), Taxi("c"), Truck("d"), Car("e")]
        for vehicle in vehicles { context.insert(vehicle) }
        try context.save()
        for vehicle in vehicles { vehicle.name += "!" }
        let part = VehiclePart("wheel", of: vehicles[2])
        context.insert(part)
        try context.save()
        // The identifier of a reference has the entity of the relationship.
        let reference = try #require(try context.history(of: part)[0].value(\VehiclePart.vehicle) ?? nil)
        #expect(reference.entityName == "Vehicle" && reference == vehicles[2].persistentModelID)
        #expect(try context.history(of: reference, attribute: \Taxi.fare).map(\.kind) == [.insert])
        #expect(try context.history(of: reference, attribute: \Taxi.name).map(\.kind) == [.insert, .update])
        #expect(try failure { try context.history(of: reference, attribute: \VehiclePart.name) } == .unsupportedKeyPath)
        #expect(try context.blame(vehicles[2]).attributeNames.contains("fare"))
        for vehicle in vehicles {
            #expect(try context.history(of: vehicle).map(\.kind) == [.insert, .update])
            #expect(
                try context.history(of: vehicle, attribute: \.name, order: .reverse).map(\.kind) == [.update, .insert])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesThatAreNotPreservedAreMissing(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [BucketListItem.self, LinkItem.self])
        let context = store.context()
        let (item, link) = (BucketListItem(title: "Pack"), LinkItem("a"))
        context.insert(item)
        context.insert(link)
        try context.save()
        (item.title, item.trip, link.tags) = ("Go", Trip(name: "Rome", destination: "Italy"), [LinkTag("b")])
        try context.save()
        context.delete(item)
        try context.save()
        for entry in try context.history(of: item) {
            #expect(entry.value(\BucketListItem.title) == nil && entry.previousValue(\BucketListItem.title) == nil)
            let (before, after) = (entry.previousValue(\BucketListItem.trip), entry.value(\BucketListItem.trip))
            #expect(before == .none && after == .none)
            #expect(entry.value(named: "title") == nil && entry.previousValue(named: "trip") == nil)
        }
        #expect(try context.history(of: link).map { $0.addedDestinations(\LinkItem.tags) } == [nil, nil])
        #expect(try context.history(of: link).map(\.updatedAttributeNames) == [[], ["tags"]])
    }

    // MARK: Pages

    @Test(arguments: StoreKind.allCases, [true, false])
    func purgeBetweenPagesIsReported(_ kind: StoreKind, _ isIndexed: Bool) throws {
        let store = try TestStore(kind)
        try store.store.setHistoryIndexedByModel(isIndexed)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        for number in 1...6 {
            trip.note = "\(number)"
            try context.save()
        }
        let history = try store.history()
        var oldest = HistoryRequest(trip.persistentModelID, limit: 2)
        var newest = HistoryRequest(trip.persistentModelID, order: .reverse, limit: 2)
        oldest.continuation = try context.historyPage(oldest).continuation
        newest.continuation = try context.historyPage(newest).continuation
        // What was read in ascending order is deleted: nothing is missing from the following pages.
        try context.deleteHistory(Descriptor.before(history[1].token))
        #expect(try context.historyPage(oldest).entries.map(\.transaction.id) == [history[2].id, history[3].id])
        try context.deleteHistory(Descriptor.before(history[3].token))
        #expect(try failure { try context.historyPage(oldest) } == .historyTokenExpired)
        let rest = try context.historyPage(newest)
        #expect(rest.entries.map(\.transaction.id) == [history[4].id] && rest.continuation == nil)
        #expect(rest.completeAfter == history[3].token)
        // In descending order, the history ends earlier.
        try context.deleteHistory(Descriptor.before(history[5].token))
        let nothing = try context.historyPage(newest)
        #expect(nothing.entries.isEmpty && nothing.completeAfter == history[5].token)
        #expect(try context.history(of: trip).map(\.transaction.id) == [history[6].id])
    }

    /// Without the index, a page visits a limited number of rows, and the next page continues there.
    @Test(arguments: [true, false]) func pagesWithoutAnIndexAreBounded(_ isIndexed: Bool) throws {
        let store = try TestStore(.inMemory)
        try store.store.setHistoryIndexedByModel(isIndexed)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        try store.foreign(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
            INSERT INTO Trip(name, destination, startDate, endDate, tags) SELECT 'n' || i, '', i, i, '[]' FROM n
            """)
        trip.note = "b"
        try context.save()
        for order in [SortOrder.forward, .reverse] {
            var request = HistoryRequest(trip.persistentModelID, order: order)
            var pages: [ModelHistoryPage<DefaultHistoryTransaction>] = []
            repeat {
                pages.append(try context.historyPage(request))
                request.continuation = pages.last?.continuation
            } while request.continuation != nil
            #expect(pages.map(\.entries.count) == (isIndexed ? [2] : [1, 1]))
            #expect(pages.map(\.visitedCount) == (isIndexed ? [2] : [100_000, 50_005]))
        }
        // The header of the long transaction is found without visiting its changes.
        let long = try context.history(
            of: PersistentIdentifier.Origin(
                storeIdentifier: try store.store.identifier, entityName: "Trip"
            ).identifier(75_000))
        #expect(long.map(\.transaction.isExternal) == [true])
    }

    @Test func limitsAreClamped() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        trip.note = "b"
        try context.save()
        var request = HistoryRequest(trip.persistentModelID)
        for (limit, count) in [(Int.max, 2), (0, 1), (Int.min, 1)] {
            request.limit = limit
            #expect(try context.historyPage(request).entries.count == count)
        }
    }

    @Test func restoredBackupIsReported() throws {
        let store = try TestStore(.file)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        var request = HistoryRequest(trip.persistentModelID, limit: 1)
        for note in ["b", "c", "d"] {
            trip.note = note
            try context.save()
        }
        request.continuation = try context.historyPage(request).continuation
        // As if another transaction had been recorded at the newest position.
        try store.shell(
            "UPDATE chronicle_change SET attributes = attributes + 1 WHERE id = (SELECT max(id) FROM chronicle_change)")
        #expect(try failure { try context.historyPage(request) } == .historyTokenForked)
        request.continuation = ModelHistoryContinuation(token: nil, change: -5)
        #expect(try failure { try context.historyPage(request) } == .historyTokenForked)
    }
}

import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// How saves appear in the history.
@Suite struct HistoryReadingTests {
    @Test(arguments: StoreKind.allCases)
    func emptyStoreHasNoHistory(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        #expect(try store.history().isEmpty)
        #expect(try store.store.currentHistoryToken()?.tokenValue == [store.store.identifier: 0])
        #expect(try store.store.fetchHistoryCount(Descriptor()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func saveIsOneTransaction(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context(author: "app")
        context.name = "main"
        let before = Date()
        context.insert(Trip(name: "Rome", destination: "Italy"))
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try context.save()

        let transaction = try #require(store.history().first)
        #expect(transaction.line == "app: insert Trip/1, insert Trip/2")
        #expect(transaction.contextName == "main")
        #expect(transaction.storeIdentifier == (try store.store.identifier))
        #expect(transaction.processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
        #expect(!transaction.bundleIdentifier.isEmpty)
        #expect(!transaction.isExternal)
        #expect(transaction.timestamp >= before && transaction.timestamp <= Date())
        #expect(transaction.token == (try store.store.currentHistoryToken()))
        #expect(transaction.token.checkValue(in: transaction.storeIdentifier) != nil)
        #expect(try store.history().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreTyped(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy", startDate: Date(timeIntervalSinceReferenceDate: 0.1))
        trip.livingAccommodation = LivingAccommodation(placeName: "Inn")
        context.insert(trip)
        try context.save()
        trip.destination = "Lazio"
        trip.note = "hot"
        try context.save()
        context.delete(trip)
        try context.save()

        let transactions = try store.history()
        try #require(transactions.count == 3)
        let types = transactions[0].changes.map { change in
            switch change {
            case .insert(_ as DefaultHistoryInsert<Trip>): "trip"
            case .insert(_ as DefaultHistoryInsert<LivingAccommodation>): "accommodation"
            default: "other"
            }
        }
        #expect(types.sorted() == ["accommodation", "trip"])

        guard case .update(let update as DefaultHistoryUpdate<Trip>) = transactions[1].changes.first else {
            Issue.record("not an update of a trip")
            return
        }
        #expect(update.updatedAttributes as [PartialKeyPath<Trip>] == [\.destination, \.note])
        #expect(update.containsAttribute(\.note))
        #expect(!update.containsAttribute(\.name))
        #expect(update.transactionIdentifier == transactions[1].transactionIdentifier)
        #expect(update.changedPersistentIdentifier.integerPrimaryKey == 1)
        #expect(transactions[1].changes.count == 1)

        let deletes = transactions[2].changes.compactMap { change in
            if case .delete(let delete as DefaultHistoryDelete<Trip>) = change { delete } else { nil }
        }
        #expect(deletes.count == 1)
        let tombstone = try #require(deletes.first).tombstone
        #expect(tombstone[\.name] as String? == "Rome")
        #expect(tombstone[\.startDate] == Date(timeIntervalSinceReferenceDate: 0.1))
        #expect(tombstone[\.endDate] == Date.distantFuture)
        #expect(tombstone[\.destination] as String? == nil)
        #expect(tombstone.attributeNames == ["name", "startDate", "endDate"])
        #expect(transactions[2].changes.contains { $0.text == "delete LivingAccommodation/1" })
    }

    @Test(arguments: StoreKind.allCases)
    func changeIdentifiersIncrease(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        let identifiers = try store.history().flatMap { transaction in
            transaction.changes.compactMap(\.changeIdentifier) + [transaction.id]
        }
        #expect(identifiers == [1, 2, 3, 4, 5, 6])
        #expect(try store.history().map(\.token.tokenValue?.values.first) == [2, 4, 6])
    }

    @Test(arguments: StoreKind.allCases)
    func updatesShareAttributeMasks(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trips = try store.add("a", "b", "c", in: context)
        trips[0].note = "1"
        trips[1].destination = "2"
        trips[2].note = "3"
        try context.save()
        trips[0].destination = "4"
        trips[1].note = "5"
        trips[1].tags = ["x"]
        try context.save()
        #expect(
            try store.lines(.after(store.history()[2].token)) == [
                "update Trip/1 note, update Trip/2 destination, update Trip/3 note",
                "update Trip/1 destination, update Trip/2 note+tags",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func sourcesAreDistinguished(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", author: "app")
        try store.add("b", author: "widget")
        try store.add("c")
        try store.add("d", author: "")
        try store.add("e", author: "app")
        #expect(try store.history().map(\.author) == ["app", "widget", nil, "", "app"])
    }

    @Test func readingDoesNotWaitForASave() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let insert = "INSERT INTO Trip(name, destination, startDate, endDate) VALUES ('b', '', 0, 0)"
        let meanwhile = try store.duringWrite(insert) { try store.lines() }
        #expect(meanwhile == ["insert Trip/1"])
        #expect(try store.lines() == ["insert Trip/1", "insert Trip/2"])
    }

    @Test func readingWritesNothing() throws {
        let store = try TestStore(.file)
        try store.add("a")
        try store.foreign("DELETE FROM Trip")
        func bytes() throws -> [Data] {
            try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store.url.path + $0)) }
        }
        let before = try bytes()
        let lines = ["insert Trip/1", "delete Trip/1"]
        #expect(try store.lines() == lines)
        #expect(try store.lines(Descriptor(predicate: #Predicate { $0.author == nil })) == lines)
        #expect(try store.store.currentHistoryToken() != nil)
        #expect(try bytes() == before)
        let readOnly = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
        #expect(try ModelContext(readOnly).fetchHistory(Descriptor()).map(\.line) == lines)
        #expect(try bytes() == before)
    }
}

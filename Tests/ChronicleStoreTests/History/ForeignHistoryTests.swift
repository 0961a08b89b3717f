import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Changes by other programs are in the history from their commit on.
@Suite struct ForeignHistoryTests {
    private static let columns = "name, destination, startDate, endDate"

    private func insert(_ name: String, _ end: String = "") -> String {
        "INSERT INTO Trip(\(Self.columns)) VALUES ('\(name)', 'x', 0, 0)\(end);"
    }

    // MARK: Kinds of changes

    @Test(arguments: StoreKind.allCases)
    func shellInsertUpdateAndDeleteAreRecorded(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", author: "app")
        try store.foreign(insert("b") + "UPDATE Trip SET note = 'n', destination = 'y' WHERE id = 1")
        try store.foreign("DELETE FROM Trip WHERE id = 1")
        #expect(
            try store.lines() == [
                "app: insert Trip/1", "insert Trip/2, update Trip/1 destination+note, delete Trip/1",
            ])
        let external = try #require(store.history().last)
        #expect(external.isExternal)
        #expect(external.author == nil && external.contextName == nil)
        #expect(external.bundleIdentifier.isEmpty && external.processIdentifier.isEmpty)
        // The delete has three rows, with a preserved name and two dates.
        #expect(external.id == 7)
        #expect(external.token.position(in: external.storeIdentifier) == 7)
    }

    @Test func shellReplaceIsRecorded() throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        let token = try #require(try store.store.currentHistoryToken())
        try store.shell("REPLACE INTO Trip(id, \(Self.columns)) VALUES (1, 'c', 'x', 0, 0)")
        #expect(try store.lines(.after(token)) == ["delete Trip/1, insert Trip/1"])
        guard case .delete(let delete as DefaultHistoryDelete<Trip>)? = try store.history().last?.changes.first else {
            Issue.record("not a delete of a trip")
            return
        }
        #expect(delete.tombstone[\.name] as String? == "a")
    }

    /// REPLACE stores the default value instead of NULL in a column that is NOT NULL.
    @Test func rowsThatDefaultValuesReplaceAreRecorded() throws {
        let store = try TestStore(.file, [Ticket.self])
        try store.shell("INSERT INTO Ticket DEFAULT VALUES; INSERT INTO Ticket(code) VALUES ('other')")
        try store.shell("INSERT OR REPLACE INTO Ticket(code) VALUES (NULL)")
        try store.shell("UPDATE OR REPLACE Ticket SET code = NULL WHERE code = 'other'")
        #expect(
            try store.lines() == [
                "insert Ticket/1, insert Ticket/2, delete Ticket/1, insert Ticket/3, delete Ticket/3, update Ticket/2 code"
            ])
        #expect(try store.shell("SELECT group_concat(id) FROM Ticket") == "2")
    }

    @Test func shellUpsertIsRecorded() throws {
        let store = try TestStore(.file)
        try store.foreign(insert("a"))
        try store.foreign(
            insert("a", " ON CONFLICT(name, startDate, endDate) DO UPDATE SET note = 'again'")
                + insert("a", " ON CONFLICT DO NOTHING") + insert("b", " ON CONFLICT DO NOTHING"))
        let keys = try store.shell("SELECT group_concat(id) FROM Trip").split(separator: ",")
        try #require(keys.count == 2)
        #expect(try store.lines() == ["insert Trip/\(keys[0]), update Trip/\(keys[0]) note, insert Trip/\(keys[1])"])
    }

    @Test func shellCascadesAreRecorded() throws {
        let store = try TestStore(.file)
        let context = store.context()
        let trip = Trip(name: "a", destination: "x")
        trip.livingAccommodation = LivingAccommodation(placeName: "Inn")
        trip.bucketList = [BucketListItem(title: "1"), BucketListItem(title: "2")]
        context.insert(trip)
        try context.save()
        let token = try #require(try store.store.currentHistoryToken())
        try store.shell("PRAGMA foreign_keys = ON; DELETE FROM Trip")
        let changes = try #require(store.history(.after(token)).first).changes.map(\.text)
        #expect(
            Set(changes) == [
                "delete BucketListItem/1", "delete BucketListItem/2", "delete LivingAccommodation/1", "delete Trip/1",
            ])
        #expect(changes.count == 4)
    }

    @Test func rolledBackChangesAreNotRecorded() throws {
        let store = try TestStore(.file)
        try store.shell("BEGIN; \(insert("a")) ROLLBACK")
        #expect(try store.history().isEmpty)
        try store.shell(
            "BEGIN; \(insert("a")) SAVEPOINT s; \(insert("b")) UPDATE Trip SET note = 'x'; ROLLBACK TO s; COMMIT")
        #expect(try store.lines() == ["insert Trip/1"])
        try store.shell("UPDATE Trip SET note = note")
        #expect(try store.lines() == ["insert Trip/1"])
    }

    // MARK: Before they are grouped

    @Test(arguments: StoreKind.allCases)
    func readerWithinUngroupedChangesReceivesEachOnce(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        var token = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        var seen: [String] = []
        func read() throws {
            for transaction in try store.history(.after(token)) {
                #expect(!transaction.changes.isEmpty)
                seen += transaction.changes.map(\.text)
                token = transaction.token
            }
        }
        try store.foreign(insert("a"))
        try read()
        #expect(seen == ["insert Trip/1"])
        try read()
        try store.foreign(insert("b"))
        try read()
        try store.foreign(insert("c"))
        try store.add("d")
        try read()
        try store.foreign("DELETE FROM Trip WHERE id = 4")
        try read()
        try store.add("e")
        try read()
        #expect(
            seen == [
                "insert Trip/1", "insert Trip/2", "insert Trip/3", "insert Trip/4", "delete Trip/4", "insert Trip/5",
            ])
        #expect(
            try store.lines() == [
                "insert Trip/1, insert Trip/2, insert Trip/3", "insert Trip/4", "delete Trip/4", "insert Trip/5",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func groupingAloneIsNotANewTransaction(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.foreign(insert("a") + insert("b"))
        let ungrouped = try #require(try store.store.currentHistoryToken())
        #expect(ungrouped.checkValue(in: try store.store.identifier) == nil)
        #expect(ungrouped == (try store.history().last?.token))
        // Deleting history groups them first, but has nothing to delete here.
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "nobody" }))
        #expect(try store.number("SELECT count(*) FROM chronicle_change WHERE kind < 0") == 1)

        #expect(try store.history(.after(ungrouped)).isEmpty)
        #expect(try store.store.fetchHistoryCount(.after(ungrouped)) == 0)
        #expect(try store.store.fetchHistoryIdentifiers(.after(ungrouped)).isEmpty)
        #expect(try store.store.fetchHistoryWithoutChanges(.after(ungrouped)).isEmpty)
        let unsigned = Descriptor(predicate: #Predicate { $0.token > ungrouped && $0.author == nil })
        #expect(try store.history(unsigned).isEmpty)
        #expect(try store.store.fetchHistoryCount(unsigned) == 0)
        #expect(try store.lines() == ["insert Trip/1, insert Trip/2"])
        let grouped = try #require(try store.store.currentHistoryToken())
        #expect(grouped > ungrouped)
        try store.add("c")
        #expect(try store.lines(.after(ungrouped)) == ["insert Trip/3"])
        #expect(try store.lines(.after(grouped)) == ["insert Trip/3"])
    }

    @Test(arguments: StoreKind.allCases)
    func groupedTransactionIsReadPartiallyAfterAToken(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.foreign(insert("a"))
        let token = try #require(try store.store.currentHistoryToken())
        try store.foreign(insert("b") + insert("c"))
        try store.add("d")
        let rest = ["insert Trip/2, insert Trip/3", "insert Trip/4"]
        #expect(try store.lines(.after(token)) == rest)
        #expect(try store.lines(.after(token).limited(1)) == [rest[0]])
        #expect(try store.lines(.after(token).limited(1, offset: 1)) == [rest[1]])
        #expect(try store.store.fetchHistoryCount(.after(token)) == 2)
        let filtered = Descriptor(predicate: #Predicate { $0.token > token && $0.author == nil })
        #expect(try store.lines(filtered) == rest)
        // The values of its update before the token are no longer included.
        let key = PersistentIdentifier.Origin(storeIdentifier: try store.store.identifier, entityName: "Trip")
        let (first, second) = (key.identifier(1), key.identifier(2))
        func of(_ trip: PersistentIdentifier) -> Descriptor {
            Descriptor(
                predicate: #Predicate { transaction in
                    transaction.token > token
                        && transaction.changes.contains { $0.changedPersistentIdentifier == trip }
                })
        }
        #expect(try store.history(of(first)).isEmpty)
        #expect(try store.lines(of(second)) == [rest[0]])
        let including = Descriptor(predicate: #Predicate { $0.token >= token })
        #expect(try store.lines(including) == ["insert Trip/1, insert Trip/2, insert Trip/3", "insert Trip/4"])
    }

    // MARK: After they are grouped

    @Test(arguments: StoreKind.allCases)
    func predicatesApplyToUngroupedChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", author: "app")
        try store.foreign(insert("b"))
        let all = try store.history()
        let last = try #require(all.last)
        let (identifier, token, then) = (last.id, all[0].token, all[0].timestamp)
        let matching: [Descriptor] = [
            Descriptor(predicate: #Predicate { $0.author == nil }),
            Descriptor(predicate: #Predicate { $0.author != "app" }),
            Descriptor(predicate: #Predicate { $0.contextName == nil && $0.author == nil }),
            Descriptor(predicate: #Predicate { $0.bundleIdentifier == "" }),
            Descriptor(predicate: #Predicate { $0.processIdentifier.isEmpty }),
            Descriptor(predicate: #Predicate { $0.isExternal }),
            Descriptor(predicate: #Predicate { $0.transactionIdentifier == identifier }),
            Descriptor(predicate: #Predicate { $0.token > token }),
            Descriptor(predicate: #Predicate { $0.timestamp > then }),
            Descriptor(
                predicate: #Predicate { transaction in
                    transaction.changes.contains { $0.changedPersistentIdentifier.entityName == "Trip" }
                        && transaction.author == nil
                }),
        ]
        for (index, descriptor) in matching.enumerated() {
            #expect(try store.lines(descriptor) == ["insert Trip/2"], "\(index)")
            #expect(try store.store.fetchHistoryIdentifiers(descriptor) == [identifier], "\(index)")
            #expect(try store.store.fetchHistoryCount(descriptor) == 1, "\(index)")
            let plain = try store.store.fetchHistoryWithoutChanges(descriptor)
            #expect(plain.map(\.token) == [last.token] && plain.allSatisfy { $0.changes.isEmpty }, "\(index)")
        }
        #expect(try store.lines(Descriptor(predicate: #Predicate { $0.author == "app" })) == ["app: insert Trip/1"])
        #expect(try store.store.fetchHistoryCount(Descriptor(predicate: #Predicate { !$0.isExternal })) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func orderAndLimitsApplyToUngroupedChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        try store.foreign(insert("c"))
        let lines = ["insert Trip/1", "insert Trip/2", "insert Trip/3"]
        let orders: [SortDescriptor<Transaction>] = [
            SortDescriptor(\.token, order: .reverse), SortDescriptor(\.timestamp, order: .reverse),
            SortDescriptor(\.transactionIdentifier, order: .reverse),
        ]
        for order in orders {
            let descending = Descriptor(sortBy: [order])
            #expect(try store.lines(descending) == lines.reversed())
            #expect(try store.lines(descending.limited(1)) == [lines[2]])
            #expect(try store.lines(descending.limited(1, offset: 1)) == [lines[1]])
        }
        #expect(try store.lines(Descriptor(sortBy: [SortDescriptor(\.bundleIdentifier)])).first == lines[2])
        #expect(try store.lines(Descriptor().limited(2)) == Array(lines.prefix(2)))
        #expect(try store.lines(Descriptor().limited(1, offset: 2)) == [lines[2]])
        #expect(try store.lines(Descriptor().limited(1, offset: 3)).isEmpty)
        #expect(try store.store.fetchHistoryCount(Descriptor().limited(0, offset: 1)) == 2)
    }
}

private final class Ticket: PersistentModel {
    @Attribute(.unique) var code = "a 'new' one"

    static let properties: PropertyMap<Ticket> = ["code": \.code]
    let persistentBackingData: any BackingData<Ticket>
    init(backingData: any BackingData<Ticket>) { persistentBackingData = backingData }
}

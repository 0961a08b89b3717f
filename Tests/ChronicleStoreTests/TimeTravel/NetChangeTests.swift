import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct NetChangeTests {
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2)) func changesLeadFromEachStateToEachOther(
        _ kind: StoreKind, _ number: Int
    ) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        var edits = RandomEdits(number)
        let context = store.context()
        var states = KeptStates<StoreContent>()
        try states.keep(StoreContent(store.container), context)
        for round in 0..<40 {
            if round % 10 == 9 {
                try store.foreign(
                    """
                    PRAGMA foreign_keys = ON;
                    UPDATE Trip SET note = 'foreign';
                    DELETE FROM LinkPhoto WHERE id % 3 = 0;
                    """)
                try context.refreshAllModels()
            } else {
                try edits.save(context)
            }
            try states.keep(StoreContent(store.container), context)
        }
        try states.forEachPair(randomPairs: 60, &edits.random) { first, second in
            let changes = try context.changes(between: first.token, and: second.token)
            let isForward = first.token <= second.token
            for (changes, before, after, isForward) in [
                (changes, first.state, second.state, isForward),
                (changes.inverse, second.state, first.state, !isForward),
            ] {
                // The links of inserted models are missing.
                func isIgnored(_ model: PersistentIdentifier, _ name: String, _ kind: NetChange.Kind) -> Bool {
                    kind == .delete && !isForward && StoreContent.Model.namesWithoutInverse.contains(name)
                }
                #expect(
                    changes.lines(ignoring: isIgnored) == before.difference(to: after, ignoring: isIgnored),
                    "\(TestSeed.description)")
            }
            #expect(changes.allSatisfy { $0.kind != .update || $0.isComplete }, "\(TestSeed.description)")
        }
    }

    @Test(arguments: StoreKind.allCases) func valuesHaveTheirTypes(_ kind: StoreKind) throws {
        let store = try TestStore(
            kind, [Trip.self, BucketListItem.self, LivingAccommodation.self], preservesValues: true)
        let context = store.context()
        let (rome, oslo) = (Trip(name: "Rome", destination: "Italy"), Trip(name: "Oslo", destination: "Norway"))
        let item = BucketListItem(title: "Forum")
        for model in [rome, oslo] { context.insert(model) }
        context.insert(item)
        try context.save()
        let start = try context.currentHistoryToken()
        (rome.note, rome.destination, item.trip) = ("warm", "Roma", rome)
        context.delete(oslo)
        try context.save()
        rome.destination = "Italy"
        let bergen = Trip(name: "Bergen", destination: "Norway")
        context.insert(bergen)
        try context.save()
        let changes = try context.changes(between: start, and: context.currentHistoryToken())

        let romeChange = try #require(changes.change(of: rome.persistentModelID))
        #expect(romeChange.kind == .update)
        #expect(romeChange.values.map(\.name) == ["note"])
        #expect(romeChange.previousValue(\Trip.note) == .some(nil))
        #expect(romeChange.value(\Trip.note) == "warm")
        #expect(romeChange.value(\Trip.destination) == nil)
        let itemChange = try #require(changes.change(of: item.persistentModelID))
        #expect(itemChange.previousValue(\BucketListItem.trip) == .some(nil))
        #expect(itemChange.value(\BucketListItem.trip) == .some(rome.persistentModelID))
        let deleted = try #require(changes.first { $0.kind == .delete })
        #expect(deleted.previousValue(\Trip.name) == "Oslo")
        #expect(deleted.previousValue(\Trip.note) == .some(nil))
        #expect(deleted.value(\Trip.name) == nil)
        #expect(changes.change(of: bergen.persistentModelID)?.value(\Trip.name) == "Bergen")
        #expect(changes.changes(of: BucketListItem.self).map(\.id) == [item.persistentModelID])
        #expect(changes.changes(ofEntity: "Trip").count == 3)
    }

    @Test(arguments: StoreKind.allCases) func destinationsOfARequiredRelationshipAreCompared(_ kind: StoreKind) throws {
        typealias Badge = FixtureModels.Badge
        typealias Ticket = FixtureModels.Ticket
        let context = try TestStore(kind, FixtureModels.types, preservesValues: true).context()
        let badges = [Badge("a"), Badge("b")]
        for badge in badges { context.insert(badge) }
        let ticket = Ticket(1, badges[0])
        let start = try context.currentHistoryToken()
        context.insert(ticket)
        try context.save()
        let middle = try context.currentHistoryToken()
        ticket.badge = badges[1]
        try context.save()
        let end = try context.currentHistoryToken()
        let insert = try #require(
            try context.changes(between: start, and: middle).change(of: ticket.persistentModelID))
        #expect(insert.value(\Ticket.badge) == badges[0].persistentModelID)
        #expect(insert.previousValue(\Ticket.badge) == nil)
        let update = try #require(try context.changes(between: middle, and: end).first)
        #expect(update.previousValue(\Ticket.badge) == badges[0].persistentModelID)
        #expect(update.value(\Ticket.badge) == badges[1].persistentModelID)
    }

    /// A delete records links at their other ends, or preserves those without an inverse.
    @Test(arguments: StoreKind.allCases) func aModelThatWasDeletedAndRestoredHasItsNetLinks(_ kind: StoreKind) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        let context = store.context()
        let tag = LinkTag("tag")
        let items = ["kept", "removed", "deleted", "new"].map { LinkItem($0) }
        for item in items { context.insert(item) }
        context.insert(tag)
        for item in items.dropLast() { item.tags = [tag] }
        try context.save()
        let start = try context.currentHistoryToken()
        context.delete(tag)
        try context.save()
        try context.revert(#require(context.fetchHistory(Descriptor()).last))
        try context.save()
        let restored: LinkTag = try #require(context.registeredModel(for: tag.persistentModelID))
        #expect(restored.items.count == 3)
        let unchanged = try context.currentHistoryToken()
        #expect(try context.changes(between: start, and: unchanged).isEmpty)
        items[1].tags = []
        items[3].tags = [restored]
        context.delete(items[2])
        try context.save()
        let changes = try context.changes(between: start, and: context.currentHistoryToken())
        let links = try #require(changes.change(of: tag.persistentModelID)?.value(named: "items"))
        #expect(links.addedDestinations == [items[3].persistentModelID])
        #expect(links.removedDestinations == [items[1], items[2]].map(\.persistentModelID))
        #expect(!links.isMissing)

        // Without an inverse, and to the model itself.
        let (owner, photo) = (items[0], LinkPhoto("photo"))
        (owner.photos, owner.friends, owner.teachers, owner.idols) = ([photo], [owner, items[1]], [owner], [owner])
        try context.save()
        let middle = try context.currentHistoryToken()
        context.delete(owner)
        try context.save()
        let deletion = try context.changes(between: middle, and: context.currentHistoryToken())
        let deleted = try #require(deletion.change(of: owner.persistentModelID))
        #expect(deleted.isComplete)
        #expect(deleted.value(named: "photos")?.removedDestinations == [photo.persistentModelID])
        #expect(deleted.value(named: "friends")?.removedDestinations == [owner.persistentModelID])
        #expect(deleted.value(named: "covers") == nil)
        try context.revert(#require(context.fetchHistory(Descriptor()).last))
        try context.save()
        #expect(try context.changes(between: middle, and: context.currentHistoryToken()).isEmpty)
        let again: LinkItem = try #require(context.registeredModel(for: owner.persistentModelID))
        again.photos = []
        again.covers = [LinkPhoto("cover")]
        try context.save()
        let replaced = try context.changes(between: middle, and: context.currentHistoryToken())
        let change = try #require(replaced.change(of: owner.persistentModelID))
        #expect(change.kind == .update && change.isComplete)
        #expect(change.values.map(\.name).sorted() == ["covers", "photos"])
        #expect(change.value(named: "photos")?.removedDestinations == [photo.persistentModelID])
    }

    @Test(arguments: StoreKind.allCases) func valuesThatAreNotPreservedAreMissing(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: false)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        context.insert(trip)
        try context.save()
        let middle = try context.currentHistoryToken()
        trip.destination = "Roma"
        try context.save()
        trip.destination = "Italy"
        try context.save()
        let end = try context.currentHistoryToken()
        let update = try #require(try context.changes(between: middle, and: end).first)
        #expect(update.kind == .update)
        #expect(!update.isComplete)
        #expect(update.value(named: "destination")?.isMissing == true)
        #expect(update.value(named: "destination")?.value == nil)
        #expect(try context.changes(between: end, and: end).isEmpty)
        context.delete(trip)
        try context.save()
        let delete = try #require(try context.changes(between: end, and: context.currentHistoryToken()).first)
        #expect(delete.previousValue(\Trip.name) == "Rome")
        #expect(delete.value(named: "name")?.isMissing == false)
        #expect(delete.value(named: "destination")?.isMissing == true)
        #expect(delete.value(named: "note")?.isMissing == true)
    }

    @Test(arguments: StoreKind.allCases) func invalidPositionsAreErrors(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        try store.add("a", "b", "c", in: context)
        let transactions = try context.fetchHistory(Descriptor())
        let (first, last) = (transactions[0].token, transactions[2].token)
        let ahead = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 1_000_000)
        let foreign = DefaultHistoryToken(storeIdentifier: "another", position: 1)
        for (a, b) in [(first, ahead), (ahead, first)] {
            #expect(throws: SwiftDataError.historyTokenAhead) { _ = try context.changes(between: a, and: b) }
        }
        for (a, b) in [(first, foreign), (foreign, first), (foreign, foreign)] {
            #expect(throws: SwiftDataError.historyTokenStoreMismatch) { _ = try context.changes(between: a, and: b) }
        }
        try context.deleteHistory(Descriptor.before(transactions[1].token))
        for (a, b) in [(first, last), (last, first)] {
            #expect(throws: SwiftDataError.historyTokenExpired) { _ = try context.changes(between: a, and: b) }
        }
        #expect(try context.changes(between: transactions[1].token, and: last).count == 1)
    }

    @Test func aPositionInATransactionOfAnotherProgramIncludesWhatIsBeforeIt() throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        try store.add("a", "b", in: context)
        let start = try context.currentHistoryToken()
        try store.shell("UPDATE Trip SET destination = 'x' WHERE name = 'a'")
        let middle = try context.currentHistoryToken()
        try store.shell("UPDATE Trip SET destination = 'y' WHERE name = 'b'")
        try store.add("c", in: context)
        let end = try context.currentHistoryToken()
        let before = try context.changes(between: start, and: middle)
        #expect(before.map { $0.value(\Trip.destination) } == ["x"])
        let after = try context.changes(between: middle, and: end)
        #expect(after.map { $0.value(\Trip.destination) } == ["y", "somewhere"])
        #expect(try context.changes(between: end, and: middle).map(\.kind) == [.update, .delete])
    }

    @Test func severalStoresAreComparedOneByOne() throws {
        let directory = try TemporaryDirectory()
        let trips = ModelConfiguration(
            "trips", schema: Schema([Trip.self]), url: directory.file("trips.store"), preservesValues: true)
        let tags = ModelConfiguration(
            "photos", schema: Schema([LinkPhoto.self]), url: directory.file("photos.store"), preservesValues: true)
        let container = try ModelContainer(for: Schema([Trip.self, LinkPhoto.self]), configurations: [trips, tags])
        let context = ModelContext(container)
        let start = try context.currentHistoryToken()
        let (trip, photo) = (Trip(name: "a", destination: "b"), LinkPhoto("c"))
        context.insert(trip)
        context.insert(photo)
        try context.save()
        let end = try context.currentHistoryToken()
        #expect(try context.changes(between: start, and: end).map(\.kind) == [.insert, .insert])
        #expect(try context.changes(between: end, and: start).map(\.kind) == [.delete, .delete])
        // A position in one of the stores only.
        let store = try #require(trip.persistentModelID.storeIdentifier)
        let part = DefaultHistoryToken(storeIdentifier: store, position: 0)
        let changes = try context.changes(
            between: part,
            and: DefaultHistoryToken(storeIdentifier: store, position: try #require(end.position(in: store))))
        #expect(changes.map(\.persistentIdentifier) == [trip.persistentModelID])
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try context.changes(between: part, and: end) }
    }
}

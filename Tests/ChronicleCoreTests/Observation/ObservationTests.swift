import Chronicle
import ChronicleTestSupport
import Foundation
import Observation
import Synchronization
import Testing

/// Counts how often the observers of a read are notified.
final class ChangeCounter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock(\.self) }

    /// Registers for the properties that a closure reads.
    func track(_ read: () -> Void) {
        withObservationTracking(read) { self.value.withLock { $0 += 1 } }
    }
}

@Suite("Observation of models") struct ObservationTests {
    private func trip(_ kind: StoreKind) throws -> (TestStore, ModelContext, Trip) {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
        trip.livingAccommodation = LivingAccommodation(placeName: "Hotel")
        context.insert(trip)
        try context.save()
        return (store, context, trip)
    }

    /// Expects that a change notifies the observer of a read once, and observers of another property never.
    private func expectChange(
        of read: () -> Void, notOf other: () -> Void = {}, by change: () throws -> Void,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) rethrows {
        let (counter, others) = (ChangeCounter(), ChangeCounter())
        counter.track(read)
        others.track(other)
        try change()
        #expect(counter.count == 1, sourceLocation: sourceLocation)
        #expect(others.count == 0, "other properties", sourceLocation: sourceLocation)
    }

    @Test(arguments: StoreKind.allCases) func destinationWithoutAnInverse(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [GraphNode.self]).context()
        let (owner, base, leaf) = (GraphNode("owner"), GraphNode("base"), GraphNode("leaf"))
        for node in [owner, base, leaf] { context.insert(node) }
        base.favourite = leaf
        owner.children = [leaf]
        let counter = ChangeCounter()
        counter.track { _ = base.favourite }
        try context.save()
        #expect(counter.count == 0)
        func read() { _ = base.favourite }
        func readOthers() { _ = (base.name, base.parent) }
        for deleted in [leaf, owner] {
            expectChange(of: read, notOf: readOthers) { context.delete(deleted) }
            #expect(base.favourite == nil)
            expectChange(of: read, notOf: { _ = base.name }) { context.rollback() }
            #expect(base.favourite === leaf)
        }
        expectChange(of: read, notOf: readOthers) { context.delete(leaf) }
        expectChange(of: read) { context.insert(leaf) }
        #expect(base.favourite === leaf)
    }

    /// Saves and rollbacks of the destination do not end the observation.
    @Test(arguments: StoreKind.allCases) func destinationWithoutAnInverseThatIsSaved(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [GraphNode.self]).context()
        let (base, leaf) = (GraphNode("base"), GraphNode("leaf"))
        context.insert(base)
        context.insert(leaf)
        base.favourite = leaf
        let changes: [() throws -> Void] = [
            { try context.save() },
            {
                leaf.name = "saved"
                try context.save()
            },
            {
                leaf.name = "not saved"
                context.rollback()
            },
        ]
        for change in changes {
            let counter = ChangeCounter()
            counter.track { _ = base.favourite }
            try change()
            #expect(counter.count == 0)
            context.delete(leaf)
            #expect(counter.count == 1 && base.favourite == nil)
            context.rollback()
            #expect(base.favourite === leaf)
        }
    }

    @Test(arguments: StoreKind.allCases) func propertiesThatAreSet(_ kind: StoreKind) throws {
        let (store, _, trip) = try trip(kind)
        // A fetched model reads its row; the other one has its values in its wrappers.
        let context = store.context()
        let fetched = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        for trip in [trip, fetched] {
            expectChange(of: { _ = trip.name }, notOf: { _ = trip.destination }, by: { trip.name = "Paris" })
            // Each registration is notified of one change, and observed again by the next.
            let counter = ChangeCounter()
            counter.track { _ = trip.name }
            (trip.name, trip.name) = ("Oslo", "Bergen")
            #expect(counter.count == 1)
            counter.track { _ = trip.name }
            trip.name = "Rome"
            #expect(counter.count == 2)
            expectChange(of: { _ = trip.startDate }, by: { trip.startDate = .distantPast })
            expectChange(of: { _ = trip.note }, by: { trip.note = "changed" })
            expectChange(of: { _ = trip.tags }, notOf: { _ = trip.name }, by: { trip.tags.append("city") })
            expectChange(of: { _ = trip.name }, by: { trip.name += "!" })
        }
    }

    @Test func onChangeReadsTheOldValue() {
        let trip = Trip(name: "Rome", destination: "Italy")
        let seen = Mutex("")
        nonisolated(unsafe) let model = trip
        withObservationTracking {
            _ = trip.name
        } onChange: {
            seen.withLock { $0 = model.name }
        }
        trip.name = "Paris"
        #expect(seen.withLock(\.self) == "Rome" && trip.name == "Paris")
    }

    @Test func modelsWithoutAContext() throws {
        let trip = Trip(name: "Rome", destination: "Italy")
        expectChange(of: { _ = trip.name }, notOf: { _ = trip.destination }, by: { trip.name = "Paris" })
        expectChange(of: { _ = trip.bucketList }, by: { trip.bucketList.append(BucketListItem(title: "Louvre")) })
        expectChange(of: { _ = trip.livingAccommodation }, by: { trip.livingAccommodation = nil })
        // An observer is kept when the model joins a context.
        let context = try TestStore(.inMemory).context()
        try expectChange(of: { _ = trip.name }) {
            context.insert(trip)
            try context.save()
            trip.name = "Rome"
        }
    }

    /// Reading outside of the observing code, and code that is tracked on another thread, register nothing.
    @Test func untrackedReadsAreNotObserved() async throws {
        let trip = Trip(name: "Rome", destination: "Italy")
        let counter = ChangeCounter()
        counter.track { _ = trip.destination }
        _ = trip.name
        trip.name = "Paris"
        #expect(counter.count == 0)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        let trip = Trip(name: "\(number)", destination: "")
                        let counter = ChangeCounter()
                        counter.track { if number.isMultiple(of: 2) { _ = trip.name } }
                        _ = trip.name
                        trip.name = "changed"
                        #expect(counter.count == (number.isMultiple(of: 2) ? 1 : 0))
                    }
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func relationshipsAndTheirInverses(_ kind: StoreKind) throws {
        let (_, context, trip) = try trip(kind)
        let item = trip.bucketList[0]
        let other = Trip(name: "Paris", destination: "France")
        context.insert(other)
        expectChange(of: { _ = trip.bucketList }, notOf: { _ = trip.name }, by: { item.trip = other })
        try context.save()
        expectChange(of: { _ = item.trip }, notOf: { _ = item.title }, by: { trip.bucketList.append(item) })
        expectChange(of: { _ = item.trip }, by: { trip.bucketList.removeAll { $0 === item } })
        expectChange(of: { _ = trip.bucketList }, by: { trip.bucketList.append(item) })
        expectChange(of: { _ = trip.livingAccommodation }) {
            other.livingAccommodation = trip.livingAccommodation
        }
        let accommodation = try #require(other.livingAccommodation)
        expectChange(of: { _ = accommodation.trip }) { other.livingAccommodation = nil }
        // A new model, connected by its insert.
        let new = BucketListItem(title: "Louvre")
        new.trip = other
        expectChange(of: { _ = other.bucketList }) { context.insert(new) }
    }

    @Test(arguments: StoreKind.allCases) func linkedRelationships(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        let context = store.context()
        let (red, blue) = (LinkTag("red"), LinkTag("blue"))
        let item = LinkItem("item", tags: [red])
        context.insert(item)
        context.insert(blue)
        try context.save()
        expectChange(of: { _ = item.tags }, notOf: { _ = item.photos }, by: { item.tags.append(blue) })
        expectChange(of: { _ = blue.items }, notOf: { _ = red.items }, by: { item.tags = [red] })
        expectChange(of: { _ = item.tags }, by: { blue.items = [item] })
        try context.save()
        expectChange(of: { _ = red.items }, by: { context.delete(item) })
        try context.save()
        let again = LinkItem("again", tags: [red])
        expectChange(of: { _ = red.items }, by: { context.insert(again) })
        expectChange(of: { _ = red.items }, by: { context.rollback() })
    }

    @Test(arguments: StoreKind.allCases) func fetchesRefreshModels(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        let other = store.context()
        let copy = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        copy.name = "Paris"
        copy.bucketList.append(BucketListItem(title: "Louvre"))
        try other.save()
        trip.note = "unsaved"
        _ = trip.bucketList.count
        try expectChange(
            of: { _ = trip.name }, notOf: { _ = (trip.destination, trip.note) },
            by: { _ = try context.fetch(FetchDescriptor<Trip>()) })
        #expect(trip.name == "Paris" && trip.note == "unsaved")
        // The list was discarded by the fetch. Its observers are notified when it is read again.
        try context.save()
        let counter = ChangeCounter()
        counter.track { #expect(trip.bucketList.count == 3) }
        copy.bucketList.removeLast()
        copy.bucketList.removeLast()
        try other.save()
        _ = try context.fetch(FetchDescriptor<Trip>())
        #expect(counter.count == 0)
        #expect(trip.bucketList.count == 1)
        #expect(counter.count == 1)
        // A list that is read again without a change notifies no observers.
        counter.track { _ = trip.bucketList }
        for _ in 0..<3 {
            _ = try context.fetch(FetchDescriptor<Trip>())
            _ = try context.fetch(FetchDescriptor<BucketListItem>())
            _ = trip.bucketList
        }
        #expect(counter.count == 1)
        // The fetch of a destination shows that the list of its new owner has changed.
        copy.bucketList.append(BucketListItem(title: "Versailles"))
        try other.save()
        try expectChange(of: { _ = trip.bucketList }, by: { _ = try context.fetch(FetchDescriptor<BucketListItem>()) })
        #expect(trip.bucketList.count == 2)
    }

    @Test(arguments: StoreKind.allCases) func mergesAndRefreshes(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        let items = trip.bucketList
        let token = try context.currentHistoryToken()
        let other = store.context()
        let copy = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        copy.name = "Paris"
        other.delete(copy.bucketList[0])
        try other.save()
        let transactions = try context.fetchHistory(.after(token))
        let list = ChangeCounter()
        list.track { _ = trip.bucketList }
        try expectChange(
            of: { _ = trip.name }, notOf: { _ = trip.destination }, by: { try context.merge(transactions) })
        #expect(list.count == 1 && trip.bucketList.count == 1 && items.count == 2)
        copy.destination = "France"
        try other.save()
        try expectChange(
            of: { _ = trip.destination }, notOf: { _ = trip.name }, by: { try context.refreshAllModels() })
        other.delete(copy)
        try other.save()
        try expectChange(of: { _ = trip.name }, by: { try context.refreshAllModels() })
        #expect(trip.isDeleted)
    }

    @Test(arguments: StoreKind.allCases) func resolvedConflicts(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        // Another writer inserts the same unique values first.
        let other = store.context()
        other.insert(Trip(name: "Oslo", destination: "Norway", startDate: .distantPast))
        try other.save()
        context.mergePolicy = .mergeByPropertyStoreTrump
        let survivor = Trip(name: "Oslo", destination: "unknown", startDate: .distantPast)
        context.insert(survivor)
        try expectChange(of: { _ = survivor.destination }, notOf: { _ = survivor.name }, by: { try context.save() })
        #expect(survivor.destination == "Norway")
        // An inserted instance replaces the instance of its row.
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.insert(Trip(name: trip.name, destination: "Lazio", startDate: trip.startDate))
        try expectChange(of: { _ = trip.note }, by: { try context.save() })
        #expect(trip.isDeleted)
        // The changes of a row that another writer deleted are dropped.
        survivor.note = "changed"
        try other.delete(model: Trip.self, where: #Predicate { $0.name == "Oslo" })
        try expectChange(of: { _ = survivor.name }, by: { try context.save() })
        #expect(context.lastSaveResult.droppedChanges.count == 1)
    }

    @Test(arguments: StoreKind.allCases) func rollbacks(_ kind: StoreKind) throws {
        let (_, context, trip) = try trip(kind)
        let item = trip.bucketList[0]
        let unchanged = trip.bucketList[1]
        trip.name = "Paris"
        item.trip = nil
        let new = Trip(name: "new", destination: "")
        context.insert(new)
        let counters = (0..<4).map { _ in ChangeCounter() }
        counters[0].track { _ = trip.name }
        counters[1].track { _ = trip.bucketList }
        counters[2].track { _ = item.trip }
        counters[3].track { _ = new.name }
        expectChange(of: { _ = trip.note }, notOf: { _ = unchanged.title }, by: { context.rollback() })
        #expect(counters.map(\.count) == [1, 1, 1, 1])
        #expect(trip.name == "Rome" && trip.bucketList.count == 2)
    }

    @Test(arguments: StoreKind.allCases) func deletes(_ kind: StoreKind) throws {
        let (_, context, trip) = try trip(kind)
        let (first, second) = (trip.bucketList[0], trip.bucketList[1])
        let list = ChangeCounter()
        list.track { _ = trip.bucketList }
        expectChange(of: { _ = first.title }, notOf: { _ = second.title }, by: { context.delete(first) })
        #expect(list.count == 1 && trip.bucketList == [second])
        // Inserting the model again undoes the delete.
        list.track { _ = trip.bucketList }
        expectChange(of: { _ = first.title }, by: { context.insert(first) })
        #expect(list.count == 2 && trip.bucketList.count == 2)
        context.delete(first)
        try context.save()
        // A cascade, and a batch delete.
        expectChange(of: { _ = second.title }, by: { context.delete(trip) })
        context.rollback()
        let rest = try #require(try context.fetch(FetchDescriptor<BucketListItem>()).first)
        list.track { _ = trip.bucketList }
        try expectChange(of: { _ = rest.title }) { try context.delete(model: BucketListItem.self) }
        #expect(list.count == 3 && trip.bucketList.isEmpty)
    }

    /// A save writes values and does not change them.
    @Test(arguments: StoreKind.allCases) func savesDoNotNotify(_ kind: StoreKind) throws {
        let (_, context, trip) = try trip(kind)
        trip.name = "Paris"
        trip.bucketList.append(BucketListItem(title: "Louvre"))
        let counter = ChangeCounter()
        counter.track { _ = (trip.name, trip.tags, trip.bucketList, trip.livingAccommodation) }
        try context.save()
        _ = try context.fetch(FetchDescriptor<Trip>())
        _ = try context.fetch(FetchDescriptor<BucketListItem>())
        _ = trip.bucketList
        #expect(counter.count == 0)
    }

    /// Observers may use the context, because they are notified after the operation that changed the models.
    @Test(arguments: StoreKind.allCases) func observersMayUseTheContext(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        let other = store.context()
        try #require(try other.fetch(FetchDescriptor<Trip>()).first).name = "Paris"
        try other.save()
        nonisolated(unsafe) let unsafe = (context: context, trip: trip)
        let seen = Mutex("")
        withObservationTracking {
            _ = trip.name
        } onChange: {
            let name = unsafe.trip.name
            unsafe.trip.note = "seen"
            do { try unsafe.context.save() } catch { Issue.record(error) }
            seen.withLock { $0 = name }
        }
        _ = try context.fetch(FetchDescriptor<Trip>())
        #expect(seen.withLock(\.self) == "Paris" && !context.hasChanges)
    }

    @Test func observedModelsAreReleased() throws {
        let store = try TestStore(.inMemory)
        weak var released: Trip?
        let closure = ChangeCounter()
        weak var observer: ChangeCounter?
        do {
            let context = store.context()
            let trip = Trip(name: "Rome", destination: "")
            context.insert(trip)
            let counter = ChangeCounter()
            counter.track { _ = trip.name }
            closure.track { _ = trip.name }
            (released, observer) = (trip, counter)
            #expect(released != nil && observer != nil)
            try context.save()
        }
        #expect(released == nil && observer == nil && closure.count == 0)
    }
}

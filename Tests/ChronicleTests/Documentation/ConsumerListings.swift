import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listings of the guide about consumers.

/// Keeps the names of the trips outside of the store.
func updateNames(_ names: inout [PersistentIdentifier: String], from container: ModelContainer) throws {
    let consumer = try container.historyConsumer(
        named: "names", filter: HistoryFilter(models: [Trip.self]), startingNewAt: .snapshot)
    while let batch = try consumer.nextBatch() {
        let context = ModelContext(container)
        switch batch.content {
        case .changes, .largeTransaction:
            var reader = batch.changeReader()
            while let changes = try reader.nextChanges() {
                for identifier in Set(changes.map(\.changedPersistentIdentifier)) {
                    names[identifier] = try name(of: identifier, in: context)
                }
            }
        case .reset: names = [:]
        case .snapshot(let identifiers):
            for identifier in identifiers { names[identifier] = try name(of: identifier, in: context) }
        }
        try consumer.acknowledge(batch)
    }
}

/// Returns the name of a trip, or `nil` if it was deleted.
func name(of identifier: PersistentIdentifier, in context: ModelContext) throws -> String? {
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == identifier })
    return try context.fetch(descriptor).first?.name
}

/// Adds a list item for each new trip, in the same store.
func addItems(to container: ModelContainer) throws {
    let filter = HistoryFilter(
        models: [Trip.self], changeKinds: [.insert], authors: .except(["items"]))
    let consumer = try container.historyConsumer(named: "items", filter: filter, startingNewAt: .beginning)
    let context = ModelContext(container)
    context.author = "items"
    while let batch = try consumer.nextBatch() {
        for _ in try batch.changes { context.insert(BucketListItem(title: "Pack")) }
        try context.save(acknowledging: batch)
    }
}

/// Passes the changes of a container to a closure, until the task is cancelled.
func followNames(in container: ModelContainer, _ update: ([HistoryChange]) throws -> Void) async throws {
    let consumer = try container.historyConsumer(named: "follower", startingNewAt: .now)
    for try await batch in consumer.batches() {
        var reader = batch.changeReader()
        while let changes = try reader.nextChanges() { try update(changes) }
        try consumer.acknowledge(batch)
    }
}

@Suite struct ConsumerListingTests {
    @Test func replicaHasTheNames() throws {
        let store = try TestStore(.inMemory)
        try store.add("Rome", "Oslo")
        var names: [PersistentIdentifier: String] = [:]
        try updateNames(&names, from: store.container)
        #expect(names.values.sorted() == ["Oslo", "Rome"])
        let context = store.context()
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        trips[0].name = "Bergen"
        context.delete(trips[1])
        try context.save()
        try updateNames(&names, from: store.container)
        #expect(names.values.sorted() == ["Bergen"])
    }

    @Test func itemsAreAddedOnce() throws {
        let store = try TestStore(.inMemory, [Trip.self, BucketListItem.self, LivingAccommodation.self])
        try store.add("Rome", "Oslo")
        for _ in 0..<2 { try addItems(to: store.container) }
        #expect(try store.context().fetchCount(FetchDescriptor<BucketListItem>()) == 2)
    }

    @Test func changesAreFollowed() async throws {
        let store = try TestStore(.inMemory)
        // Created before the change, at which the loop begins.
        _ = try store.container.historyConsumer(named: "follower", startingNewAt: .now)
        try store.add("Rome")
        var found: [String] = []
        await #expect(throws: CancellationError.self) {
            try await followNames(in: store.container) { changes in
                found += changes.map(\.text)
                throw CancellationError()
            }
        }
        #expect(found == ["insert Trip/1"])
    }
}

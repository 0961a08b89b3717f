import Chronicle
import ChronicleTestSupport
import ExampleStore
import Synchronization
import Testing

@testable import ChronicleCore

@Suite("Commit events of containers", .timeLimit(.minutes(5)))
struct CommitEventsTests {
    @Test(arguments: StoreKind.allCases)
    func saveWakesEveryListener(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let listeners = try (0..<3).map { _ in try store.container.commitEvents() }
        let context = store.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        for events in listeners { #expect(await events.next() != nil) }
    }

    @Test(arguments: StoreKind.allCases)
    func batchDeleteWakesListeners(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let events = try store.container.commitEvents()
        try context.delete(model: Trip.self)
        #expect(await events.next() != nil)
    }

    /// A store that does not adopt `DataStoreNotifying`.
    @Test func saveToAStoreWithoutEventsWakesListeners() async throws {
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [MemoryStoreConfiguration()])
        let events = try container.commitEvents()
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        #expect(await events.next() != nil)
        context.insert(Trip(name: "c", destination: "d"))
        try context.save()
        try context.delete(model: Trip.self)
        #expect(await events.next() != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func cancellationEndsTheSequence(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let events = try store.container.commitEvents()
        let waiting = Task { for await _ in events {} }
        events.cancel()
        await waiting.value
        #expect(await events.next() == nil)
        #expect(events.isCancelled)
    }

    @Test(arguments: StoreKind.allCases)
    func releasedEventsEndTheObservation(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        var events: CommitEvents? = try store.container.commitEvents()
        #expect(store.container.coordinator.commits.isObserving)
        #expect(events?.isCancelled == false)
        events = nil
        #expect(!store.container.coordinator.commits.isObserving)
    }

    @Test func storesAreObservedOnceForAllListeners() throws {
        let store = try TestStore(.file)
        let listeners = try (0..<5).map { _ in try store.container.commitEvents() }
        for events in listeners.dropLast() { events.cancel() }
        #expect(store.container.coordinator.commits.isObserving)
        listeners.last?.cancel()
        #expect(!store.container.coordinator.commits.isObserving)
    }

    @Test func observationIsCancelledOnce() {
        let cancellations = Atomic(0)
        do {
            let observation = CommitObservation { cancellations.add(1, ordering: .relaxed) }
            observation.cancel()
            observation.cancel()
        }
        #expect(cancellations.load(ordering: .relaxed) == 1)
    }
}

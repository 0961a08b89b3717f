import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Observation
import Synchronization
import Testing

@Suite("Results observers", .timeLimit(.minutes(5)))
@MainActor struct ResultsObserverTests {
    private let models: [any PersistentModel.Type] = [Trip.self, BucketListItem.self, LivingAccommodation.self]

    @discardableResult
    private func add(_ name: String, _ destination: String = "Rome", to context: ModelContext) -> Trip {
        let trip = Trip(name: name, destination: destination)
        context.insert(trip)
        return trip
    }

    private func byName(_ context: ModelContext) throws -> ResultsObserver<Trip, Never> {
        try ResultsObserver(sortBy: [SortDescriptor(\.name)], modelContext: context)
    }

    /// Observes a value until it is the expected one.
    private func wait<Value: Equatable>(for expected: Value, _ value: @escaping () -> Value) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        var iterator = changes.makeAsyncIterator()
        while withObservationTracking(value, onChange: { continuation.yield() }) != expected { await iterator.next() }
    }

    // MARK: Changes of the context

    @Test(arguments: StoreKind.allCases)
    func resultsFollowUnsavedChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind, models)
        let context = store.context()
        add("b", to: context)
        try context.save()
        let observer = try byName(context)
        #expect(observer.results.map(\.name) == ["b"])
        let first = add("a", to: context)
        #expect(observer.results.map(\.name) == ["a", "b"])
        // The model is pending already.
        first.name = "c"
        #expect(observer.results.map(\.name) == ["b", "c"])
        first.name = "a"
        #expect(observer.results.map(\.name) == ["a", "b"])
        context.delete(first)
        #expect(observer.results.map(\.name) == ["b"])
        context.delete(observer.results[0])
        #expect(observer.results.isEmpty)
        context.rollback()
        #expect(observer.results.map(\.name) == ["b"])
        add("d", to: context)
        try context.save()
        #expect(observer.results.map(\.name) == ["b", "d"])
    }

    @Test(arguments: StoreKind.allCases)
    func resultsFollowChangesOfRelationships(_ kind: StoreKind) throws {
        let store = try TestStore(kind, models)
        let context = store.context()
        let trip = add("a", to: context)
        let item = BucketListItem(title: "walk")
        context.insert(item)
        try context.save()
        let observer = try ResultsObserver<BucketListItem, Never>(
            filterBy: #Predicate { $0.trip != nil }, modelContext: context)
        #expect(observer.results.isEmpty)
        trip.bucketList.append(item)
        #expect(observer.results.map(\.title) == ["walk"])
        trip.bucketList.removeAll()
        #expect(observer.results.isEmpty)
    }

    @Test func programIsNotifiedOfUnsavedChanges() async throws {
        let store = try TestStore(.inMemory, models)
        let observer = try byName(store.context())
        Task { _ = add("a", to: observer.modelContext) }
        await wait(for: 1) { observer.results.count }
        Task { observer.modelContext.delete(observer.results[0]) }
        await wait(for: 0) { observer.results.count }
    }

    /// Only a change of the results, their order or their sections is reported.
    @Test func unrelatedChangesAreNotReported() async throws {
        let store = try TestStore(.inMemory, models)
        let context = store.context()
        let trip = add("a", to: context)
        let observer = try ResultsObserver<Trip, Never>(
            filterBy: #Predicate { $0.destination == "Rome" }, modelContext: context)
        let isReported = Atomic(false)
        withObservationTracking {
            _ = observer.results
        } onChange: {
            isReported.store(true, ordering: .relaxed)
        }
        trip.note = "changed"
        add("b", "Paris", to: context)
        #expect(observer.results.count == 1)
        let isReportedEarly = isReported.load(ordering: .relaxed)
        #expect(!isReportedEarly)
        add("c", to: context)
        #expect(observer.results.count == 2)
        let isReportedFinally = isReported.load(ordering: .relaxed)
        #expect(isReportedFinally)
    }

    // MARK: Changes of others

    @Test(arguments: StoreKind.allCases)
    func resultsFollowOtherContexts(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, models)
        let observer = try byName(store.context())
        let other = store.context()
        let trip = add("a", to: other)
        try other.save()
        await wait(for: ["a"]) { observer.results.map(\.name) }
        trip.name = "b"
        add("c", to: other)
        try other.save()
        await wait(for: ["b", "c"]) { observer.results.map(\.name) }
        other.delete(trip)
        try other.save()
        await wait(for: ["c"]) { observer.results.map(\.name) }
        #expect(observer.error == nil)
    }

    @Test func resultsFollowOtherProgramsWithUnsavedChangesKept() async throws {
        let store = try TestStore(.file, models)
        let context = store.context()
        add("a", to: context)
        try context.save()
        let observer = try byName(context)
        observer.results[0].note = "unsaved"
        let other = ModelContext(try store.reopened(models))
        add("b", to: other)
        try other.save()
        await wait(for: ["a", "b"]) { observer.results.map(\.name) }
        try store.shell("UPDATE Trip SET name = 'c' WHERE name = 'a'")
        await wait(for: ["b", "c"]) { observer.results.map(\.name) }
        #expect(observer.results[1].note == "unsaved")
    }

    @Test func storesWithoutEventsAreObserved() async throws {
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [MemoryStoreConfiguration()])
        let observer = try ResultsObserver<Trip, Never>(modelContainer: container)
        let context = ModelContext(container)
        add("a", to: context)
        try context.save()
        await wait(for: 1) { observer.results.count }
    }

    /// Without an actor, the program is notified on another thread and fetches itself.
    @Test nonisolated func observerWithoutAnActorFetchesOnAccess() async throws {
        let store = try TestStore(.inMemory, [Trip.self])
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = try ResultsObserver<Trip, Never>(modelContainer: store.container, isolation: nil)
        withObservationTracking {
            _ = observer.results
        } onChange: {
            continuation.yield()
        }
        let context = store.context()
        context.insert(Trip(name: "a", destination: ""))
        try context.save()
        var iterator = changes.makeAsyncIterator()
        await iterator.next()
        #expect(observer.results.map(\.name) == ["a"])
    }

    /// After an error, the program is notified of the next change.
    @Test(arguments: StoreKind.allCases)
    nonisolated func observerWithoutAnActorIsNotifiedAfterAnError(_ kind: StoreKind) async throws {
        let store = try UnavailableContainer(kind, Trip.self)
        let context = ModelContext(store.container)
        let observer = try ResultsObserver<Trip, Never>(modelContext: context, isolation: nil)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        var iterator = changes.makeAsyncIterator()
        store.outage.begin()
        var trip = Trip(name: "", destination: "")
        for count in 1...5 {
            withObservationTracking {
                #expect(observer.results.isEmpty)
            } onChange: {
                continuation.yield()
            }
            #expect((observer.error == nil) == (count == 1))
            // A change of a model that has unsaved changes already is one, too.
            if count.isMultiple(of: 2) {
                trip.name += "!"
            } else {
                trip = Trip(name: "\(count)", destination: "")
                context.insert(trip)
            }
            await iterator.next()
        }
        store.outage.end()
        #expect(observer.results.map(\.name).sorted() == ["1!", "3!", "5"] && observer.error == nil)
    }

    // Without suspensions, so that the actor of the observer runs no other code.

    @Test(arguments: StoreKind.allCases) func resultsFollowBatchesAtOnce(_ kind: StoreKind) throws {
        let store = try TestStore(kind, models)
        let context = store.context()
        for name in ["a", "b", "c"] { add(name, to: context) }
        try context.save()
        for context in [context, store.context()] {
            let observer = try ResultsObserver<Trip, Never>(
                filterBy: #Predicate { $0.note == nil }, sortBy: [SortDescriptor(\.name)], modelContext: context)
            func requireCurrent(_ step: String) throws {
                #expect(
                    observer.results.map(\.name) == (try context.fetch(observer.fetchDescriptor)).map(\.name), "\(step)"
                )
                #expect(observer.results.allSatisfy { !$0.isDeleted }, "\(step)")
            }
            try context.update(model: Trip.self, where: #Predicate { $0.name == "a" }, set: \.note, to: "x")
            try requireCurrent("update")
            try context.delete(model: Trip.self, where: #Predicate { $0.name == "b" })
            try requireCurrent("delete")
            try context.insert(model: Trip.self, from: [Trip(name: "b", destination: "")])
            try requireCurrent("insert")
            try context.update(model: Trip.self, where: nil, set: \.note, to: String?.none)
            try requireCurrent("update of all")
            let other = store.context()
            add("d", to: other)
            try other.save()
            try requireCurrent("another context")
            try other.delete(model: Trip.self, where: #Predicate { $0.name == "d" })
            try requireCurrent("a batch of another context")
        }
    }

    /// The first of two stores is saved when the second fails.
    @Test func resultsFollowASaveThatFailsInTheSecondStore() throws {
        let container = try ModelContainer(
            for: Schema([Trip.self, ObservedSingleton.self]),
            configurations: [
                ModelConfiguration("first", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
                ModelConfiguration("second", schema: Schema([ObservedSingleton.self]), isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        context.mergePolicy = .error
        let observer = try byName(ModelContext(container))
        context.insert(ObservedSingleton("x"))
        try context.save()
        add("a", to: context)
        context.insert(ObservedSingleton("x"))
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        #expect(observer.results.map(\.name) == ["a"])
    }

    // MARK: Sections

    @Test(arguments: StoreKind.allCases)
    func resultsAreGrouped(_ kind: StoreKind) throws {
        let store = try TestStore(kind, models)
        let context = store.context()
        for (name, destination) in [("c", "Rome"), ("b", "Paris"), ("a", "Rome"), ("d", "Berlin")] {
            add(name, destination, to: context)
        }
        try context.save()
        let observer = try ResultsObserver<Trip, String>(
            sortBy: [SortDescriptor(\.name)], sectionBy: \.destination, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.sectionTitles == ["Berlin", "Paris", "Rome"])
        #expect(sections.map { $0.map(\.name) } == [["d"], ["b"], ["a", "c"]])
        #expect(sections.map(\.id) == sections.sectionTitles)
        #expect(sections[sectionTitle: "Rome"] == sections[2] && sections[sectionTitle: "Oslo"] == nil)
        #expect(sections.contains(sectionTitle: "Paris") && !sections.contains(sectionTitle: "Oslo"))
        #expect(sections.index(ofSectionTitled: "Paris") == 1 && sections.index(ofSectionTitled: "Oslo") == nil)
        #expect(observer.results.map(\.name) == ["d", "b", "a", "c"])
        #expect(observer.sectionBy == \Trip.destination && observer.sortBy.count == 2)

        for (number, section) in sections.enumerated() {
            for (position, trip) in section.enumerated() {
                #expect(observer.indexPath(for: trip) == [number, position])
                #expect(observer.element(at: [number, position]) === trip)
            }
        }
        for path: IndexPath in [[3, 0], [0, 1], [-1, 0], [0, -1], [0], [], [0, 0, 0]] {
            #expect(observer.element(at: path) == nil)
        }

        // The same results in other sections.
        let last = sections[2][1]
        last.destination = "Zagreb"
        #expect(observer.sections?.sectionTitles == ["Berlin", "Paris", "Rome", "Zagreb"])
        #expect(observer.indexPath(for: last) == [3, 0] && observer.sections != sections)
        observer.filterBy = #Predicate { $0.name != "c" }
        #expect(observer.indexPath(for: last) == nil)
        observer.sortBy = [SortDescriptor(\.destination, order: .reverse)]
        #expect(observer.sections?.sectionTitles == ["Rome", "Paris", "Berlin"] && observer.sortBy.count == 1)
    }

    @Test func missingTitlesAreEmpty() throws {
        let store = try TestStore(.inMemory, models)
        let context = store.context()
        for note in [nil, "x", nil] { add("\(note ?? "-")", to: context).note = note }
        let observer = try ResultsObserver<Trip, String>(sectionBy: \.note, modelContext: context)
        #expect(observer.sections?.sectionTitles == ["", "x"])
        #expect(observer.sections?[sectionTitle: ""]?.count == 2)
    }

    @Test func resultsWithoutSectionsHaveNoIndexPaths() throws {
        let store = try TestStore(.inMemory, models)
        let context = store.context()
        let trip = add("a", to: context)
        let observer = try byName(context)
        #expect(observer.sections == nil && observer.sectionBy == nil)
        #expect(observer.indexPath(for: trip) == nil && observer.element(at: [0, 0]) == nil)
    }

    // MARK: Criteria and errors

    @Test func changedCriteriaAreFetchedImmediately() throws {
        let store = try TestStore(.inMemory, models)
        let context = store.context()
        for name in ["a", "b", "c"] { add(name, to: context) }
        let observer = try byName(context)
        observer.filterBy = #Predicate { $0.name > "a" }
        #expect(observer.results.map(\.name) == ["b", "c"])
        observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
        #expect(observer.results.map(\.name) == ["c", "b"])
        observer.fetchDescriptor.fetchLimit = 1
        #expect(observer.results.map(\.name) == ["c"])
        observer.filterBy = nil
        #expect(observer.fetchDescriptor.predicate == nil && observer.results.map(\.name) == ["c"])
    }

    @Test(arguments: StoreKind.allCases)
    func earlierResultsRemainAfterAnError(_ kind: StoreKind) async throws {
        let store = try UnavailableContainer(kind, Trip.self)
        try store.save(Trip(name: "a", destination: ""))
        let observer = try ResultsObserver<Trip, Never>(modelContainer: store.container)
        store.outage.begin()
        try store.save(Trip(name: "b", destination: ""))
        await wait(for: true) { observer.error.map { SwiftDataError.storeBusy ~= $0 } ?? false }
        #expect(observer.results.map(\.name) == ["a"])
        store.outage.end()
        await wait(for: true) { observer.error == nil }
        #expect(observer.results.map(\.name) == ["a", "b"])
        store.outage.begin()
        #expect(throws: SwiftDataError.storeBusy) {
            try ResultsObserver<Trip, Never>(modelContainer: store.container)
        }
    }

    // MARK: Lifetime

    @Test func observerIsReleased() async throws {
        let store = try TestStore(.inMemory, models)
        let context = store.context()
        var observer: ResultsObserver<Trip, Never>? = try byName(context)
        weak let released = observer
        add("a", to: context)
        await wait(for: 1) { observer?.results.count ?? 0 }
        observer = nil
        #expect(released == nil)
        add("b", to: context)
    }

    @Test func actorThatOwnsAnObserverIsReleased() async throws {
        let store = try TestStore(.inMemory, models)
        var owner: ResultsOwner? = ResultsOwner(store.container)
        try await owner?.begin()
        let isReleased = try #require(owner?.isReleased)
        owner = nil
        for await _ in isReleased {}
    }
}

@Model private final class ObservedSingleton {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
}

/// An actor with observers that it does not pass on.
private actor ResultsOwner {
    private let container: ModelContainer
    private var results: ResultsObserver<Trip, Never>?
    private var history: HistoryObserver?
    /// Ends when the actor is released.
    nonisolated let isReleased: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ container: ModelContainer) {
        self.container = container
        (isReleased, continuation) = AsyncStream.makeStream()
    }

    func begin() throws {
        results = try ResultsObserver(modelContainer: container)
        history = try HistoryObserver(modelContainer: container)
    }

    deinit { continuation.finish() }
}

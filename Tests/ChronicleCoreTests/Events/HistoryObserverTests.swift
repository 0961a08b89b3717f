import Chronicle
import ChronicleTestSupport
import ExampleStore
import Observation
import Synchronization
import Testing

@Suite("History observers", .timeLimit(.minutes(5)))
struct HistoryObserverTests {
    private let models: [any PersistentModel.Type] = [Trip.self, BucketListItem.self]

    private func add(_ names: String..., to context: ModelContext) throws {
        for name in names {
            context.insert(Trip(name: name, destination: "Rome"))
            try context.save()
        }
    }

    /// Waits until the observer has counted at least this many transactions, and returns the counter.
    private func count(_ observer: HistoryObserver, reaching expected: Int) async -> Int {
        for await count in observer.eventCounts where count >= expected { return count }
        return -1
    }

    @Test(arguments: StoreKind.allCases)
    func transactionsAreCounted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        try add("before", to: context)
        let observer = try HistoryObserver(modelContainer: store.container)
        #expect(observer.eventCounter == 0)
        try add("a", "b", "c", to: context)
        #expect(await count(observer, reaching: 3) == 3)
        #expect(observer.eventCounter == 3 && observer.error == nil)
        let token = try context.currentHistoryToken()
        #expect(observer.historyTokens.values.map { $0 as? DefaultHistoryToken } == [token])
    }

    @Test(arguments: StoreKind.allCases)
    func onlyMatchingTransactionsAreCounted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, models)
        let items = try HistoryObserver(observedModels: [BucketListItem.self], modelContainer: store.container)
        let widget = try HistoryObserver(authors: ["widget"], modelContainer: store.container)
        let both = try HistoryObserver(
            observedModels: [Trip.self], authors: ["widget"], modelContainer: store.container)
        let all = try HistoryObserver(modelContainer: store.container)
        try add("a", to: store.context())
        try add("b", to: store.context(author: "app"))
        let context = store.context(author: "widget")
        context.insert(BucketListItem(title: "c"))
        try context.save()
        try add("d", to: context)
        #expect(await count(all, reaching: 4) == 4)
        #expect(await count(widget, reaching: 2) == 2)
        #expect(await count(items, reaching: 1) == 1)
        #expect(await count(both, reaching: 1) == 1)
    }

    @Test func transactionsOfOtherContainersAndProgramsAreCounted() async throws {
        let store = try TestStore(.file)
        try add("first", to: store.context())
        let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: store.container)
        try add("a", "b", to: ModelContext(try store.reopened()))
        #expect(await count(observer, reaching: 2) == 2)
        try store.shell("UPDATE Trip SET destination = 'Paris'")
        #expect(await count(observer, reaching: 3) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func transactionsAfterATokenAreCounted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        try add("a", to: context)
        let token = try context.currentHistoryToken()
        try add("b", "c", to: context)
        let identifier = try store.store.identifier
        let observer = try HistoryObserver(historyTokens: [identifier: token], modelContainer: store.container)
        #expect(await count(observer, reaching: 2) == 2)
    }

    /// More transactions than a page of the observer.
    @Test func longHistoryIsCountedOnce() async throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        let token = try context.currentHistoryToken()
        for number in 0..<700 { try add("\(number)", to: context) }
        let tokens = [try store.store.identifier: token]
        for models: [any PersistentModel.Type] in [[], [Trip.self]] {
            let observer = try HistoryObserver(
                historyTokens: tokens, observedModels: models, modelContainer: store.container)
            #expect(await count(observer, reaching: 700) == 700)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func expiredTokenIsReportedAndCounted(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        try add("a", to: context)
        let token = try context.currentHistoryToken()
        try add("b", "c", to: context)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let tokens = [try store.store.identifier: token]
        let observer = try HistoryObserver(historyTokens: tokens, modelContainer: store.container)
        #expect(await count(observer, reaching: 1) == 1)
        #expect(observer.error.map { SwiftDataError.historyTokenExpired ~= $0 } == true)
        try add("d", to: context)
        #expect(await count(observer, reaching: 2) == 2)
        #expect(observer.error == nil)
    }

    @Test func storesWithoutEventsAreObserved() async throws {
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [MemoryStoreConfiguration()])
        let observer = try HistoryObserver(modelContainer: container)
        try add("a", "b", to: ModelContext(container))
        #expect(await count(observer, reaching: 2) == 2)
    }

    @MainActor @Test func propertiesChangeOnTheObservingActor() async throws {
        let store = try TestStore(.inMemory)
        let observer = try HistoryObserver(modelContainer: store.container)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = observer.eventCounter
        } onChange: {
            MainActor.assertIsolated()
            continuation.yield()
        }
        try add("a", to: store.context())
        for await _ in changes { break }
        #expect(await count(observer, reaching: 1) == 1)
    }

    @Test func sequenceOfCountsEndsWithTheObserver() async throws {
        let store = try TestStore(.inMemory)
        var observer: HistoryObserver? = try HistoryObserver(modelContainer: store.container)
        let counts = try #require(observer?.eventCounts)
        observer = nil
        var received: [Int] = []
        for await count in counts { received.append(count) }
        #expect(received == [0])
    }

    @Test func invalidArgumentsAreRejected() throws {
        let store = try TestStore(.inMemory)
        #expect(throws: SwiftDataError.unknownSchema) {
            try HistoryObserver(observedModels: [Club.self], modelContainer: store.container)
        }
        let identifier = try store.store.identifier
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try HistoryObserver(historyTokens: [identifier: OtherToken()], modelContainer: store.container)
        }
        let silent = try ModelContainer(
            for: Schema([Trip.self]),
            configurations: [ModelConfiguration(isStoredInMemoryOnly: true, recordsHistory: false)])
        #expect(throws: SwiftDataError.historyDisabled) { try HistoryObserver(modelContainer: silent) }
    }

    /// One wait covers the commits of both stores, so a store that cannot be read must not hide the other one.
    @Test func expiredTokenOfOneStoreDoesNotHideAnother() async throws {
        let container = try ModelContainer(
            for: Schema([Trip.self, GraphSeat.self]),
            configurations: [
                ModelConfiguration("trips", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
                ModelConfiguration("seats", schema: Schema([GraphSeat.self]), isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: ""))
        context.insert(GraphSeat(1))
        try context.save()
        let tokens = try context.currentHistoryTokens(for: DefaultHistoryTransaction.self)
        context.insert(Trip(name: "b", destination: ""))
        context.insert(GraphSeat(2))
        try context.save()
        let trips = container.stores[0].identifier
        let token = try #require(tokens[trips])
        let provider = try #require(container.stores[0] as? any HistoryProviding<DefaultHistoryTransaction>)
        try provider.deleteHistory(.after(token))
        let observer = try HistoryObserver(historyTokens: tokens, modelContainer: container)
        // The expired token and the transaction of the other store.
        #expect(await count(observer, reaching: 2) == 2)
    }
}

private struct OtherToken: HistoryToken {
    var id = 0
    var tokenValue: Int? { id }

    static func < (lhs: OtherToken, rhs: OtherToken) -> Bool { lhs.id < rhs.id }
}

private final class Club: PersistentModel {
    @Attribute var name: String
    static let properties: PropertyMap<Club> = ["name": \.name]
    let persistentBackingData: any BackingData<Club>
    init(backingData: any BackingData<Club>) { persistentBackingData = backingData }
}

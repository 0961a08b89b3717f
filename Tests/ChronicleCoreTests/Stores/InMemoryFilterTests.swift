import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Filtering and sorting in memory")
struct InMemoryFilterTests {
    private let store: ScriptedContainer
    private let good: FetchDescriptor<Hotel> = {
        var descriptor = FetchDescriptor<Hotel>(
            predicate: #Predicate { $0.stars > 2 }, sortBy: [SortDescriptor(\.stars, order: .reverse)])
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        return descriptor
    }()

    init() throws {
        store = try ScriptedContainer()
        try store.add(("Ritz", 3), ("Tent", 0), ("Astoria", 5), ("Inn", 2), ("Savoy", 5), ("Adlon", 4))
        store.script.change { ($0.prefersFilter, $0.prefersSort) = (true, true) }
    }

    @Test("Filter, sort, and limit; the request is repeated without each rejected part")
    func both() throws {
        let context = ModelContext(store.container)
        #expect(try context.fetch(good).map(\.name) == ["Savoy", "Adlon"])
        #expect(store.script.now.fetches == ["filter sort limit 2", "sort", ""])
        #expect(try context.fetchCount(good) == 2)
        #expect(try context.fetchIdentifiers(good).map(\.integerPrimaryKey) == [5, 6])
    }

    @Test("Filtering alone keeps the order of the store")
    func filter() throws {
        store.script.change {
            $0.prefersSort = false
            $0.rows.reverse()
        }
        #expect(try ModelContext(store.container).fetch(good).map(\.name) == ["Savoy", "Astoria"])
        #expect(store.script.now.fetches == ["filter sort limit 2", "sort"])
    }

    @Test("Sorting alone is stable")
    func sort() throws {
        store.script.change { $0.prefersFilter = false }
        let all = FetchDescriptor<Hotel>(sortBy: [SortDescriptor(\.stars)])
        let found = try ModelContext(store.container).fetch(all).map(\.name)
        #expect(found == ["Tent", "Inn", "Ritz", "Adlon", "Astoria", "Savoy"])
        #expect(store.script.now.fetches == ["sort", ""])
    }

    @Test("Pending changes are only included if requested")
    func pendingChanges() throws {
        var descriptor = FetchDescriptor<Hotel>(predicate: #Predicate { $0.stars == 0 })
        let tent = try #require(try store.context.fetch(descriptor).first)
        tent.stars = 5
        #expect(try store.context.fetch(descriptor).isEmpty)
        descriptor.includePendingChanges = false
        #expect(try store.context.fetch(descriptor).map(\.stars) == [5])
        #expect(try store.context.fetchCount(descriptor) == 1)
    }

    @Test("A forced unwrap of nil matches nothing")
    func forcedUnwrap() throws {
        let long = Date.distantPast
        #expect(try store.context.fetch(FetchDescriptor<Hotel>(predicate: #Predicate { $0.opened! > long })).isEmpty)
    }

    @Test("Fetching by identifier")
    func identifier() throws {
        let identifier = ScriptedStore.origin("Hotel").identifier(3)
        let model = try ModelContext(store.container).existingModel(for: identifier)
        #expect((model as? Hotel)?.name == "Astoria")
        #expect(throws: SwiftDataError.modelNotFound) {
            try ModelContext(store.container).existingModel(for: ScriptedStore.origin("Hotel").identifier(9))
        }
    }

    @Test("An unsupported feature throws an error that names the store and the feature")
    func unsupported() throws {
        store.script.change { $0.failure = DataStoreError.unsupportedFeature.with(detail: "hotels") }
        func expect(_ body: () throws -> Void) {
            let error = #expect(throws: SwiftDataError.self, performing: body)
            #expect(error == .unsupportedFeature)
            #expect(error?.storeIdentifier == "scripted-store")
            #expect(error?.detail == "hotels")
        }
        expect { _ = try store.context.fetch(FetchDescriptor<Hotel>()) }
        expect { _ = try store.context.fetchCount(FetchDescriptor<Hotel>()) }
        expect { _ = try store.context.fetchIdentifiers(FetchDescriptor<Hotel>()) }
        expect { try store.add(("Grand", 4)) }
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer(for: Hotel.self, configurations: ScriptedStore.Configuration(script: store.script))
        }
        #expect(error == .unsupportedFeature && error?.storeName == "scripted")
    }

    @Test("An unsupported history feature throws")
    func unsupportedHistory() {
        let error = #expect(throws: SwiftDataError.self) {
            try store.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        #expect(error == .unsupportedFeature && error?.detail == "deleting history")
        #expect(error?.storeIdentifier == "scripted-store")
    }

    @Test("An invalid predicate and an unrequested rejection throw errors that name the store")
    func refusals() throws {
        func failure(_ error: DataStoreError) -> SwiftDataError? {
            store.script.change { $0.failure = error }
            return #expect(throws: SwiftDataError.self) { try store.context.fetch(good) }
        }
        #expect(failure(.invalidPredicate.with(detail: "stars")) == .unsupportedPredicate)
        // The second request has neither a predicate nor a sort descriptor.
        for error in [DataStoreError.preferInMemoryFilter, .preferInMemorySort] {
            let error = failure(error)
            #expect(error == .invalidStoreResponse && error?.storeIdentifier == "scripted-store")
        }
    }
}

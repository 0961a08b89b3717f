import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// The protocol for batch deletes, and how a context uses it.
@Suite("Stores that implement batch deletes") struct BatchingStoreTests {
    private let log = BatchingStore.Log()

    private func context(_ count: Int) throws -> (ModelContext, BatchingStore) {
        let configuration = BatchingStore.Configuration(log: log)
        let container = try ModelContainer(for: Schema(GraphNode.self), configurations: [configuration])
        let context = ModelContext(container)
        for number in 0..<count {
            let node = GraphNode("\(number)")
            node.number = number
            context.insert(node)
        }
        try context.save()
        log.calls.withLock { $0 = [] }
        return (context, try #require(container.stores.first as? BatchingStore))
    }

    @Test func batchDeleteFetchesNoRows() throws {
        let (context, store) = try context(10_000)
        context.author = "app"
        try context.delete(model: GraphNode.self, where: #Predicate { $0.number >= 10 })
        #expect(log.calls.withLock { $0 } == ["delete by app"])
        #expect(try store.base.fetchHistory(HistoryDescriptor()).map(\.changes.count) == [10_000, 9_990])
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 10)
    }

    @Test func onlyRegisteredModelsAreRefreshed() throws {
        let (context, _) = try context(10)
        let nodes = try context.fetch(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.number < 2 }))
        log.calls.withLock { $0 = [] }
        try context.delete(model: GraphNode.self, where: #Predicate { $0.number > 0 })
        #expect(log.calls.withLock { $0 } == ["delete", "fetch 1"])
        #expect(nodes.map(\.isDeleted) == [false, true])
    }

    @Test func storeMayDelegateToTheContext() throws {
        let (context, _) = try context(3)
        log.failure.withLock { $0 = DataStoreError.preferInMemoryFilter }
        try context.delete(model: GraphNode.self, where: #Predicate { $0.number > 0 })
        #expect(
            log.calls.withLock { $0.prefix(2) } == ["delete", "fetch 2"] && log.calls.withLock { $0.last } == "save")
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 1)
    }

    @Test func errorsContainTheStoreIdentifier() throws {
        let (context, store) = try context(1)
        let expected: [(any Error, SwiftDataError)] = [
            (DataStoreError.unsupportedFeature.with(detail: "deleting"), .unsupportedFeature),
            (DataStoreError.invalidPredicate, .unsupportedPredicate),
            (DataStoreError.preferInMemorySort, .invalidStoreResponse),
            (SwiftDataError.storeFull, .storeFull),
        ]
        for (failure, kind) in expected {
            log.failure.withLock { $0 = failure }
            let error = #expect(throws: SwiftDataError.self) { try context.delete(model: GraphNode.self) }
            #expect(error == kind && error?.storeIdentifier == store.identifier)
        }
        log.failure.withLock { $0 = BatchingStore.Refusal() }
        #expect(throws: BatchingStore.Refusal.self) { try context.delete(model: GraphNode.self) }
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 1)
    }

    @Test func deniedRowKeepsAllRows() throws {
        let store = try TestStore(.file, [GraphNode.self])
        let context = store.context()
        let nodes = (0..<3).map { GraphNode("\($0)") }
        for node in nodes { context.insert(node) }
        try context.save()
        try store.shell(
            """
            CREATE TRIGGER refuse BEFORE DELETE ON "GraphNode" WHEN OLD.name = '2'
            BEGIN SELECT RAISE(ABORT, 'not this one'); END
            """)
        let error = #expect(throws: SwiftDataError.self) { try context.delete(model: GraphNode.self) }
        #expect(error == .modelValidationFailure && error?.detail == "not this one")
        #expect(nodes.map(\.isDeleted) == [false, false, false])
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 3)
        #expect(try store.history().count == 1)
    }

    @Test func earlierChangesOfOtherProgramsAreSeparateTransactions() throws {
        let store = try TestStore(.file, [GraphNode.self])
        let context = store.context(author: "app")
        for name in ["a", "b", "c"] { context.insert(GraphNode(name)) }
        try context.save()
        try store.shell(#"UPDATE "GraphNode" SET number = 7; DELETE FROM "GraphNode" WHERE name = 'a'"#)
        try context.delete(model: GraphNode.self, where: #Predicate { $0.number == 7 })
        #expect(
            try store.lines() == [
                "app: insert GraphNode/1, insert GraphNode/2, insert GraphNode/3",
                "update GraphNode/1 number, update GraphNode/2 number, update GraphNode/3 number, delete GraphNode/1",
                "app: delete GraphNode/2, delete GraphNode/3",
            ])
    }
}

/// A ``DefaultStore`` that logs its requests and throws errors on demand.
final class BatchingStore: DataStoreBatching {
    struct Refusal: Error {}

    final class Log: IdentityHashable, Sendable {
        let calls = Mutex<[String]>([])
        /// The error that batch deletes throw.
        let failure = Mutex<(any Error)?>(nil)

        func add(_ call: String) { calls.withLock { $0.append(call) } }
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = BatchingStore

        let name = "batching"
        var schema: Schema?
        let log: Log
    }

    let configuration: Configuration
    let base: DefaultStore
    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true), schema: schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let found = try base.fetch(request)
        configuration.log.add("fetch \(found.fetchedSnapshots.count)")
        return found
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        configuration.log.add("save")
        return try base.save(request)
    }

    func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        configuration.log.add("delete" + (request.editingState.author.map { " by \($0)" } ?? ""))
        if let failure = configuration.log.failure.withLock({ $0 }) { throw failure }
        try base.delete(request)
    }
}

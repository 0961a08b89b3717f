import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Cancelling a task cancels its reads, but not its saves.
@Suite struct CancellationTests {
    /// Runs a body in a task that is already cancelled.
    private func cancelled<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try body()
        }
        task.cancel()
        return try await task.value
    }

    /// A store with so many rows that a read takes longer than the interval at which SQLite calls the progress handler.
    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [GraphNode.self])
        let context = store.context()
        let parent = GraphNode("parent")
        context.insert(parent)
        for number in 0..<5_000 {
            let node = GraphNode("\(number)")
            node.parent = parent
            context.insert(node)
        }
        try context.save()
        return store
    }

    @Test(arguments: StoreKind.allCases) func readsOfACancelledTaskThrow(_ kind: StoreKind) async throws {
        let store = try store(kind)
        let container = store.container
        let reads: [@Sendable (ModelContext) throws -> Void] = [
            { _ = try $0.fetch(FetchDescriptor<GraphNode>()) },
            { _ = try $0.fetchCount(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "x" })) },
            { _ = try $0.fetchIdentifiers(FetchDescriptor<GraphNode>(sortBy: [SortDescriptor(\.number)])) },
            { _ = try $0.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) },
            { try $0.enumerate(FetchDescriptor<GraphNode>()) { _ in } },
        ]
        for read in reads {
            await #expect(throws: CancellationError.self) {
                try await cancelled { try read(ModelContext(container)) }
            }
        }
        // Tasks that are not cancelled continue to read, on the same connections.
        for read in reads { try read(store.context()) }
    }

    @Test(arguments: StoreKind.allCases) func contextIsUsableAfterACancellation(_ kind: StoreKind) async throws {
        let store = try store(kind)
        let container = store.container
        let name = try await cancelled {
            let context = ModelContext(container)
            let named = FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "parent" })
            var first = named
            first.fetchLimit = 1
            // One row is read before the cancellation is detected.
            let parent = try #require(try context.fetch(first).first)
            #expect(throws: CancellationError.self) { try context.fetch(FetchDescriptor<GraphNode>()) }
            parent.name = "renamed"
            try context.save()
            return parent.name
        }
        #expect(name == "renamed")
        #expect(
            try store.context().fetchCount(FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == name })) == 1)
    }

    @Test(arguments: StoreKind.allCases) func savesOfACancelledTaskComplete(_ kind: StoreKind) async throws {
        let store = try store(kind)
        let container = store.container
        try await cancelled {
            let context = ModelContext(container)
            var first = FetchDescriptor<GraphNode>(predicate: #Predicate { $0.name == "parent" })
            first.fetchLimit = 1
            let parent = try #require(try context.fetch(first).first)
            for number in 0..<5_000 { context.insert(GraphNode("new \(number)")) }
            // The delete rule is cascade; the save reads the destinations that cannot be read now.
            context.delete(parent)
            try context.save()
        }
        let context = store.context()
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 5_000)
        #expect(try context.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>()) == 2)
        try await cancelled { try ModelContext(container).delete(model: GraphNode.self) }
        #expect(try context.fetchCount(FetchDescriptor<GraphNode>()) == 0)
    }
}

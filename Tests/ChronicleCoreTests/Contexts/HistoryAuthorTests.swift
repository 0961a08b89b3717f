import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct HistoryAuthorTests {
    private struct Saved: Equatable {
        let author: String?
        var metadata: [String: String] = [:]
    }

    private func saved(_ store: TestStore) throws -> [Saved] {
        try store.context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map {
            Saved(author: $0.author, metadata: $0.metadata)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func contextsWithoutAnAuthorUseThatOfTheTask(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (context, own) = (store.context(), store.context(author: "own"))
        context.transactionMetadata = ["b": "context"]
        try HistoryAuthor.withValue("alice", metadata: ["a": "1", "b": "1"]) {
            #expect(HistoryAuthor.current == "alice")
            try store.add("a", in: context)
            try store.add("b", in: own)
            try HistoryAuthor.withValue("bob", metadata: ["a": "2", "c": "2"]) {
                #expect(HistoryAuthor.currentMetadata == ["a": "2", "b": "1", "c": "2"])
                try context.delete(model: Trip.self, where: #Predicate { $0.name == "a" })
            }
            context.transactionMetadata = [:]
            try store.add("c", in: context)
        }
        #expect(HistoryAuthor.current == nil && HistoryAuthor.currentMetadata.isEmpty)
        try store.add("d", in: context)
        #expect(
            try saved(store) == [
                Saved(author: "alice", metadata: ["a": "1", "b": "context"]), Saved(author: "own"),
                Saved(author: "bob", metadata: ["a": "2", "b": "context", "c": "2"]),
                Saved(author: "alice", metadata: ["a": "1", "b": "1"]), Saved(author: nil),
            ])
    }

    /// The author counts where a context saves, not where it was changed.
    @Test(arguments: StoreKind.allCases)
    func tasksInheritTheAuthor(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let container = store.container
        @Sendable func add(_ name: String) throws {
            let context = ModelContext(container)
            context.insert(Trip(name: name, destination: ""))
            try context.save()
        }
        let context = store.context()
        context.insert(Trip(name: "early", destination: ""))
        try await HistoryAuthor.withValue("alice") {
            try context.save()
            await Task.yield()
            try add("suspended")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try add("child") }
                try await group.waitForAll()
            }
            try await Task { try add("task") }.value
            try await Writer(container).add("actor")
            try await Task.detached { try add("detached") }.value
            context.insert(Trip(name: "late", destination: ""))
        }
        try context.save()
        #expect(try saved(store).map(\.author) == ["alice", "alice", "alice", "alice", "alice", nil, nil])
    }

    @Test(arguments: StoreKind.allCases)
    func autosavesHaveTheAuthorOfTheFirstChange(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        func save() async { while context.hasChanges, !Task.isCancelled { await Task.yield() } }
        HistoryAuthor.withValue("alice", metadata: ["request": "1"]) {
            context.insert(Trip(name: "a", destination: ""))
        }
        HistoryAuthor.withValue("bob") { context.insert(Trip(name: "b", destination: "")) }
        await save()
        context.insert(Trip(name: "c", destination: ""))
        await HistoryAuthor.withValue("carol") { await save() }
        #expect(try saved(store) == [Saved(author: "alice", metadata: ["request": "1"]), Saved(author: nil)])
    }

    /// Earlier changes were saved or rolled back before the scheduled autosave.
    @Test(arguments: StoreKind.allCases)
    func autosavesHaveNoAuthorOfSavedChanges(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.container.mainContext
        func save() async { while context.hasChanges, !Task.isCancelled { await Task.yield() } }
        try HistoryAuthor.withValue("alice") {
            context.insert(Trip(name: "a", destination: ""))
            try context.save()
        }
        HistoryAuthor.withValue("bob") { context.insert(Trip(name: "b", destination: "")) }
        await save()
        HistoryAuthor.withValue("carol") {
            context.insert(Trip(name: "c", destination: ""))
            context.rollback()
        }
        context.insert(Trip(name: "d", destination: ""))
        await save()
        #expect(try saved(store).map(\.author) == ["alice", "bob", nil])
        // A model whose row is gone schedules an autosave without changes.
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        let other = store.context()
        other.delete(try other.existingModel(for: trips[0].persistentModelID, as: Trip.self))
        try other.save()
        _ = try HistoryAuthor.withValue("dave") { try context.refreshAllModels() }
        HistoryAuthor.withValue("erin") { trips[1].note = "changed" }
        await save()
        #expect(try saved(store).map(\.author).last == "erin")
    }

    @Test(arguments: StoreKind.allCases)
    func consumersAndUndosHaveTheAuthor(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let consumer = try store.container.historyConsumer(named: "reader", startingNewAt: .beginning)
        try store.add("a", in: context)
        try HistoryAuthor.withValue("alice") {
            let batch = try #require(try consumer.nextBatch())
            context.insert(Trip(name: "b", destination: ""))
            try context.save(acknowledging: batch)
            #expect(try context.undoHistory.undo()?.steps.count == 1)
            #expect(try !context.undoHistory.canUndo)
        }
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["a"])
        #expect(try saved(store).map(\.author) == [nil, "alice", "alice"])
    }

    @Test func authorsAreValidated() throws {
        let store = try TestStore(.inMemory)
        #expect(throws: SwiftDataError.valueOutOfRange) {
            try HistoryAuthor.withValue("a\0b") { try store.add("a") }
        }
        #expect(try saved(store).isEmpty)
    }
}

private actor Writer: ModelActor {
    nonisolated let modelExecutor: any ModelExecutor
    nonisolated let modelContainer: ModelContainer

    init(_ modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    }

    func add(_ name: String) throws {
        modelContext.insert(Trip(name: name, destination: ""))
        try modelContext.save()
    }
}

import Foundation
import Isolation
import SwiftData
import Testing

@Suite struct IsolationTests {
    @Test func actorsThatSetTheirExecutor() async throws {
        let database = try JobDatabase(inMemory: true, author: "worker")
        let identifier = try await database.insert { Job(queue: "a", number: 7) }
        #expect(await database.number(of: identifier) == 7)
        let count = try await database.fetch({ FetchDescriptor<Job>() }, with: \.count)
        #expect(count == 1)
        let authors = try await database.perform { _, context in
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.author)
        }
        #expect(authors == ["worker"])
    }

    @Test func transactionsThatFail() async throws {
        let database = try JobDatabase(inMemory: true, author: "worker")
        await #expect(throws: CancellationError.self) {
            try await database.transaction { context in
                context.insert(Job(queue: "a", number: 1))
                throw CancellationError()
            }
        }
        try await database.transaction { $0.insert(Job(queue: "a", number: 2)) }
        let numbers = try await database.fetch({ FetchDescriptor<Job>() }) { $0.map(\.number) }
        #expect(numbers == [2])
    }

    @Test func deletesOfTypesInValues() async throws {
        let database = try JobDatabase(inMemory: true, author: "worker")
        for number in 0..<4 { _ = try await database.insert { Job(queue: "a", number: number) } }
        try await database.delete(Job.self, where: #Predicate { $0.number < 2 })
        #expect(try await database.fetch({ FetchDescriptor<Job>() }, with: \.count) == 2)
        try await database.removeAll(of: [Job.self])
        #expect(try await database.fetch({ FetchDescriptor<Job>() }, with: \.count) == 0)
    }

    @Test @MainActor func fetchesInTheIsolationOfTheCaller() async throws {
        let container = try ModelContainer(
            for: Job.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let planner = JobPlanner(modelContainer: container)
        #expect(try await planner.plan("a", count: 3) == [2, 1, 0])
        #expect(try await planner.plan("a", count: 2) == [2, 1, 0])
        #expect(try Job.count(in: container) == 3)
        let database = await JobDatabase.make(container)
        // Several actors on one container.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in ["b", "c", "d"] {
                group.addTask { _ = try await JobPlanner(modelContainer: container).plan(queue, count: 5) }
            }
            try await group.waitForAll()
        }
        #expect(try await database.fetch({ FetchDescriptor<Job>() }, with: \.count) == 18)
    }

    @Test func scopedImports() throws {
        let container = try ModelContainer(
            for: Job.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for number in 0..<3 { context.insert(Job(queue: "a", number: number)) }
        #expect(try ContextSource<Job>(context: context).load(FetchDescriptor()).count == 3)
        #expect(context.all(Job.self).count == 3)
        #expect(try context.fetch(FetchDescriptor<Job>(), limit: 2).count == 2)
        #expect(try context.fetch(onlyLoading: [\Job.number]).map(\.queue) == ["a", "a", "a"])
    }
}

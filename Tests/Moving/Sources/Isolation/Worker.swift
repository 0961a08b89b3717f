import Foundation
import SwiftData

@Model
public final class Job {
    #Unique<Job>([\.queue, \.number])

    public var queue: String
    public var number: Int
    public var isDone = false
    public var result: Data?

    public init(queue: String, number: Int) {
        self.queue = queue
        self.number = number
    }
}

/// What the parts of a program may do with models, on whatever actor they are.
public protocol Database: Sendable {
    func fetch<T: PersistentModel, U: Sendable>(
        _ descriptor: @escaping @Sendable () -> FetchDescriptor<T>, with body: @escaping @Sendable ([T]) throws -> U
    ) async throws -> U
    func insert<T: PersistentModel>(_ make: @escaping @Sendable () -> T) async throws -> PersistentIdentifier
    func delete<T: PersistentModel>(_ type: T.Type, where predicate: Predicate<T>?) async throws
    func transaction(_ body: @escaping @Sendable (ModelContext) throws -> Void) async throws
}

/// An actor that sets the properties the macro declares.
@ModelActor
public actor JobDatabase: Database {
    private var transactions = 0

    public init(inMemory: Bool, author: String) throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: inMemory)
        let container = try ModelContainer(for: Job.self, configurations: configuration)
        let context = ModelContext(container)
        context.autosaveEnabled = false
        context.author = author
        modelContainer = container
        modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    public static nonisolated func make(_ container: ModelContainer) async -> JobDatabase {
        JobDatabase(modelContainer: container)
    }

    public func fetch<T: PersistentModel, U: Sendable>(
        _ descriptor: @escaping @Sendable () -> FetchDescriptor<T>, with body: @escaping @Sendable ([T]) throws -> U
    ) async throws -> U {
        try body(modelContext.fetch(descriptor()))
    }

    public func insert<T: PersistentModel>(_ make: @escaping @Sendable () -> T) async throws -> PersistentIdentifier {
        let model = make()
        modelContext.insert(model)
        try modelContext.save()
        return model.persistentModelID
    }

    public func delete<T: PersistentModel>(_ type: T.Type, where predicate: Predicate<T>? = nil) async throws {
        try modelContext.delete(model: T.self, where: predicate)
        try modelContext.save()
    }

    public func transaction(_ body: @escaping @Sendable (ModelContext) throws -> Void) async throws {
        transactions += 1
        do {
            try modelContext.transaction { try body(modelContext) }
        } catch {
            modelContext.rollback()
            throw error
        }
    }

    /// Removes everything of several classes, which the caller knows as values.
    public func removeAll(of types: [any PersistentModel.Type]) throws {
        for type in types { try modelContext.delete(model: type) }
    }

    public func number(of identifier: PersistentIdentifier) -> Int? {
        guard let job: Job = modelContext.registeredModel(for: identifier) else {
            return (modelContext.model(for: identifier) as? Job)?.number
        }
        return job.number
    }
}

extension ModelActor {
    /// Calls a closure on the actor.
    public func perform<T: Sendable, Failure: Error>(
        _ body: @Sendable (isolated Self, ModelContext) async throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await body(self, modelContext)
    }

    public func saveIfNeeded() throws {
        if modelContext.hasChanges { try modelContext.save() }
    }
}

// Fetches in the isolation of the caller.

extension PersistentModel {
    public static func all(isolation: isolated (any ModelActor) = #isolation) throws -> [Self] {
        try FetchDescriptor<Self>().results()
    }

    public static func findOrCreate(
        _ predicate: Predicate<Self>, isolation: isolated (any ModelActor) = #isolation, make: () -> Self
    ) throws -> Self {
        if let found = try FetchDescriptor(predicate: predicate).first() { return found }
        let model = make()
        isolation.modelContext.insert(model)
        return model
    }

    @MainActor
    public static func count(in container: ModelContainer) throws -> Int {
        try container.mainContext.fetchCount(FetchDescriptor<Self>())
    }
}

extension FetchDescriptor {
    public func first(isolation: isolated (any ModelActor) = #isolation) throws -> T? {
        var descriptor = self
        descriptor.fetchLimit = 1
        return try isolation.modelContext.fetch(descriptor).first
    }

    public func results(isolation: isolated (any ModelActor) = #isolation) throws -> [T] {
        try isolation.modelContext.fetch(self)
    }

    public func sorted(by keyPath: any KeyPath<T, some Comparable> & Sendable, reversed: Bool = false) -> Self {
        var descriptor = self
        descriptor.sortBy.append(SortDescriptor(keyPath, order: reversed ? .reverse : .forward))
        return descriptor
    }
}

@ModelActor
public actor JobPlanner {
    public func plan(_ queue: String, count: Int) throws -> [Int] {
        for number in 0..<count {
            _ = try Job.findOrCreate(#Predicate { $0.queue == queue && $0.number == number }) {
                Job(queue: queue, number: number)
            }
        }
        try saveIfNeeded()
        return try FetchDescriptor<Job>().sorted(by: \.number, reversed: true).results().map(\.number)
    }
}

import Foundation
import SwiftData

/// What a view model needs of a kind of models.
@MainActor
public protocol Repository<Model> {
    associatedtype Model: PersistentModel

    func all(sortedBy order: [SortDescriptor<Model>]) throws -> [Model]
    func find(_ predicate: Predicate<Model>?, limit: Int?) throws -> [Model]
    func add(_ models: [Model]) throws
    func update(_ model: Model, _ change: (Model) throws -> Void) throws
    func remove(_ model: Model) throws
}

/// A repository over the main context of a container.
@MainActor
public final class ModelRepository<Model: PersistentModel>: Repository {
    private let container: ModelContainer
    private var context: ModelContext { container.mainContext }

    public init(container: ModelContainer) {
        self.container = container
    }

    public func all(sortedBy order: [SortDescriptor<Model>] = []) throws -> [Model] {
        try context.fetch(FetchDescriptor<Model>(sortBy: order))
    }

    public func find(_ predicate: Predicate<Model>? = nil, limit: Int? = nil) throws -> [Model] {
        var descriptor = FetchDescriptor<Model>(predicate: predicate)
        descriptor.fetchLimit = limit
        return try context.fetch(descriptor)
    }

    public func first(where predicate: Predicate<Model>) throws -> Model? {
        try find(predicate, limit: 1).first
    }

    public func count(where predicate: Predicate<Model>? = nil) throws -> Int {
        try context.fetchCount(FetchDescriptor<Model>(predicate: predicate))
    }

    public func model(with identifier: PersistentIdentifier) -> Model? {
        context.registeredModel(for: identifier) ?? context.model(for: identifier) as? Model
    }

    public func add(_ models: [Model]) throws {
        models.forEach(context.insert)
        try saveIfNeeded()
    }

    public func update(_ model: Model, _ change: (Model) throws -> Void) throws {
        do {
            try change(model)
            try saveIfNeeded()
        } catch {
            context.rollback()
            throw error
        }
    }

    public func remove(_ model: Model) throws {
        context.delete(model)
        try saveIfNeeded()
    }

    public func removeAll(where predicate: Predicate<Model>? = nil) throws {
        try context.delete(model: Model.self, where: predicate)
        try saveIfNeeded()
    }

    private func saveIfNeeded() throws {
        guard context.hasChanges else { return }
        try context.save()
    }
}

/// Models that are looked up by one of their attributes.
public protocol Titled: PersistentModel {
    var title: String { get set }
}

extension Note: Titled {}

extension Repository where Model: Titled {
    public func titles() throws -> [String] {
        try all(sortedBy: []).map(\.title).sorted()
    }
}

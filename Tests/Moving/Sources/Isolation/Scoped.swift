import Foundation

import struct SwiftData.FetchDescriptor
import class SwiftData.ModelContext
import protocol SwiftData.PersistentModel

// Imports of single declarations, and their qualified names.

public protocol Source<Model> {
    associatedtype Model: SwiftData.PersistentModel

    func load(_ descriptor: SwiftData.FetchDescriptor<Model>) throws -> [Model]
}

public struct ContextSource<Model: PersistentModel>: Source {
    public let context: SwiftData.ModelContext

    public init(context: ModelContext) { self.context = context }

    public func load(_ descriptor: FetchDescriptor<Model>) throws -> [Model] { try context.fetch(descriptor) }
}

extension ModelContext {
    public static let didReload = Notification.Name("ModelContextDidReload")

    /// All models of a class, without an error.
    public func all<T: PersistentModel>(_ type: T.Type = T.self) -> [T] {
        (try? fetch(FetchDescriptor<T>())) ?? []
    }

    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, limit: Int) throws -> [T] {
        var descriptor = descriptor
        descriptor.fetchLimit = limit
        return try fetch(descriptor)
    }

    public func fetch<T>(
        onlyLoading properties: [PartialKeyPath<T>], prefetching related: [PartialKeyPath<T>] = []
    ) throws -> [T] where T: PersistentModel {
        var descriptor = FetchDescriptor<T>()
        descriptor.propertiesToFetch = properties
        descriptor.relationshipKeyPathsForPrefetching = related
        return try fetch(descriptor)
    }
}

public import Foundation

/// The criteria, sort order and limits of a fetch.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///     predicate: #Predicate { $0.destination.starts(with: "New") }, sortBy: [SortDescriptor(\.startDate)])
/// descriptor.fetchLimit = 20
/// let trips = try context.fetch(descriptor)
/// ```
public struct FetchDescriptor<T: PersistentModel>: Sendable {
    /// The condition that the models match, or `nil` for all models. The guide *Predicates* lists the expressions.
    public var predicate: Predicate<T>?
    /// The sort descriptors. If the array is empty, the models are in the order of their primary keys.
    public var sortBy: [SortDescriptor<T>]
    /// The maximum number of models, or `nil` for no limit.
    public var fetchLimit: Int?
    /// The number of models to skip at the beginning.
    public var fetchOffset: Int?
    /// Whether the fetch considers the unsaved changes of the context: inserted and deleted models, and the current values of
    /// changed models. `true` by default.
    public var includePendingChanges = true
    // The key paths need not be `Sendable`, as in SwiftData. Contexts only compare them, and they never change.

    /// The relationships to load together with the models, with one request for each of these relationships.
    ///
    /// The context keeps the destinations of a to-one relationship until it has read 1,024 others, or as many as the last fetch
    /// prefetched if these are more. It keeps those of a to-many relationship as long as the model that has the relationship.
    public nonisolated(unsafe) var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
    /// Has no effect, because a row is always read as a whole. It exists for compatibility with SwiftData.
    public nonisolated(unsafe) var propertiesToFetch: [PartialKeyPath<T>] = []

    /// Creates a fetch descriptor.
    ///
    /// - Parameters:
    ///   - predicate: The condition that the models match, or `nil` for all models.
    ///   - sortBy: The sort descriptors. If the array is empty, the models are in the order of their primary keys.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

extension FetchDescriptor: CustomDebugStringConvertible {
    /// The model and the limits of the fetch, without values of the predicate. The format may change.
    public var debugDescription: String {
        "FetchDescriptor<\(T.self)>(predicate: \(predicate == nil ? "none" : "set"), sortBy: \(sortBy.count), "
            + "fetchLimit: \(fetchLimit.map(String.init) ?? "none"), fetchOffset: \(fetchOffset ?? 0), "
            + "includePendingChanges: \(includePendingChanges))"
    }
}

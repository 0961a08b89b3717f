public import Foundation

/// What to fetch: which models, in what order, how many.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///     predicate: #Predicate { $0.destination.starts(with: "New") }, sortBy: [SortDescriptor(\.startDate)])
/// descriptor.fetchLimit = 20
/// let trips = try context.fetch(descriptor)
/// ```
public struct FetchDescriptor<T: PersistentModel>: Sendable {
    /// Which models; `nil` for all. What can be translated is listed in the guide *Predicates*.
    public var predicate: Predicate<T>?
    /// The order; without it, that of the primary keys.
    public var sortBy: [SortDescriptor<T>]
    /// At most this many; `nil` for no limit.
    public var fetchLimit: Int?
    /// Leaves out this many of the first.
    public var fetchOffset: Int?
    /// Whether the context's unsaved changes count: new models are found, deleted ones are not, and changed ones are
    /// judged by what they are now. `true` by default.
    public var includePendingChanges = true
    /// The relationships to read ahead, for all fetched models at once: one request for each of these, instead of one for
    /// each model when its relationship is first read. Relationships to one model are remembered until 1,024 others, or as
    /// many as the last fetch read ahead, were read; lists as long as their models.
    public var relationshipKeyPathsForPrefetching: [any PartialKeyPath<T> & Sendable] = []
    /// Allowed, and without effect: a row is read as a whole.
    public var propertiesToFetch: [any PartialKeyPath<T> & Sendable] = []

    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

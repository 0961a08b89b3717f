public import Foundation

/// The criteria, sort order and limits of a fetch of revisions; see ``ModelContext/fetchRevisions(_:)``.
///
/// ```swift
/// var descriptor = RevisionDescriptor<Trip>(
///     predicate: #Predicate { $0.price > 100 }, of: [trip.persistentModelID],
///     transactions: #Predicate { $0.author == "alice" })
/// descriptor.order = .reverse
/// descriptor.fetchLimit = 20
/// ```
///
/// A revision matches if it meets all conditions.
public struct RevisionDescriptor<Model: PersistentModel>: Sendable {
    /// The name of the entity, whose subentities match as well.
    public let entityName: String
    /// The condition on the values of the model, or `nil` for all revisions. It can use the attributes, and the identifiers of
    /// to-one destinations: `$0.destination?.persistentModelID == rome`.
    public var predicate: Predicate<Model>?
    /// The identifiers of the models, which may have been deleted, or `nil` for all models.
    public var identifiers: Set<PersistentIdentifier>?
    /// A position after which the revision ended, unless it is current, or `nil` for all revisions.
    public var lowerBound: DefaultHistoryToken?
    /// A position before which the revision began, or `nil` for all revisions.
    public var upperBound: DefaultHistoryToken?
    /// The condition on the transaction that began the revision, such as its author, timestamp or metadata. Revisions whose
    /// transaction the history does not contain do not match. Use the bounds instead of conditions on the token.
    public var transactions: Predicate<DefaultHistoryTransaction>?
    /// The properties of which the transaction changed at least one. An empty array, which is the default, and inserts match all.
    public var changedProperties: [any PartialKeyPath<Model> & Sendable] = []
    /// The sort descriptors, which precede the ``order`` of the positions.
    public var sortBy: [SortDescriptor<Model>]
    /// Whether the oldest revision (`.forward`, the default) or the newest one (`.reverse`) is first. Revisions that began with the
    /// same transaction are in the order of their primary keys.
    public var order: SortOrder = .forward
    /// The maximum number of revisions, or `nil` for no limit.
    public var fetchLimit: Int?
    /// The number of revisions to skip at the beginning.
    public var fetchOffset: Int?

    /// Creates a descriptor.
    ///
    /// - Parameters:
    ///   - predicate: The condition on the values of the model, or `nil` for all revisions.
    ///   - identifiers: The identifiers of the models, or `nil` for all models.
    ///   - positions: The positions at one of which the revision was current, or `nil` for all: the state after the transaction of
    ///     the lower bound, and after each later one before the upper bound.
    ///   - transactions: The condition on the transaction that began the revision, or `nil` for all revisions.
    ///   - sortBy: The sort descriptors. If the array is empty, the revisions are in the order of their positions.
    ///   - fetchLimit: The maximum number of revisions, or `nil` for no limit.
    ///   - fetchOffset: The number of revisions to skip at the beginning.
    public init(
        predicate: Predicate<Model>? = nil, of identifiers: Set<PersistentIdentifier>? = nil,
        during positions: Range<DefaultHistoryToken>? = nil, transactions: Predicate<DefaultHistoryTransaction>? = nil,
        sortBy: [SortDescriptor<Model>] = [], fetchLimit: Int? = nil, fetchOffset: Int? = nil
    ) {
        entityName = Model.entityName
        self.predicate = predicate
        self.identifiers = identifiers
        lowerBound = positions?.lowerBound
        upperBound = positions?.upperBound
        self.transactions = transactions
        self.sortBy = sortBy
        self.fetchLimit = fetchLimit
        self.fetchOffset = fetchOffset
    }
}

extension RevisionDescriptor where Model == UntypedModel {
    /// Creates a descriptor for an entity without a model class, such as a table of a tracked database.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity of the store's schema.
    ///   - identifiers: The identifiers of the models, or `nil` for all models.
    ///   - positions: The positions at one of which the revision was current, or `nil` for all.
    ///   - transactions: The condition on the transaction that began the revision, or `nil` for all revisions.
    public init(
        entityName: String, of identifiers: Set<PersistentIdentifier>? = nil,
        during positions: Range<DefaultHistoryToken>? = nil, transactions: Predicate<DefaultHistoryTransaction>? = nil
    ) {
        self.entityName = entityName
        self.identifiers = identifiers
        lowerBound = positions?.lowerBound
        upperBound = positions?.upperBound
        self.transactions = transactions
        sortBy = []
    }
}

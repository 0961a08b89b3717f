/// A request to fetch rows from a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// The predicate, sort order and limits of the fetch.
    public let descriptor: FetchDescriptor<T>
    /// The context that makes the request.
    public let editingState: EditingState
    /// The identifiers of rows that the result must not contain, as if they were not in the store.
    ///
    /// The context has unsaved changes or deletes of these models. Empty for stores that do not adopt
    /// ``DataStoreExcluding``.
    public let excludedIdentifiers: Set<PersistentIdentifier>
    /// The rows to look up by identifier, among those that match the descriptor, or `nil` to return all that match.
    ///
    /// Contexts set it to load models and relationships. A store may ignore it and return rows that do not match the
    /// lookup, because the context omits them. Loading a relationship then reads all rows of the entity.
    public let lookup: DataStoreLookup?

    /// Creates a fetch request.
    ///
    /// - Parameters:
    ///   - descriptor: The predicate, sort order and limits of the fetch.
    ///   - editingState: The context that makes the request.
    ///   - excludedIdentifiers: The identifiers of rows to exclude; empty by default.
    ///   - lookup: The rows to look up; `nil` by default.
    public init(
        descriptor: FetchDescriptor<T>, editingState: EditingState,
        excludedIdentifiers: Set<PersistentIdentifier> = [], lookup: DataStoreLookup? = nil
    ) {
        self.descriptor = descriptor
        self.editingState = editingState
        self.excludedIdentifiers = excludedIdentifiers
        self.lookup = lookup
    }
}

/// The result of a fetch request.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// The descriptor of the request.
    public let descriptor: FetchDescriptor<ModelType>
    /// The snapshots of the matching rows, in the order of the descriptor.
    public let fetchedSnapshots: [SnapshotType]
    /// Snapshots of models that the fetched models reference.
    ///
    /// Contexts ignore these snapshots and fetch related models when the program reads a relationship.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// Creates the result of a fetch.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the request.
    ///   - fetchedSnapshots: The snapshots of the matching rows, in the order of the descriptor.
    ///   - relatedSnapshots: Snapshots of models that the fetched models reference; see ``relatedSnapshots``.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// A request to write the changes of one save.
///
/// The arrays list the changes in the order in which the context registered them. Write the inserts first, then the
/// updates, then the deletes, unless the store requires a different order.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    /// The context that makes the request.
    public let editingState: EditingState
    /// The new models. Their identifiers are temporary, and their references may be temporary as well.
    public let inserted: [SnapshotType]
    /// The changed models, with all their values. ``DataStoreSnapshot/changed`` contains the slots to write.
    public let updated: [SnapshotType]
    /// The models to delete, with the values that the context read last. Ignore rows that do not exist.
    public let deleted: [SnapshotType]
    /// The links to insert. Empty for stores that do not adopt ``DataStoreLinking``. Ignore links that already exist.
    public let linked: [DataStoreLink]
    /// The links to delete. Ignore links that do not exist.
    ///
    /// The store also deletes all links of the ``deleted`` models, which are not listed here.
    public let unlinked: [DataStoreLink]

    /// Creates a save request.
    ///
    /// - Parameters:
    ///   - editingState: The context that makes the request.
    ///   - inserted: The new models.
    ///   - updated: The changed models.
    ///   - deleted: The models to delete.
    ///   - linked: The links to insert.
    ///   - unlinked: The links to delete.
    public init(
        editingState: EditingState, inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType],
        linked: [DataStoreLink] = [], unlinked: [DataStoreLink] = []
    ) {
        self.editingState = editingState
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.linked = linked
        self.unlinked = unlinked
    }
}

/// The result of a save request.
public struct DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    /// The ``DataStore/identifier`` of the store that saved.
    public let storeIdentifier: String
    /// The rows that the store wrote with values that differ from the request, by permanent identifier.
    ///
    /// The context refreshes their models.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// Whether there are snapshots to register again. Generic code reads this in less time than an empty dictionary.
    let changesRows: Bool
    /// The position of the save in the history of the store, or `nil` if the store recorded no transaction.
    public let historyToken: (any HistoryToken)?
    private let identifiers: Identifiers

    private enum Identifiers {
        case remapped([PersistentIdentifier: PersistentIdentifier])
        case inOrder(inserted: [T], [PersistentIdentifier])
    }

    /// Creates the result of a save.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store that saved.
    ///   - remappedIdentifiers: The permanent identifiers of all inserted models, by temporary identifier.
    ///   - snapshotsToReregister: The rows that the store wrote with values that differ from the request, by permanent
    ///     identifier.
    ///   - historyToken: The position of the save in the history of the store, or `nil` if the store recorded no
    ///     transaction.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .remapped(remappedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        changesRows = !snapshotsToReregister.isEmpty
        self.historyToken = historyToken
    }

    /// Creates the result of a save from identifiers in the order of the request, which does not require a dictionary.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store that saved.
    ///   - inserted: The ``DataStoreSaveChangesRequest/inserted`` models of the request.
    ///   - insertedIdentifiers: Their permanent identifiers, in the same order.
    ///   - snapshotsToReregister: The rows that the store wrote with values that differ from the request, by permanent
    ///     identifier.
    ///   - historyToken: The position of the save in the history of the store, or `nil` if the store recorded no
    ///     transaction.
    public init(
        for storeIdentifier: String, inserted: [T], insertedIdentifiers: [PersistentIdentifier],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .inOrder(inserted: inserted, insertedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        changesRows = !snapshotsToReregister.isEmpty
        self.historyToken = historyToken
    }

    /// The permanent identifiers of all inserted models, by temporary identifier.
    ///
    /// - Complexity: O(*n*), where *n* is the number of inserted models, if the result was created from arrays.
    public var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): identifiers
        case .inOrder(let inserted, let identifiers):
            Dictionary(
                zip(inserted.lazy.map(\.persistentIdentifier), identifiers), uniquingKeysWith: { first, _ in first })
        }
    }

    /// Returns the permanent identifiers of inserted models, without those that the store did not assign.
    func identifiers(of inserted: [T]) -> [PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): inserted.compactMap { identifiers[$0.persistentIdentifier] }
        case .inOrder(_, let identifiers): identifiers
        }
    }
}

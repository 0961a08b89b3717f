/// What a context asks a store for.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    public let descriptor: FetchDescriptor<T>
    public let editingState: EditingState
    /// Rows that the context has changed or deleted and not saved: the result is without them, as if they were not in the
    /// store. Empty for stores that are not ``DataStoreExcluding``.
    public let excludedIdentifiers: Set<PersistentIdentifier>

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - descriptor: Which rows, in which order.
    ///   - editingState: The context that makes the request.
    ///   - excludedIdentifiers: Rows to leave out; none by default.
    public init(
        descriptor: FetchDescriptor<T>, editingState: EditingState,
        excludedIdentifiers: Set<PersistentIdentifier> = []
    ) {
        self.descriptor = descriptor
        self.editingState = editingState
        self.excludedIdentifiers = excludedIdentifiers
    }
}

/// What a store found.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// The descriptor of the request.
    public let descriptor: FetchDescriptor<ModelType>
    /// The snapshots of the rows that match, in the order of the descriptor.
    public let fetchedSnapshots: [SnapshotType]
    /// Snapshots of models that the fetched ones reference.
    ///
    /// A context reads related models when the program reads a relationship, and ignores these snapshots.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// Creates the result of a fetch.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the request.
    ///   - fetchedSnapshots: The snapshots of the rows that match, in the order of the descriptor.
    ///   - relatedSnapshots: Snapshots of models that the fetched ones reference; see ``relatedSnapshots``.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// The changes of one save, to be written together.
///
/// The snapshots stand in the order in which the context learned of the changes; a store writes inserts, updates and
/// deletes in this order of kinds unless its own rules ask for another.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    public let editingState: EditingState
    /// New models, under temporary identifiers; their references may be temporary too.
    public let inserted: [SnapshotType]
    /// All values of each changed model; ``DataStoreSnapshot/changed`` says which are to be written.
    public let updated: [SnapshotType]
    /// The models to delete, as last known. A row that is gone already is no error.
    public let deleted: [SnapshotType]
    /// New links; for stores that are ``DataStoreLinking``, to others there are none. One that is there already is no
    /// change.
    public let linked: [DataStoreLink]
    /// The links to remove. One that is gone already is no error, and the links of ``deleted`` models go with them without
    /// being listed here.
    public let unlinked: [DataStoreLink]

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

/// What became of a save.
public struct DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    /// The ``DataStore/identifier`` of the store that saved.
    public let storeIdentifier: String
    /// The rows that the store wrote with other values than the request has, by permanent identifier. The context
    /// refreshes their models.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// The position of the save in the store's history; `nil` when nothing was recorded.
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
    ///   - remappedIdentifiers: The permanent identifier of every inserted model, by its temporary identifier.
    ///   - snapshotsToReregister: The rows that the store wrote with other values than the request has, by permanent
    ///     identifier.
    ///   - historyToken: The position of the save in the history of the store; `nil` when nothing was recorded.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .remapped(remappedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }

    /// Creates the result of a save from identifiers in the order of the request, which spares a dictionary.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store that saved.
    ///   - inserted: ``DataStoreSaveChangesRequest/inserted``.
    ///   - insertedIdentifiers: The permanent identifier of each of them.
    ///   - snapshotsToReregister: The rows that the store wrote with other values than the request has, by permanent
    ///     identifier.
    ///   - historyToken: The position of the save in the history of the store; `nil` when nothing was recorded.
    public init(
        for storeIdentifier: String, inserted: [T], insertedIdentifiers: [PersistentIdentifier],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .inOrder(inserted: inserted, insertedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }

    /// The permanent identifier of every inserted model, by the temporary one.
    public var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): identifiers
        case .inOrder(let inserted, let identifiers):
            Dictionary(
                zip(inserted.lazy.map(\.persistentIdentifier), identifiers), uniquingKeysWith: { first, _ in first })
        }
    }

    /// The permanent identifiers of inserted models, as far as they have one.
    func identifiers(of inserted: [T]) -> [PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): inserted.compactMap { identifiers[$0.persistentIdentifier] }
        case .inOrder(_, let identifiers): identifiers
        }
    }
}

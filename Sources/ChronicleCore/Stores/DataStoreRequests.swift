/// What a context asks a store for.
public struct DataStoreFetchRequest<Model: PersistentModel>: Sendable {
    public let descriptor: FetchDescriptor<Model>
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
        descriptor: FetchDescriptor<Model>, editingState: EditingState,
        excludedIdentifiers: Set<PersistentIdentifier> = []
    ) {
        self.descriptor = descriptor
        self.editingState = editingState
        self.excludedIdentifiers = excludedIdentifiers
    }
}

/// What a store found.
public struct DataStoreFetchResult<Model: PersistentModel, Snapshot: DataStoreSnapshot>: Sendable {
    /// The rows that match, in order.
    public let fetchedSnapshots: [Snapshot]

    public init(fetchedSnapshots: [Snapshot]) {
        self.fetchedSnapshots = fetchedSnapshots
    }
}

/// The changes of one save, to be written together.
///
/// The snapshots stand in the order in which the context learned of the changes; a store writes inserts, updates and
/// deletes in this order of kinds unless its own rules ask for another.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot>: Sendable {
    public let editingState: EditingState
    /// New models, under temporary identifiers; their references may be temporary too.
    public let inserted: [Snapshot]
    /// All values of each changed model; ``DataStoreSnapshot/changed`` says which are to be written.
    public let updated: [Snapshot]
    /// The models to delete, as last known. A row that is gone already is no error.
    public let deleted: [Snapshot]
    /// New links; for stores that are ``DataStoreLinking``, to others there are none. One that is there already is no
    /// change.
    public let linked: [DataStoreLink]
    /// The links to remove. One that is gone already is no error, and the links of ``deleted`` models go with them without
    /// being listed here.
    public let unlinked: [DataStoreLink]

    public init(
        editingState: EditingState, inserted: [Snapshot], updated: [Snapshot], deleted: [Snapshot],
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
public struct DataStoreSaveChangesResult<Snapshot: DataStoreSnapshot>: Sendable {
    /// Rows whose values differ from what was sent, under permanent identifiers: the context takes them over.
    public let snapshotsToReregister: [Snapshot]
    /// The position of the save in the store's history; `nil` when nothing was recorded.
    public let historyToken: (any HistoryToken)?
    private let identifiers: Identifiers

    private enum Identifiers {
        case remapped([PersistentIdentifier: PersistentIdentifier])
        case inOrder(inserted: [Snapshot], [PersistentIdentifier])
    }

    public init(
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
        snapshotsToReregister: [Snapshot] = [], historyToken: (any HistoryToken)? = nil
    ) {
        identifiers = .remapped(remappedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }

    /// The result of a store that knows the identifiers in the order of the request: nobody has to look them up then.
    ///
    /// - Parameters:
    ///   - inserted: ``DataStoreSaveChangesRequest/inserted``.
    ///   - insertedIdentifiers: The permanent identifier of each.
    public init(
        inserted: [Snapshot], insertedIdentifiers: [PersistentIdentifier],
        snapshotsToReregister: [Snapshot] = [], historyToken: (any HistoryToken)? = nil
    ) {
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
    func identifiers(of inserted: [Snapshot]) -> [PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): inserted.compactMap { identifiers[$0.persistentIdentifier] }
        case .inOrder(_, let identifiers): identifiers
        }
    }
}

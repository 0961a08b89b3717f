/// A request to fetch rows from a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// The predicate, sort order and limits of the fetch.
    public let descriptor: FetchDescriptor<T>
    /// The context that makes the request.
    public let editingState: EditingState
    /// The identifiers of rows to treat as if they were not in the store, because the context has changed or deleted the models.
    /// Empty for stores without the capability ``DataStoreCapabilities/excludedIdentifiers``.
    public let excludedIdentifiers: Set<PersistentIdentifier>
    /// The rows to look up, for models and relationships, or `nil` to return all rows that match the descriptor.
    ///
    /// A store may ignore the lookup, because the context omits rows that do not match it; loading a relationship then reads all
    /// rows of the entity.
    public let lookup: DataStoreLookup?
    /// The name of the entity whose rows are fetched, with those of the entities that inherit from it: that of the class, or any
    /// one if the class is ``UntypedModel``.
    public let entityName: String

    /// Creates a fetch request.
    ///
    /// - Parameters:
    ///   - descriptor: The predicate, sort order and limits of the fetch.
    ///   - editingState: The context that makes the request.
    ///   - excludedIdentifiers: The identifiers of rows to exclude; empty by default.
    ///   - lookup: The rows to look up; `nil` by default.
    ///   - entityName: The name of the entity if the class is ``UntypedModel``; `nil` for that of the class.
    public init(
        descriptor: FetchDescriptor<T>, editingState: EditingState,
        excludedIdentifiers: Set<PersistentIdentifier> = [], lookup: DataStoreLookup? = nil, entityName: String? = nil
    ) {
        self.descriptor = descriptor
        self.editingState = editingState
        self.excludedIdentifiers = excludedIdentifiers
        self.lookup = lookup
        self.entityName = entityName ?? T.entityName
    }

    /// Returns the entity whose rows are fetched.
    ///
    /// - Parameter schema: The schema of the store.
    /// - Returns: The entity, or `nil` if the schema does not contain it.
    public func entity(in schema: Schema) -> Schema.Entity? {
        T.self == UntypedModel.self ? schema.entitiesByName[entityName] : schema.entity(for: T.self)
    }
}

/// The result of a fetch request.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// The descriptor of the request.
    public let descriptor: FetchDescriptor<ModelType>
    /// The snapshots of the matching rows, in the order of the descriptor.
    public let fetchedSnapshots: [SnapshotType]
    /// Snapshots of models that the fetched models reference. Contexts ignore them and fetch related models when the program reads
    /// a relationship.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// Creates the result of a fetch.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the request.
    ///   - fetchedSnapshots: The snapshots of the matching rows, in the order of the descriptor.
    ///   - relatedSnapshots: Snapshots of models that the fetched models reference.
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
/// The arrays list the changes in the order in which the context registered them. Write the inserts first, then the updates, then
/// the deletes, unless the store requires a different order.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    /// The context that makes the request.
    public let editingState: EditingState
    /// The new models. Their references may be temporary. Their identifiers are temporary, except for some in stores with the
    /// capability ``DataStoreCapabilities/explicitIdentifiers``.
    public let inserted: [SnapshotType]
    /// The changed models, with all their values. ``DataStoreRowSnapshot/changed`` contains the slots to write.
    public let updated: [SnapshotType]
    /// The models to delete, with the values that the context read last. Ignore rows that do not exist.
    public let deleted: [SnapshotType]
    /// The links to insert. Ignore links that already exist. Empty for stores that do not conform to ``DataStoreLinking``.
    public let linked: [DataStoreLink]
    /// The links to delete. Ignore links that do not exist, and also delete all links of the ``deleted`` models, which are not
    /// among these.
    public let unlinked: [DataStoreLink]
    /// The consumer whose position moves in the transaction of the save; `nil` for stores that do not conform to
    /// ``DataStoreConsuming``.
    public let acknowledgement: HistoryAcknowledgement?
    /// The transaction of another store that the save replays; `nil` for stores without the capability
    /// ``DataStoreCapabilities/replay``.
    public let replay: HistoryReplayStep?

    /// Creates a save request.
    ///
    /// - Parameters:
    ///   - editingState: The context that makes the request.
    ///   - inserted: The new models.
    ///   - updated: The changed models.
    ///   - deleted: The models to delete.
    ///   - linked: The links to insert.
    ///   - unlinked: The links to delete.
    ///   - acknowledgement: The consumer whose position moves in the transaction of the save.
    ///   - replay: The transaction of another store that the save replays.
    public init(
        editingState: EditingState, inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType],
        linked: [DataStoreLink] = [], unlinked: [DataStoreLink] = [], acknowledgement: HistoryAcknowledgement? = nil,
        replay: HistoryReplayStep? = nil
    ) {
        self.editingState = editingState
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.linked = linked
        self.unlinked = unlinked
        self.acknowledgement = acknowledgement
        self.replay = replay
    }
}

/// The result of a save request.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    /// The ``DataStore/identifier`` of the store that saved.
    public let storeIdentifier: String
    /// The rows that the store wrote with values that differ from the request, by permanent identifier. The context refreshes their
    /// models.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// Whether ``snapshotsToReregister`` contains snapshots. Generic code reads this property faster than the dictionary.
    let changesRows: Bool
    /// The position of the save in the history of the store, or `nil` if the store recorded no transaction.
    public let historyToken: (any HistoryToken)?
    /// Whether the transaction may contain changes that are neither part of the request nor of ``snapshotsToReregister``, for
    /// example by a trigger of another program, or by a delete rule for a row that another context has inserted. `false` by
    /// default.
    ///
    /// A context that merges changes automatically then merges the transaction, although it made it itself.
    public let mayHaveOtherChanges: Bool
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
    ///   - snapshotsToReregister: The rows whose values differ from the request, by permanent identifier.
    ///   - historyToken: The position of the save in the history of the store, or `nil` if the store recorded no transaction.
    ///   - mayHaveOtherChanges: Whether the transaction may contain other changes; see ``mayHaveOtherChanges``.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil,
        mayHaveOtherChanges: Bool = false
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .remapped(remappedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        changesRows = !snapshotsToReregister.isEmpty
        self.historyToken = historyToken
        self.mayHaveOtherChanges = mayHaveOtherChanges
    }

    /// Creates the result of a save from identifiers in the order of the request, which avoids creating a dictionary.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The ``DataStore/identifier`` of the store that saved.
    ///   - inserted: The ``DataStoreSaveChangesRequest/inserted`` models of the request.
    ///   - insertedIdentifiers: The permanent identifiers of the inserted models, in the same order.
    ///   - snapshotsToReregister: The rows whose values differ from the request, by permanent identifier.
    ///   - historyToken: The position of the save in the history of the store, or `nil` if the store recorded no transaction.
    ///   - mayHaveOtherChanges: Whether the transaction may contain other changes; see ``mayHaveOtherChanges``.
    public init(
        for storeIdentifier: String, inserted: [T], insertedIdentifiers: [PersistentIdentifier],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil,
        mayHaveOtherChanges: Bool = false
    ) {
        self.storeIdentifier = storeIdentifier
        identifiers = .inOrder(inserted: inserted, insertedIdentifiers)
        self.snapshotsToReregister = snapshotsToReregister
        changesRows = !snapshotsToReregister.isEmpty
        self.historyToken = historyToken
        self.mayHaveOtherChanges = mayHaveOtherChanges
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

    /// Omits models to which the store assigned no identifier.
    func identifiers(of inserted: [T]) -> [PersistentIdentifier] {
        switch identifiers {
        case .remapped(let identifiers): inserted.compactMap { identifiers[$0.persistentIdentifier] }
        case .inOrder(_, let identifiers): identifiers
        }
    }
}

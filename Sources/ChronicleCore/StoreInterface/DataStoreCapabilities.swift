/// The optional features of a store that change what contexts request from it; see ``DataStore/capabilities``.
public struct DataStoreCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The store excludes rows from a fetch by their identifiers.
    ///
    /// A context with unsaved changes filters and sorts its changed models in memory, and fetches all other rows from the store.
    /// Declare this capability if the store excludes ``DataStoreFetchRequest/excludedIdentifiers`` in `fetch`, `fetchRows`,
    /// `fetchCount` and `fetchIdentifiers` before it counts rows or applies the limit and the offset. From other stores, the
    /// context fetches one additional row for each changed model, and all matching identifiers to determine a count.
    public static let excludedIdentifiers = DataStoreCapabilities(rawValue: 1 << 0)

    /// The store supports models that inherit from models.
    ///
    /// A container throws ``SwiftDataError/unsupportedFeature`` for such a model if its store does not declare this capability,
    /// unless the store uses only declarations of SwiftData, as described at ``DataStoreLinking``. A context then fetches the rows
    /// of each class with a request, and filters and sorts them in memory. Such a store must keep the identifiers of references as
    /// they are.
    ///
    /// A store that declares the capability must meet these requirements:
    ///
    /// - Return the rows of all ``Schema/kinds(of:)`` of the entity from a fetch, a count, a fetch of identifiers and a batch
    ///   delete. ``DataStoreBatchDeleteRequest/includeSubclasses`` can exclude those of subentities.
    /// - Create the identifiers of a row with the row's own entity, which the identifier of the inserted snapshot names; see
    ///   ``PersistentIdentifier/Origin/init(storeIdentifier:entityName:rootEntityName:)``. Their keys are distinct among all
    ///   entities that have the same ``Schema/Entity/rootName``.
    /// - Return as many values as the row's own entity has stored properties. The inherited ones come first.
    /// - Record changes in the history with the row's own entity.
    public static let inheritance = DataStoreCapabilities(rawValue: 1 << 1)

    /// The store inserts rows with primary keys that the request chooses.
    ///
    /// To restore deleted models with their original identifiers, and to copy those of a replica's source, a container saves
    /// requests whose ``DataStoreSaveChangesRequest/inserted`` snapshots have permanent identifiers, only to stores that declare
    /// this capability. They must meet these requirements:
    ///
    /// - Insert a snapshot with a permanent identifier of the store as a row with that primary key, and record the insert in the
    ///   history like any other. Assign keys to snapshots with temporary identifiers as usual. One request can contain both, with
    ///   references and links between them.
    /// - Throw ``SwiftDataError/uniquenessViolation`` if a row with the key exists, unless the same request deletes it, and
    ///   ``SwiftDataError/modelNotFound`` if the identifier belongs to another store. Nothing is saved in either case.
    /// - Never assign the key of an earlier row to another one: if a restored key is higher than all others, the rows that are
    ///   inserted later have higher keys.
    /// - Return the permanent identifiers of all inserted snapshots in the ``DataStoreSaveChangesResult``, also those that the
    ///   request chose.
    public static let explicitIdentifiers = DataStoreCapabilities(rawValue: 1 << 2)

    /// The history of another store can be replayed to the store with
    /// ``ModelContainer/replayHistory(from:storeName:)-(FileHandle,_)``.
    ///
    /// The capability includes ``explicitIdentifiers``. A replica keeps the position that it reached in the history of its source;
    /// implement ``DataStore/replayedHistoryToken()``. In a save that contains a ``DataStoreSaveChangesRequest/replay``, do the
    /// following in one transaction, or throw an error and change nothing:
    ///
    /// - Throw ``SwiftDataError/historyReplayConflict`` if the position is not ``HistoryReplayStep/previous``, if a row of
    ///   ``HistoryReplayStep/expected`` does not exist or has another value in one of its ``DataStoreRowSnapshot/changed`` slots,
    ///   or if a delete rule would delete rows that the request does not list.
    /// - Set the position to ``HistoryReplayStep/token``.
    public static let replay: DataStoreCapabilities = [.explicitIdentifiers, DataStoreCapabilities(rawValue: 1 << 3)]

    /// The store can be read as it was at an earlier position of its history, with
    /// ``ModelContext/init(_:asOf:)-(_,Token)``. It implements ``HistoryProviding/store(asOf:)``.
    public static let earlierPositions = DataStoreCapabilities(rawValue: 1 << 4)
}

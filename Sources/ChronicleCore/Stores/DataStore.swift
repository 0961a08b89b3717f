/// A place that models are saved in and fetched from.
///
/// A container makes one store for each of its configurations; contexts talk to stores through this protocol and, for
/// history, ``HistoryProviding``, for batch deletes ``DataStoreBatching``, and through nothing else. A store is used by
/// several contexts at once, on any thread.
///
/// What a store cannot or would rather not do, it answers with a ``DataStoreError``: the context then filters or sorts
/// itself, or tells the program what is missing. Errors of its own pass through. What a store answers is checked:
/// permanent identifiers of its own, of the right entity, each once, references to rows of its own, and values that the
/// models' properties can have. An answer that is none of these is ``SwiftDataError/invalidStoreResponse`` or
/// ``SwiftDataError/undecodableValue``, and names the store and the rule.
public protocol DataStore: AnyObject, Sendable {
    associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
    associatedtype Snapshot: DataStoreSnapshot

    /// Opens the store, creating it when it does not exist yet.
    ///
    /// - Throws: ``SwiftDataError/loadIssueModelContainer`` or one of its family.
    init(_ configuration: Configuration, schema: Schema) throws

    /// Tells this store from every other; the same each time it is opened, and part of its models' identifiers.
    var identifier: String { get }
    var configuration: Configuration { get }
    /// The models that the store keeps.
    var schema: Schema { get }

    /// The rows that match, in the order and within the limits of the request.
    ///
    /// Without a sort, in an order that stays the same, by primary key if there is one.
    ///
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to leave these to the
    ///   context; ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` for what nobody
    ///   should answer.
    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot>
    /// Hands over the rows that match, one after the other, as ``fetch(_:)`` returns them. Contexts fetch by this; a store
    /// that can do so without holding all rows at once has less to remember. The default asks ``fetch(_:)``.
    ///
    /// - Parameter row: Takes the identifier of a row and its values by ``Schema/Property/slot``. What it throws ends the
    ///   fetch and is thrown on.
    /// - Throws: As ``fetch(_:)``; a ``DataStoreError`` before the first row.
    func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming [PropertyValue]) throws -> Void
    ) throws
    /// How many rows match. The default counts what ``fetch(_:)`` returns.
    func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int
    /// The identifiers of the rows that match. The default asks ``fetch(_:)``.
    func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier]

    /// Writes all changes of the request, or none.
    ///
    /// - Throws: ``SwiftDataError/modelNotFound`` when a row to update is gone, ``SwiftDataError/uniquenessViolation``,
    ///   ``SwiftDataError/storeBusy`` and what else kept the store from writing. After an error the store is as it was.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
}

extension DataStore {
    public func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming [PropertyValue]) throws -> Void
    ) throws {
        for snapshot in try fetch(request).fetchedSnapshots {
            try row(snapshot.persistentIdentifier, snapshot.values)
        }
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try fetch(request).fetchedSnapshots.count
    }

    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }
}

/// What a store needs to be opened, and which store that is.
public protocol DataStoreConfiguration: Sendable {
    associatedtype Store: DataStore where Store.Configuration == Self

    /// What the store is called in messages; no two configurations of a container have the same.
    var name: String { get }
    /// The models that the store keeps; `nil` for all models of the container.
    var schema: Schema? { get }
}

/// Who asks: the context that a request comes from.
public struct EditingState: Identifiable, Hashable, Sendable {
    /// The context.
    public let id: ObjectIdentifier
    /// The ``ModelContext/author`` at the moment of the request.
    public let author: String?
    /// The ``ModelContext/name`` at the moment of the request.
    public let contextName: String?

    public init(id: ObjectIdentifier, author: String?, contextName: String?) {
        self.id = id
        self.author = author
        self.contextName = contextName
    }
}

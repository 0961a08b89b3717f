public import Foundation

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
@preconcurrency
public protocol DataStore: AnyObject, Sendable {
    /// The type that describes a store of this type.
    associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
    /// The type of the values that contexts and the store exchange; ``DefaultSnapshot`` unless a store needs another.
    associatedtype Snapshot: DataStoreSnapshot

    /// Opens the store, and creates it if it does not exist yet.
    ///
    /// - Parameters:
    ///   - configuration: The description of the store. A container sets its ``DataStoreConfiguration/schema`` first, if it
    ///     is `nil`, to the container's schema.
    ///   - migrationPlan: The migration plan of the container. It is `nil` as long as Chronicle has no migration plans.
    /// - Throws: ``SwiftDataError/loadIssueModelContainer`` or one of its family when the store cannot be opened.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

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

    /// Deletes the models and the history of the store. The default throws ``SwiftDataError/unsupportedFeature``.
    ///
    /// - Throws: ``SwiftDataError/unsupportedFeature`` by default, or the error that kept the store from deleting.
    func erase() throws

    /// Tells the store that a context begins to use it. The default does nothing.
    ///
    /// - Parameter editingState: The identity of the context.
    func initializeState(for editingState: EditingState)

    /// Tells the store that a context, and its models, no longer use it, so that the store can release what it keeps for
    /// them. The default does nothing.
    ///
    /// It is called on the thread that released the context.
    ///
    /// - Parameter editingState: The identity of the context.
    func invalidateState(for editingState: EditingState)

    /// Returns snapshots that the store has in memory. Contexts of Chronicle do not call this; the default returns none.
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: The models.
    ///   - editingState: The context that makes the request.
    /// - Returns: The snapshots that the store has, by identifier.
    /// - Throws: The error that kept the store from reading, such as ``SwiftDataError/storeFailure``.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Opens the store without a container.
    ///
    /// - Parameters:
    ///   - configuration: The description of the store; its ``DataStoreConfiguration/schema`` is replaced.
    ///   - schema: The models that the store keeps.
    /// - Throws: As ``init(_:migrationPlan:)``: ``SwiftDataError/loadIssueModelContainer`` or one of its family.
    public init(_ configuration: Configuration, schema: Schema) throws {
        var configuration = configuration
        configuration.schema = schema
        try self.init(configuration, migrationPlan: nil)
    }

    public func erase() throws {
        throw SwiftDataError.unsupportedFeature.with(
            detail: "the store does not support erasing all its data", storeIdentifier: identifier,
            storeName: configuration.name)
    }

    public func initializeState(for editingState: EditingState) {}

    public func invalidateState(for editingState: EditingState) {}

    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] {
        [:]
    }

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

/// The description of a store: its type, its name, its models, and what else it needs to be opened.
@preconcurrency
public protocol DataStoreConfiguration<Store>: Hashable, Sendable {
    /// The type of the store.
    associatedtype Store: DataStore where Store.Configuration == Self

    /// The name of the store in messages. It has to be unique among the configurations of a container.
    var name: String { get }
    /// The models that the store keeps; `nil` for all models of the container, which then sets it before it opens the
    /// store.
    var schema: Schema? { get set }

    /// Checks the configuration before a container opens the store. The default does nothing.
    ///
    /// - Throws: ``SwiftDataError/loadIssueModelContainer``, for example, when no store can be opened with these values.
    func validate() throws
}

extension DataStoreConfiguration {
    public func validate() throws {}

    /// Returns the schema for a store that is being opened.
    ///
    /// - Returns: The ``schema``, which is set when a container opens a store.
    /// - Throws: ``SwiftDataError/unknownSchema`` when it is `nil`, and the errors of ``Schema/validate()``.
    public func validatedSchema() throws -> Schema {
        guard let schema else {
            throw SwiftDataError.unknownSchema.with(
                detail: "set the configuration's schema to open the store without a container", storeName: name)
        }
        try schema.validate()
        return schema
    }
}

/// The identity of the context that makes a request.
public struct EditingState: Identifiable, Hashable, Sendable {
    /// The identity of the context; the same for all requests of a context.
    public let id: UUID
    /// The ``ModelContext/author`` at the moment of the request.
    public let author: String?
    /// The ``ModelContext/name`` at the moment of the request.
    public let contextName: String?

    /// Creates the identity of a context.
    ///
    /// - Parameters:
    ///   - id: The identity of the context.
    ///   - author: The author of the changes.
    ///   - contextName: The name of the context.
    public init(id: UUID, author: String? = nil, contextName: String? = nil) {
        self.id = id
        self.author = author
        self.contextName = contextName
    }
}

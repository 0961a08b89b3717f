public import Foundation

/// A type that saves models and fetches them.
///
/// A container creates one store for each of its configurations. Several contexts use a store at the same time, on any thread, and
/// only through this protocol and the ones that the store adopts for optional features, such as ``HistoryProviding`` for history;
/// <doc:WritingAStore#Optional-features> lists them.
///
/// If a store cannot perform a request, or if the context can perform it more efficiently, the store throws a ``DataStoreError``.
/// The context then filters or sorts the rows in memory, or reports the missing feature to the program. Other errors reach the
/// program unchanged, except that a ``SwiftDataError`` gets the identifier and the name of the store.
///
/// Contexts validate every result. Identifiers must be permanent, belong to this store and to the requested entity, and occur once;
/// references must point to rows of this store; values must be valid for the properties of the model. A context throws
/// ``SwiftDataError/invalidStoreResponse`` or ``SwiftDataError/undecodableValue`` for any other result.
@preconcurrency
public protocol DataStore: AnyObject, Sendable {
    /// The type that configures a store of this type.
    associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
    /// The type of the snapshots that contexts and the store exchange, usually ``DefaultSnapshot``.
    associatedtype Snapshot: DataStoreSnapshot

    /// The optional features of the stores of this type. The default implementation returns an empty set.
    static var capabilities: DataStoreCapabilities { get }

    /// Opens the store, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store. Its ``DataStoreConfiguration/schema`` is `nil` only without a container.
    ///   - migrationPlan: The migration plan of the container, or `nil`. A store that keeps the version of its data runs the stages
    ///     that ``SchemaMigration/stages(from:)`` returns. Other stores ignore the plan.
    /// - Throws: ``SwiftDataError/loadIssueModelContainer``, or a more specific error, with a detail that describes what to
    ///   correct.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// Returns the changes that ``init(_:migrationPlan:)`` with the same arguments would make to the existing data, without making
    /// them, for ``ModelContainer/migrationSteps(for:configurations:migrationPlan:)``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store.
    ///   - migrationPlan: The plan for migrating the data, or `nil` for automatic changes only.
    /// - Returns: The changes in the order in which they are described to people.
    /// - Throws: The errors of the initializer, such as ``SwiftDataError/backwardMigration``. The default implementation throws
    ///   ``SwiftDataError/unsupportedFeature``; open a copy of the data to see what changes.
    static func migrationSteps(
        _ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep]

    /// The identifier of the store, which is part of the identifiers of its models.
    ///
    /// It must be unique among all stores and stay the same every time the store is opened.
    var identifier: String { get }
    /// The configuration that the store was opened with.
    var configuration: Configuration { get }
    /// The schema of the models that the store contains.
    var schema: Schema { get }

    /// Returns the rows that match a request, in its order and within its limits.
    ///
    /// Without sort descriptors, return the rows in a stable order, by primary key if there is one.
    ///
    /// - Parameter request: The descriptor of the fetch and the context that makes the request.
    /// - Returns: The snapshots of the matching rows.
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to let the context filter or
    ///   sort; ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` for a fetch that the context
    ///   cannot perform either.
    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot>
    /// Passes the rows that match a request to a closure, one at a time, in the order of ``fetch(_:)``.
    ///
    /// Implement this method, with which contexts fetch models, if the store can read rows without holding all of them in memory,
    /// and create the rows with a ``DataStoreRowBuilder``. The default implementation calls ``fetch(_:)``.
    ///
    /// - Parameters:
    ///   - request: The descriptor of the fetch and the context that makes the request.
    ///   - row: A closure that receives the identifier of a row and its values by ``Schema/Property/slot``. If it throws an error,
    ///     end the fetch and rethrow the error.
    /// - Throws: The errors of ``fetch(_:)`` and the error that `row` throws. A ``DataStoreError`` must be thrown before the first
    ///   call of `row`.
    func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws
    /// Returns the number of rows that match a request. The default implementation calls ``fetch(_:)``.
    ///
    /// - Parameter request: The descriptor of the fetch and the context that makes the request.
    /// - Returns: The number of rows, within the limits of the descriptor.
    /// - Throws: The errors of ``fetch(_:)``, such as ``SwiftDataError/unsupportedPredicate``.
    func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int
    /// Returns the identifiers of the rows that match a request. The default implementation calls ``fetch(_:)``.
    ///
    /// - Parameter request: The descriptor of the fetch and the context that makes the request.
    /// - Returns: The identifiers, in the order of ``fetch(_:)``.
    /// - Throws: The errors of ``fetch(_:)``, such as ``SwiftDataError/unsupportedPredicate``.
    func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier]

    /// Writes all changes of a save, or none of them.
    ///
    /// A context writes both sides of a one-to-one relationship, but it may not know what other contexts have saved since it read
    /// them. Make both sides agree in the same transaction: if another row references the destination that a written row receives,
    /// set its reference to null, and let the destination reference the written row. Return the rows that you change in addition to
    /// the request in ``DataStoreSaveChangesResult/snapshotsToReregister``. Otherwise, two models keep the same destination after
    /// both contexts have saved.
    ///
    /// - Parameter request: The inserted, updated and deleted models.
    /// - Returns: The permanent identifiers of the inserted models and the history token of the save.
    /// - Throws: ``SwiftDataError/modelNotFound`` if a row to update does not exist, or if a delete rule of the store deletes it in
    ///   the same save; ``SwiftDataError/uniquenessViolation`` if two models have the same unique values;
    ///   ``SwiftDataError/storeBusy`` if another writer holds the lock; or another error that prevented the save. The store must be
    ///   unchanged after an error.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

    /// Returns the position in the history of its source that a replica has reached.
    ///
    /// Implement this method in a store with the capability ``DataStoreCapabilities/replay``. It is not called for other stores;
    /// the default implementation returns `nil`.
    ///
    /// - Returns: The token of the last replayed transaction of the source, or `nil` if nothing was replayed.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func replayedHistoryToken() throws -> DefaultHistoryToken?

    /// Deletes all models and the history of the store.
    ///
    /// - Throws: The error that prevented the delete. The default implementation throws ``SwiftDataError/unsupportedFeature``;
    ///   delete the models with a context, or the files of the store.
    func erase() throws

    /// Notifies the store that a context starts to use it. The default implementation does nothing.
    ///
    /// - Parameter editingState: The identity of the context.
    func initializeState(for editingState: EditingState)

    /// Notifies the store that a context and its models no longer use it, so that it releases what it keeps for the context. The
    /// default implementation does nothing.
    ///
    /// - Parameter editingState: The identity of the context, which was released on the thread that calls the method.
    func invalidateState(for editingState: EditingState)

    /// Returns snapshots that the store has cached. Contexts do not call this method; the default implementation
    /// returns an empty dictionary.
    ///
    /// - Parameters:
    ///   - persistentIdentifiers: The identifiers of the models.
    ///   - editingState: The context that makes the request.
    /// - Returns: The cached snapshots by identifier.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeFailure``.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    public static var capabilities: DataStoreCapabilities { [] }

    public static func migrationSteps(
        _ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep] {
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(Self.self) cannot tell what opening it would change; open a copy of its data")
    }

    public func replayedHistoryToken() throws -> DefaultHistoryToken? { nil }

    /// Opens the store without a container.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the store. Its ``DataStoreConfiguration/schema`` is replaced.
    ///   - schema: The schema of the models that the store contains.
    /// - Throws: The errors of ``init(_:migrationPlan:)``, such as ``SwiftDataError/loadIssueModelContainer``.
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
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        for snapshot in try fetch(request).fetchedSnapshots {
            try row(snapshot.persistentIdentifier, snapshot.row(in: schema))
        }
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try fetch(request).fetchedSnapshots.count
    }

    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }
}

/// A type that describes how to open a store: its type, its name, its schema and options.
@preconcurrency
public protocol DataStoreConfiguration<Store>: Hashable, Sendable {
    /// The type of the store.
    associatedtype Store: DataStore where Store.Configuration == Self

    /// The name of the store in messages. It must be unique among the configurations of a container.
    var name: String { get }
    /// The schema of the models that the store contains, or `nil` for all models of the container, which then sets it before it
    /// opens the store.
    var schema: Schema? { get set }
    /// What receives messages for a log. The default implementation returns `nil`, which disables logging.
    var logger: (any StoreLogger)? { get }
    /// The lowest level of the messages that the ``logger`` receives. The default implementation returns
    /// ``StoreLogLevel/notice``.
    var logLevel: StoreLogLevel { get }

    /// Validates the configuration before a container opens the store. The default implementation does nothing.
    ///
    /// - Throws: ``SwiftDataError/loadIssueModelContainer`` with a detail that describes what to correct, for example if the values
    ///   cannot be combined.
    func validate() throws
}

extension DataStoreConfiguration {
    public var logger: (any StoreLogger)? { nil }

    public var logLevel: StoreLogLevel { .notice }

    public func validate() throws {}

    /// Returns the ``schema`` for a store that is being opened.
    ///
    /// - Returns: The schema, which is set when a container opens a store.
    /// - Throws: ``SwiftDataError/unknownSchema`` if the schema is `nil`; set it. Also the errors of ``Schema/validate()``.
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
    /// The identifier of the context, which is the same for all its requests.
    public let id: UUID
    /// The ``ModelContext/author`` at the time of the request.
    public let author: String?
    /// The ``ModelContext/name`` at the time of the request.
    public let contextName: String?
    /// The ``ModelContext/transactionMetadata`` at the time of the request, which a store with a history records with the
    /// transaction.
    public let metadata: [String: String]

    /// Creates the identity of a context.
    ///
    /// - Parameters:
    ///   - id: The identifier of the context.
    ///   - author: The author of the changes.
    ///   - contextName: The name of the context.
    ///   - metadata: Further information about the changes.
    public init(
        id: UUID, author: String? = nil, contextName: String? = nil, metadata: [String: String] = [:]
    ) {
        self.id = id
        self.author = author
        self.contextName = contextName
        self.metadata = metadata
    }
}

/// The stores of a program and the schema of their models.
///
/// Create one container for a program, and a ``ModelContext`` for each place that works with models. The stores stay open as long
/// as the container, one of its contexts or one of their models is alive.
///
/// A container is `Sendable`; a context is not. To use models in another task, create a context there or declare a ``ModelActor``.
public final class ModelContainer: Equatable, Sendable {
    let coordinator: StoreCoordinator
    // Reason for `nonisolated(unsafe)`: only the main actor uses it, and the deinitializer, when nothing else can.
    private nonisolated(unsafe) var knownMainContext: ModelContext?

    /// The schema of all stores.
    public var schema: Schema { coordinator.schema }
    /// The stores, in the order of their configurations.
    public var stores: [any DataStore] { coordinator.stores }
    /// The migration plan that the container was created with.
    public var migrationPlan: (any SchemaMigrationPlan.Type)? { coordinator.migrationPlan }

    /// The context of the main actor, which the container creates on first use and keeps. It saves automatically after each turn of
    /// the main actor that changes models, and when the program ends; see ``ModelContext/autosaveEnabled``.
    @MainActor public var mainContext: ModelContext {
        if let knownMainContext { return knownMainContext }
        let context: ModelContext
        if let storage = coordinator.mainStorage {
            context = storage.context
        } else {
            context = ModelContext(self)
            context.storage.autosave = Autosave(on: nil)
            coordinator.mainStorage = context.storage
        }
        knownMainContext = context
        if mergesChangesIntoMainContext, context.storage.merging == nil {
            context.storage.merging = MainContextMerging(context)
        }
        return context
    }

    /// Whether changes that other contexts, processes and programs save are merged into ``mainContext``. `true` by default.
    ///
    /// The models of the main context receive their new values shortly after each commit, as long as the context or one of its
    /// models is alive, when the main actor is not busy, as if the program called ``ModelContext/merge(_:)-(Sequence)``: unsaved
    /// changes are kept, and deleted models are marked. If that fails, for example because the store is busy, it is repeated after
    /// a second.
    ///
    /// This applies to stores that record a history and conform to ``DataStoreNotifying``, such as ``DefaultStore``. A program that
    /// blocks the main actor, such as a command-line tool without `await`, merges nothing.
    ///
    /// Set the property before the first use of ``mainContext`` to keep its models unchanged until they are fetched again. If you
    /// set it to `true` later, call ``ModelContext/refreshAllModels()`` for what was saved in between.
    @MainActor public var mergesChangesIntoMainContext: Bool {
        get { coordinator.mergesChangesIntoMainContext }
        set {
            guard newValue != coordinator.mergesChangesIntoMainContext else { return }
            coordinator.mergesChangesIntoMainContext = newValue
            guard let storage = coordinator.mainStorage else { return }
            storage.merging?.end()
            storage.merging = newValue ? MainContextMerging(storage.context) : nil
        }
    }

    /// Creates a container and opens a store for each configuration.
    ///
    /// - Parameters:
    ///   - schema: The schema of the models.
    ///   - migrationPlan: The plan for migrating stores from earlier versions of the schema, or `nil` for automatic changes only.
    ///     The stores run its stages while they are opened.
    ///   - configurations: The configurations of the stores, which determine the order of ``stores``. A configuration without a
    ///     schema receives the container's schema. Several configurations may contain a model: a fetch then returns the rows of all
    ///     of them, and an insert adds a row to the first.
    /// - Throws: ``SwiftDataError/invalidModel`` or ``SwiftDataError/unsupportedAttributeType`` if a model is declared incorrectly;
    ///   correct the class. ``SwiftDataError/unknownSchema`` if no configuration contains a model, or if a schema was decoded and
    ///   has no model classes. ``SwiftDataError/duplicateConfiguration`` if two configurations have the same name or store.
    ///   ``SwiftDataError/loadIssueModelContainer`` if a store cannot be opened; catch the specific error for its cause.
    ///   ``SwiftDataError/unsupportedFeature`` if a store does not support a relationship; see ``DataStoreLinking``.
    public init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [any DataStoreConfiguration]
    ) throws {
        coordinator = try StoreCoordinator(for: schema, migrationPlan: migrationPlan, configurations: configurations)
        coordinator.register(self)
    }

    /// Creates a container for the history of a store that is open, without model classes.
    ///
    /// Use it in programs that work with any store, such as inspectors, with a schema that ``Schema/init(from:)`` or the store
    /// decoded:
    ///
    /// ```swift
    /// let container = ModelContainer(forHistoryOf: store)
    /// for status in try container.historyConsumers() { print(status.name, status.lag ?? "reset") }
    /// ```
    ///
    /// Transactions, tags, consumers, net changes, exports and replays do not depend on classes. Entities whose classes the schema
    /// does not contain cannot be fetched: a context throws ``SwiftDataError/unknownSchema``.
    ///
    /// - Parameter store: The store.
    /// - Complexity: O(*n*), where *n* is the number of entities.
    public init(forHistoryOf store: any DataStore) {
        coordinator = StoreCoordinator(store)
        coordinator.register(self)
    }

    deinit {
        // The container may be released on any thread. The context and its models belong to the main actor, which may be
        // using the models.
        guard let context = knownMainContext, !MainThread.isCurrent else { return }
        let released = ReleasedContext(value: context)
        Task { @MainActor in withExtendedLifetime(released) {} }
    }

    private struct ReleasedContext: @unchecked Sendable {
        // The reason for `@unchecked Sendable`: only the main actor releases the context, and nothing else uses it.
        let value: ModelContext
    }

    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
    }
}

extension ModelContainer: CustomDebugStringConvertible {
    public var debugDescription: String {
        func text(_ configuration: some DataStoreConfiguration) -> String { String(reflecting: configuration) }
        let stores = stores.map { text($0.configuration) }.joined(separator: ", ")
        return
            "ModelContainer(models: \(schema.entities.map(\.name).sorted().joined(separator: ", ")); stores: \(stores))"
    }
}

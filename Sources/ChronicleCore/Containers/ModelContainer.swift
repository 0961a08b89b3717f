/// The stores of a program and the schema of what is in them.
///
/// Make one for a program and a ``ModelContext`` for each place that works with models. The stores stay open as long as
/// the container, one of its contexts or one of their models is alive.
public final class ModelContainer: Equatable, Sendable {
    let coordinator: StoreCoordinator
    @MainActor private var knownMainContext: ModelContext?

    /// The schema of all stores.
    public var schema: Schema { coordinator.schema }
    /// The stores, in the order of their configurations.
    public var stores: [any DataStore] { coordinator.stores }

    /// The context of the main actor, made when it is first used and kept by the container.
    @MainActor public var mainContext: ModelContext {
        if let knownMainContext { return knownMainContext }
        let context = coordinator.mainStorage?.context ?? ModelContext(self)
        coordinator.mainStorage = context.storage
        knownMainContext = context
        return context
    }

    /// Opens a store for each configuration.
    ///
    /// - Throws: ``SwiftDataError/invalidModel`` and ``SwiftDataError/unsupportedAttributeType`` for classes that are declared
    ///   wrongly, ``SwiftDataError/loadIssueModelContainer`` (or a finer kind) when a store cannot be opened,
    ///   ``SwiftDataError/unsupportedFeature`` when a store cannot keep a relationship (see ``DataStoreLinking``),
    ///   ``SwiftDataError/duplicateConfiguration`` when two have one name or one model stands in two of them, and
    ///   ``SwiftDataError/unknownSchema`` when a model stands in none.
    public init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
        coordinator = try StoreCoordinator(for: schema, configurations: configurations)
        coordinator.register(self)
    }

    /// Returns whether both are the same instance.
    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }

    /// Another container for stores that are open.
    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
    }
}

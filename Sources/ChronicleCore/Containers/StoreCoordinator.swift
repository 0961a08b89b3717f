import Synchronization

/// The stores of a ``ModelContainer`` and their schema, shared by its contexts and their models.
///
/// A container keeps its main context. If contexts kept the container in turn, neither would ever be released. They
/// keep the coordinator instead. Its role is that of `NSPersistentStoreCoordinator` in Core Data.
final class StoreCoordinator: Sendable {
    let schema: Schema
    /// The stores, in the order of their configurations.
    let stores: [any DataStore]
    let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// Notifies listeners of commits.
    let commits: CommitNotifier
    private let storesByType: [ObjectIdentifier: any DataStore]
    private let knownContainer = Mutex(WeakContainer())
    /// The storage of the main context while the context or one of its models is alive.
    @MainActor weak var mainStorage: ContextStorage?

    private struct WeakContainer {
        weak var value: ModelContainer?
    }

    /// Opens a store for each configuration.
    ///
    /// - Throws: The errors of
    ///   ``ModelContainer/init(for:migrationPlan:configurations:)-(Schema,_,[DataStoreConfiguration])``.
    init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
        configurations: [any DataStoreConfiguration]
    ) throws {
        try schema.validate()
        try schema.checkModelClasses()
        var names = Set<String>()
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw SwiftDataError.duplicateConfiguration.with(
                detail: "two configurations have this name; give each a different name", storeName: configuration.name)
        }
        self.schema = schema
        self.migrationPlan = migrationPlan
        var stores: [any DataStore] = []
        var storesByType: [ObjectIdentifier: any DataStore] = [:]
        for configuration in configurations {
            let store = try Self.open(configuration, schema, migrationPlan)
            if let existing = stores.first(where: { $0.identifier == store.identifier }) {
                throw SwiftDataError.duplicateConfiguration.with(
                    detail:
                        "\"\(existing.configuration.name)\" opens the same store; use one configuration for each store",
                    storeIdentifier: store.identifier, storeName: configuration.name)
            }
            stores.append(store)
            for entity in store.schema.entities where entity.hasModelClass {
                guard storesByType.updateValue(store, forKey: ObjectIdentifier(entity.type)) == nil else {
                    throw SwiftDataError.duplicateConfiguration.with(
                        detail: "two configurations contain this model or a related one; add it to only one of them",
                        entityName: entity.name)
                }
            }
        }
        for entity in schema.entities where storesByType[ObjectIdentifier(entity.type)] == nil {
            throw SwiftDataError.unknownSchema.with(
                detail: "no configuration contains this model; add it to one of them", entityName: entity.name)
        }
        self.stores = stores
        commits = CommitNotifier(stores)
        self.storesByType = storesByType
    }

    /// Uses a store that is already open, for the contexts of a ``MigrationStage``.
    init(migrating store: any DataStore) {
        schema = store.schema
        stores = [store]
        migrationPlan = nil
        commits = CommitNotifier(stores)
        storesByType = Dictionary(
            store.schema.entities.map { (ObjectIdentifier($0.type), store) }, uniquingKeysWith: { first, _ in first })
    }

    private static func open<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> any DataStore {
        do {
            var configuration = configuration
            configuration.schema = configuration.schema ?? schema
            try configuration.validate()
            let schema = try configuration.validatedSchema()
            try schema.checkModelClasses()
            try checkLinks(schema, in: Configuration.Store.self)
            return try Configuration.Store(configuration, migrationPlan: migrationPlan)
        } catch {
            let error = (error as? DataStoreError).map(SwiftDataError.init(response:)) ?? error
            throw (error as? SwiftDataError)?.with(storeName: configuration.name) ?? error
        }
    }

    /// Rejects a schema with links for a store that does not support links. Such a store would lose them without an
    /// error.
    private static func checkLinks(_ schema: Schema, in store: any DataStore.Type) throws {
        guard let links = schema.links.first, !(store is any DataStoreLinking.Type) else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(store) requires a to-one inverse for this relationship; declare one, or use another store",
            entityName: links.owner, propertyName: links.property.name)
    }

    /// Returns the store of a model class.
    ///
    /// - Throws: ``SwiftDataError/unknownSchema``.
    func store(for type: any PersistentModel.Type) throws -> any DataStore {
        guard let store = storesByType[ObjectIdentifier(type)] else {
            throw type.missing("no store of the container contains this model")
        }
        return store
    }

    // MARK: The container

    /// The container that opened the stores, or a new one for the same stores if it was released.
    var container: ModelContainer {
        knownContainer.withLock { known in
            if let container = known.value { return container }
            let container = ModelContainer(self)
            known.value = container
            return container
        }
    }

    func register(_ container: ModelContainer) {
        knownContainer.withLock { $0.value = container }
    }
}

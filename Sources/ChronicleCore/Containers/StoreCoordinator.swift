import Synchronization

/// The stores of a ``ModelContainer`` and their schema, shared by its contexts and their models.
///
/// If contexts kept the container, which keeps its main context, neither would ever be released. They keep the coordinator instead.
/// Its role is that of `NSPersistentStoreCoordinator` in Core Data.
final class StoreCoordinator: Sendable {
    let schema: Schema
    let stores: [any DataStore]
    let migrationPlan: (any SchemaMigrationPlan.Type)?
    let commits: CommitNotifier
    let plainStores: PlainStores
    private let storesByType: [ObjectIdentifier: [any DataStore]]
    /// Whether a model is contained in several stores.
    let sharesModels: Bool
    /// The position as of which the stores are read, by the identifiers of the stores; `nil` for the present.
    let positions: [String: any HistoryToken]?
    private let knownContainer = Mutex(WeakContainer())
    /// The storage of the main context while the context or one of its models is alive.
    @MainActor weak var mainStorage: ContextStorage?
    /// See ``ModelContainer/mergesChangesIntoMainContext``. The container may be released and created again.
    @MainActor var mergesChangesIntoMainContext = true

    private struct WeakContainer {
        weak var value: ModelContainer?
    }

    /// Throws the errors of ``ModelContainer/init(for:migrationPlan:configurations:)-(Schema,_,[DataStoreConfiguration])``.
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
        var storesByType: [ObjectIdentifier: [any DataStore]] = [:]
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
                storesByType[ObjectIdentifier(entity.type), default: []].append(store)
            }
        }
        for entity in schema.entities where storesByType[ObjectIdentifier(entity.type)] == nil {
            throw SwiftDataError.unknownSchema.with(
                detail: "no configuration contains this model; add it to one of them", entityName: entity.name)
        }
        self.stores = stores
        commits = CommitNotifier(stores)
        plainStores = PlainStores(stores, schema)
        self.storesByType = storesByType
        sharesModels = storesByType.values.contains { $0.count > 1 }
        positions = nil
    }

    /// The stores must be in the order of the other coordinator.
    init(_ present: StoreCoordinator, _ stores: [any DataStore], positions: [String: any HistoryToken]) {
        schema = present.schema
        self.stores = stores
        migrationPlan = present.migrationPlan
        commits = CommitNotifier(stores)
        plainStores = PlainStores(stores, schema)
        storesByType = present.storesByType.mapValues { present in
            stores.filter { store in present.contains { $0.identifier == store.identifier } }
        }
        sharesModels = present.sharesModels
        self.positions = positions
    }

    /// Uses a store that is already open, for the contexts of a ``MigrationStage`` and for programs without model classes.
    init(_ store: any DataStore) {
        schema = store.schema
        stores = [store]
        migrationPlan = nil
        commits = CommitNotifier(stores)
        plainStores = PlainStores(stores, schema)
        storesByType = Dictionary(
            store.schema.entities.filter(\.hasModelClass).map { (ObjectIdentifier($0.type), [store]) },
            uniquingKeysWith: { first, _ in first })
        sharesModels = false
        positions = nil
    }

    private static func open(
        _ configuration: some DataStoreConfiguration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> any DataStore {
        try opening(configuration, schema) { try store($0, migrationPlan) }
    }

    private static func store<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> any DataStore {
        try Configuration.Store(configuration, migrationPlan: migrationPlan)
    }

    static func migrationSteps(
        _ configuration: some DataStoreConfiguration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep] {
        let steps = try opening(configuration, schema) { try self.steps($0, migrationPlan) }
        return steps.map { step in
            var step = step
            step.storeName = configuration.name
            return step
        }
    }

    private static func steps<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationStep] {
        try Configuration.Store.migrationSteps(configuration, migrationPlan: migrationPlan)
    }

    private static func opening<Configuration: DataStoreConfiguration, Result>(
        _ configuration: Configuration, _ schema: Schema, _ body: (Configuration) throws -> Result
    ) throws -> Result {
        do {
            var configuration = configuration
            configuration.schema = configuration.schema ?? schema
            try configuration.validate()
            let schema = try configuration.validatedSchema()
            try schema.checkModelClasses()
            try checkLinks(schema, in: Configuration.Store.self)
            try checkInheritance(schema, in: Configuration.Store.self)
            return try body(configuration)
        } catch {
            let error = (error as? DataStoreError).map(SwiftDataError.init(response:)) ?? error
            throw (error as? SwiftDataError)?.with(storeName: configuration.name) ?? error
        }
    }

    /// A store without support for links would lose them without an error.
    private static func checkLinks(_ schema: Schema, in store: any DataStore.Type) throws {
        guard let links = schema.links.first, !(store is any DataStoreLinking.Type), !PlainStores.isPlain(store) else {
            return
        }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(store) requires a to-one inverse for this relationship; declare one, or use another store",
            entityName: links.owner, propertyName: links.property.name)
    }

    private static func checkInheritance(_ schema: Schema, in store: any DataStore.Type) throws {
        guard let entity = schema.entities.first(where: { $0.superentityName != nil }),
            !store.capabilities.contains(.inheritance), !PlainStores.isPlain(store)
        else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "\(store) does not support models that inherit from models; use another store",
            entityName: entity.name)
    }

    /// Returns at least one store, in the order of the configurations, or throws ``SwiftDataError/unknownSchema``.
    func stores(for type: any PersistentModel.Type) throws -> [any DataStore] {
        guard let stores = storesByType[ObjectIdentifier(type)] else {
            throw type.missing("no store of the container contains this model")
        }
        return stores
    }

    /// Throws ``SwiftDataError/unknownSchema``.
    ///
    /// - Parameter identifier: The identifier of the model, or `nil` for a new model.
    func store(for type: any PersistentModel.Type, of identifier: PersistentIdentifier?) throws -> any DataStore {
        let stores = try stores(for: type)
        guard stores.count > 1, let identifier = identifier?.storeIdentifier else { return stores[0] }
        return stores.first { $0.identifier == identifier } ?? stores[0]
    }

    /// The order of rows in a fetch without sort descriptors: by store, and then by primary key.
    func precedes(_ a: PersistentIdentifier, _ b: PersistentIdentifier) -> Bool {
        guard sharesModels, a.storeIdentifier != b.storeIdentifier,
            let first = stores.first(where: { [a.storeIdentifier, b.storeIdentifier].contains($0.identifier) })
        else { return a < b }
        return first.identifier == a.storeIdentifier
    }

    var asOf: DefaultHistoryToken? {
        positions.map { positions in
            positions.values.reduce(DefaultHistoryToken()) { position, token in
                (token as? DefaultHistoryToken).map(position.merging) ?? position
            }
        }
    }

    func requirePresent() throws {
        guard positions != nil else { return }
        throw SwiftDataError.storeReadOnly.with(
            detail:
                "the context reads the models as of an earlier position; change them in a context without a position")
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

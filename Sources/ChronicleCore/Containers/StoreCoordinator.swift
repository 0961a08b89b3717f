import Synchronization

/// The stores of a container with their schema: what contexts, and the models of contexts, keep of a ``ModelContainer``.
///
/// A container keeps its main context. If contexts kept the container in turn, neither would ever be released. They
/// keep the coordinator instead, which is to a container what `NSPersistentStoreCoordinator` is in Core Data.
final class StoreCoordinator: Sendable {
    let schema: Schema
    /// The stores, in the order of their configurations.
    let stores: [any DataStore]
    private let storesByType: [ObjectIdentifier: any DataStore]
    private let knownContainer = Mutex(WeakContainer())
    /// The storage of the main context, as long as the context or one of its models is alive.
    @MainActor weak var mainStorage: ContextStorage?

    private struct WeakContainer {
        weak var value: ModelContainer?
    }

    /// Opens a store for each configuration.
    ///
    /// - Throws: As ``ModelContainer/init(for:configurations:)``.
    init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
        try schema.validate()
        var names = Set<String>()
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw SwiftDataError.duplicateConfiguration.with(
                detail: "two configurations have this name", storeName: configuration.name)
        }
        self.schema = schema
        var stores: [any DataStore] = []
        var storesByType: [ObjectIdentifier: any DataStore] = [:]
        for configuration in configurations {
            let store = try Self.open(configuration, schema)
            if let twin = stores.first(where: { $0.identifier == store.identifier }) {
                throw SwiftDataError.duplicateConfiguration.with(
                    detail: "it is the store that \"\(twin.configuration.name)\" is, too: one store, one configuration",
                    storeIdentifier: store.identifier, storeName: configuration.name)
            }
            stores.append(store)
            for entity in store.schema.entities {
                guard storesByType.updateValue(store, forKey: ObjectIdentifier(entity.type)) == nil else {
                    throw SwiftDataError.duplicateConfiguration.with(
                        detail: "two configurations keep this model, or one that it is related to",
                        entityName: entity.name)
                }
            }
        }
        for entity in schema.entities where storesByType[ObjectIdentifier(entity.type)] == nil {
            throw SwiftDataError.unknownSchema.with(
                detail: "no configuration keeps this model", entityName: entity.name)
        }
        self.stores = stores
        self.storesByType = storesByType
    }

    private static func open<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ schema: Schema
    ) throws -> any DataStore {
        do {
            var configuration = configuration
            configuration.schema = configuration.schema ?? schema
            try configuration.validate()
            try checkLinks(configuration.validatedSchema(), keptBy: Configuration.Store.self)
            return try Configuration.Store(configuration, migrationPlan: nil)
        } catch {
            let error = (error as? DataStoreError).map(SwiftDataError.init(response:)) ?? error
            throw (error as? SwiftDataError)?.with(storeName: configuration.name) ?? error
        }
    }

    /// A store that knows of no links would lose them without a word.
    private static func checkLinks(_ schema: Schema, keptBy store: any DataStore.Type) throws {
        guard let links = schema.links.first, !(store is any DataStoreLinking.Type) else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "a \(store) keeps no links: give the relationship an inverse that leads to one",
            entityName: links.owner, propertyName: links.property.name)
    }

    /// The store of a model class.
    ///
    /// - Throws: ``SwiftDataError/unknownSchema``.
    func store(for type: any PersistentModel.Type) throws -> any DataStore {
        guard let store = storesByType[ObjectIdentifier(type)] else {
            throw type.missing("no store keeps this model")
        }
        return store
    }

    // MARK: The container

    /// The container that opened the stores, or a new one for the same stores if that one was released.
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

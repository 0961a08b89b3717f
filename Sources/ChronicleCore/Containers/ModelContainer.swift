/// The stores of a program and the schema of what is in them.
///
/// Make one for a program and a ``ModelContext`` for each place that works with models.
public final class ModelContainer: Sendable {
    public let schema: Schema
    /// The stores, in the order of their configurations.
    public let stores: [any DataStore]
    private let storesByType: [ObjectIdentifier: any DataStore]
    @MainActor private var knownMainContext: ModelContext?

    /// The context of the main actor, made when it is first asked for. The two keep each other: a container whose main
    /// context was asked for stays until the program ends.
    @MainActor public var mainContext: ModelContext {
        if let knownMainContext { return knownMainContext }
        let made = ModelContext(self)
        knownMainContext = made
        return made
    }

    /// Opens a store for each configuration.
    ///
    /// - Throws: ``SwiftDataError/invalidModel`` and ``SwiftDataError/unsupportedAttributeType`` for classes that are declared
    ///   wrongly, ``SwiftDataError/loadIssueModelContainer`` (or a finer kind) when a store cannot be opened,
    ///   ``SwiftDataError/unsupportedFeature`` when a store cannot keep a relationship (see ``DataStoreLinking``),
    ///   ``SwiftDataError/duplicateConfiguration`` when two have one name or one model stands in two of them, and
    ///   ``SwiftDataError/unknownSchema`` when a model stands in none.
    public init(for schema: Schema, configurations: [any DataStoreConfiguration]) throws {
        try schema.validate()
        var names = Set<String>()
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw SwiftDataError.duplicateConfiguration.adding(
                detail: "two configurations have this name", storeName: configuration.name)
        }
        self.schema = schema
        var stores: [any DataStore] = []
        var storesByType: [ObjectIdentifier: any DataStore] = [:]
        for configuration in configurations {
            let store = try Self.open(configuration, schema)
            if let twin = stores.first(where: { $0.identifier == store.identifier }) {
                throw SwiftDataError.duplicateConfiguration.adding(
                    detail: "it is the store that \"\(twin.configuration.name)\" is, too: one store, one configuration",
                    storeIdentifier: store.identifier, storeName: configuration.name)
            }
            stores.append(store)
            for entity in store.schema.entities {
                guard storesByType.updateValue(store, forKey: ObjectIdentifier(entity.type)) == nil else {
                    throw SwiftDataError.duplicateConfiguration.adding(
                        detail: "two configurations keep this model, or one that it is related to",
                        entityName: entity.name)
                }
            }
        }
        for entity in schema.entities where storesByType[ObjectIdentifier(entity.type)] == nil {
            throw SwiftDataError.unknownSchema.adding(
                detail: "no configuration keeps this model", entityName: entity.name)
        }
        self.stores = stores
        self.storesByType = storesByType
    }

    private static func open<Configuration: DataStoreConfiguration>(
        _ configuration: Configuration, _ schema: Schema
    ) throws -> any DataStore {
        do {
            try configuration.schema?.validate()
            try checkLinks(configuration.schema ?? schema, keptBy: Configuration.Store.self)
            return try Configuration.Store(configuration, schema: configuration.schema ?? schema)
        } catch {
            let error = (error as? DataStoreError).map(SwiftDataError.init(answer:)) ?? error
            throw (error as? SwiftDataError)?.adding(storeName: configuration.name) ?? error
        }
    }

    /// A store that knows of no links would lose them without a word.
    private static func checkLinks(_ schema: Schema, keptBy store: any DataStore.Type) throws {
        guard let links = schema.links.first, !(store is any DataStoreLinking.Type) else { return }
        throw SwiftDataError.unsupportedFeature.adding(
            detail: "a \(store) keeps no links: give the relationship an inverse that leads to one",
            entityName: links.owner, propertyName: links.property.name)
    }

    func store(for type: any PersistentModel.Type) throws -> any DataStore {
        guard let store = storesByType[ObjectIdentifier(type)] else {
            throw type.missing("no store keeps this model")
        }
        return store
    }
}

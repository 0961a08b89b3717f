/// A place to work with models: it fetches them, keeps one instance per row, and saves what changed.
///
/// A context is confined to the task or actor that uses it, and so are its models; several contexts of one
/// ``ModelContainer`` work side by side.
///
/// The context keeps models that have changes until they are saved or rolled back, and it may keep models that reading a
/// relationship loaded. Any other model that the program does not reference is released; the next fetch makes a new
/// instance of its row.
///
/// A save writes what changed since the last one, in one transaction per store, together with its history: the
/// transaction carries the ``author`` and ``name`` that the context has at that moment.
///
/// The context keeps its container's stores open, and its models keep what they need to load their relationships, so
/// that neither the container nor the context has to be referenced as long as a model is used. When the last reference to
/// a context goes, its unsaved changes go with it, except for those of models that are still referenced; a later
/// ``save()`` through ``PersistentModel/modelContext`` of such a model throws ``SwiftDataError/missingModelContext`` if
/// changes were lost.
public final class ModelContext: Equatable {
    let storage: ContextStorage
    let coordinator: StoreCoordinator
    /// The models that are alive, by identifier; not kept alive by this.
    let registry: ModelRegistry
    /// The models with something to save, kept alive by this, in the order of their first change. A model whose status
    /// no longer fits is passed over.
    @exclusivity(unchecked) private var storedPendingModels: [PendingModel] = []
    /// The first ``indexedCount`` of them by ``ContextEntity/number``, for fetches.
    @exclusivity(unchecked) private var pendingByEntity: [[PendingModel]] = []
    @exclusivity(unchecked) private var indexedCount = 0
    /// The latest models that reading a relationship loaded, so that reading it again finds the same instances.
    var recentDestinations = RecentModels()
    /// The models whose to-one relationship was set since the last save, by the saved model that it was set to.
    var unsavedReferrers: [PersistentIdentifier: ModelSet] = [:]
    /// What came and went of relationships that are kept as links, and what was read of them.
    var links = ContextLinks()
    /// To-many relationships that the program changed in place, and whose other sides are not all known to agree.
    var unverifiedLists: [UnverifiedList] = []
    /// Whether it was made for models whose context was released.
    private let isTemporary: Bool
    private var entities: [ObjectIdentifier: ContextEntity] = [:]
    @exclusivity(unchecked) private var latestEntity: ContextEntity?
    #if DEBUG
        /// Who may use the context, if it has an executor.
        var ownership: ContextOwnership?
    #endif

    /// Makes a context of the container's stores.
    public convenience init(_ container: ModelContainer) {
        self.init(container.coordinator)
    }

    convenience init(_ coordinator: StoreCoordinator) {
        self.init(ContextStorage(coordinator), isTemporary: false)
    }

    /// A context of models that are there already, or are to be.
    init(_ storage: ContextStorage, isTemporary: Bool) {
        self.storage = storage
        self.isTemporary = isTemporary
        coordinator = storage.coordinator
        registry = storage.registry
        storage.register(self)
    }

    deinit {
        guard !storedPendingModels.isEmpty else { return }
        settleLists()
        storage.hasDetachedChanges = true
        // What is set at both ends at once is kept by the context alone.
        if let end = links.changedEnds.first, let entity = end.model.persistentBackingData.membership?.entity {
            storage.failures.discardChanges(entityName: entity.name)
        }
        // The registry finds models by identifier; new models may not have one yet.
        for listed in storedPendingModels where listed.backing.status == .inserted { _ = listed.backing.identifier }
    }
}

extension ModelContext {
    /// Returns whether both are the same instance.
    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
}

extension ModelContext {
    /// The container whose stores the context uses.
    public var container: ModelContainer { coordinator.container }

    /// Who makes the changes: recorded with every save, and what a reader of the history may ask for.
    public var author: String? {
        get { storage.author }
        set { storage.author = newValue }
    }

    /// What the context is called in the history, beside the author.
    public var name: String? {
        get { storage.name }
        set { storage.name = newValue }
    }
}

extension ModelContext {
    /// Whether something would be saved.
    public var hasChanges: Bool {
        settleLists()
        return pendingModels.contains { $0.backing.hasChanges }
    }
    /// The models that the next save inserts, in the order of their inserts.
    public var insertedModelsArray: [any PersistentModel] { models { $0.status == .inserted } }
    /// The models that the next save updates.
    public var changedModelsArray: [any PersistentModel] { models { $0.status == .saved && $0.hasChanges } }
    /// The models that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] { models { $0.status == .deleted } }

    private func models(where isIncluded: (BackingData) -> Bool) -> [any PersistentModel] {
        settleLists()
        return pendingModels.filter { isIncluded($0.backing) }.map(\.model)
    }

    var editingState: EditingState { storage.editingState }

    func contextEntity(for type: any PersistentModel.Type) throws -> ContextEntity {
        checkIsolation()
        if let latestEntity, latestEntity.type == ObjectIdentifier(type) { return latestEntity }
        if let known = entities[ObjectIdentifier(type)] {
            latestEntity = known
            return known
        }
        let entity = try storage.entity(for: type)
        entities[ObjectIdentifier(type)] = entity
        return entity
    }

    /// The models with something to save.
    var pendingModels: [PendingModel] {
        get {
            if storage.hasDetachedChanges { addDetachedChanges() }
            return storedPendingModels
        }
        set {
            storedPendingModels = newValue
            pendingByEntity.removeAll(keepingCapacity: true)
            indexedCount = 0
        }
    }

    /// The models of an entity with something to save.
    func pendingModels(of entity: ContextEntity) throws -> [PendingModel] {
        if storage.hasDetachedChanges { addDetachedChanges() }
        while indexedCount < storedPendingModels.count {
            let listed = storedPendingModels[indexedCount]
            // A new model that was deleted belongs to no entity for now; it may be inserted again.
            let number = try listed.backing.membership?.number ?? contextEntity(for: type(of: listed.model)).number
            while pendingByEntity.count <= number { pendingByEntity.append([]) }
            pendingByEntity[number].append(listed)
            indexedCount += 1
        }
        return entity.number < pendingByEntity.count ? pendingByEntity[entity.number] : []
    }

    /// Puts a model on the list of those that the next save looks at.
    func list(_ backing: BackingData) {
        checkIsolation()
        guard !backing.isPending, let model = backing.model else { return }
        backing.isPending = true
        storedPendingModels.append(PendingModel(model: model, backing: backing))
    }

    /// Lists the models that were changed while there was no context, or whose context was released.
    func addDetachedChanges() {
        storage.hasDetachedChanges = false
        let known = Set(storedPendingModels.map { ObjectIdentifier($0.backing) })
        var found: [PendingModel] = []
        registry.forEach { backing in
            guard backing.isPending, !known.contains(ObjectIdentifier(backing)), let model = backing.model else {
                return
            }
            found.append(PendingModel(model: model, backing: backing))
        }
        found.sort { $0.backing.identifier < $1.backing.identifier }
        pendingModels = found + storedPendingModels
        for listed in found { addUnsavedReferrers(listed.backing) }
    }

    /// Registers a model with the unread lists that its unsaved to-one relationships add it to.
    private func addUnsavedReferrers(_ backing: BackingData) {
        guard let membership = backing.membership else { return }
        for (slot, value) in backing.pending {
            guard case .reference(let identifier) = value, let destination = registeredBacking(identifier) else {
                continue
            }
            ManagedRelationship(self, backing, membership.entity.storedProperties[slot])?.announce(destination)
        }
    }

    /// The model of a row, if it is alive in this context.
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registeredBacking(identifier)?.model as? Model
    }

    func registeredBacking(_ identifier: PersistentIdentifier) -> BackingData? {
        registry[identifier]
    }
}

extension ModelContext {
    /// Remembers that a list was changed in place, and that not all of it was compared.
    func addUnverified(_ relationship: ManagedRelationship, _ list: ToManyList) {
        guard let model = relationship.backing.model, !unverifiedLists.contains(where: { $0.list === list }) else {
            return
        }
        unverifiedLists.append(UnverifiedList(model: model, property: relationship.property, list: list))
        // A context that no one keeps is gone before the list is used again.
        if isTemporary { settleLists() }
    }

    /// Compares the lists that the program changed in place with what both sides of their relationships agreed on.
    func settleLists() {
        guard !unverifiedLists.isEmpty else { return }
        let lists = unverifiedLists
        unverifiedLists = []
        for unverified in lists {
            ManagedRelationship(self, unverified.model.persistentBackingData, unverified.property)?
                .settleForGetter(unverified.list)
        }
    }
}

/// A to-many relationship that the program changed in place.
struct UnverifiedList {
    let model: any PersistentModel
    let property: Schema.Property
    let list: ToManyList
}

/// A model with something to save.
struct PendingModel {
    let model: any PersistentModel
    /// Again, without a call through a table; the model owns it.
    unowned(unsafe) let backing: BackingData
}

/// Models in the order in which they came, each once.
struct ModelSet {
    private(set) var models: [any PersistentModel] = []
    private var members: Set<ObjectIdentifier> = []

    mutating func insert(_ model: any PersistentModel) {
        if members.insert(ObjectIdentifier(model)).inserted { models.append(model) }
    }
}

/// The last models that were loaded by reading relationships: a ring.
struct RecentModels {
    private static let capacity = 1024
    private var models: [any PersistentModel] = []
    private var next = 0
    /// The models that were read ahead last, however many, until as many others were loaded as there is room for.
    private var batch: [any PersistentModel] = []
    private var batchAge = 0

    mutating func keep(_ model: any PersistentModel) {
        if models.count < Self.capacity {
            models.append(model)
        } else {
            models[next] = model
            next = (next + 1) % Self.capacity
        }
        batchAge += 1
        if batchAge == Self.capacity { batch = [] }
    }

    /// Keeps all of these.
    mutating func keep(_ models: [any PersistentModel]) { (batch, batchAge) = (models, 0) }
}

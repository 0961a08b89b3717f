/// An object that fetches models, keeps one instance for each row, tracks changes and saves them.
///
/// ```swift
/// let context = ModelContext(container)
/// context.author = "app"
/// context.insert(Trip(name: "Honeymoon", destination: "Rome"))
/// try context.save()
/// ```
///
/// A context and its models are confined to the task or actor that uses the context. Several contexts of one ``ModelContainer`` can
/// be used at the same time.
///
/// Different threads may use a context one after the other, as the threads of an actor do, but not at the same time: that corrupts
/// its state. In debug builds, the program ends with a message that names both threads if one of them uses the context, or sets a
/// property of one of its models, during a fetch, a save or another operation of the other one.
///
/// ## Saving
///
/// ``save()`` writes all changes since the last save in one transaction per store, which the history records with the ``author``,
/// the ``name`` and the ``transactionMetadata`` of that time. The container's ``ModelContainer/mainContext`` also saves
/// automatically; see ``autosaveEnabled``.
///
/// ## Lifetime
///
/// The context keeps models with unsaved changes until they are saved or rolled back, and some of the models that were loaded
/// through a relationship. Other models are released when the program no longer references them; the next fetch creates a new
/// instance for the row.
///
/// You need not reference the container or the context while you use a model. When a context is released, its unsaved changes are
/// lost, except for those of models that are still referenced. If changes were lost, a later ``save()`` through
/// ``PersistentModel/modelContext`` of such a model throws ``SwiftDataError/missingModelContext``.
public final class ModelContext: Equatable {
    let storage: ContextStorage
    let coordinator: StoreCoordinator
    /// The registry does not keep the models alive.
    let registry: ModelRegistry
    /// In the order of their first change. The context keeps the models alive. A model whose status changed since is ignored.
    @exclusivity(unchecked) private var storedPendingModels: [PendingModel] = []
    /// The first ``indexedCount`` pending models by ``ContextEntity/number``, for fetches.
    @exclusivity(unchecked) private var pendingByEntity: [[PendingModel]] = []
    @exclusivity(unchecked) private var indexedCount = 0
    /// The models that relationships loaded most recently, kept so that reading the relationship again returns the same instances.
    var recentDestinations = RecentModels()
    /// The models whose to-one relationship was set since the last save, by the saved destination.
    @exclusivity(unchecked) var unsavedReferrers: [PersistentIdentifier: ModelSet] = [:]
    var links = ContextLinks()
    /// To-many relationships that were changed in place and not yet compared with their other sides.
    @exclusivity(unchecked) var unverifiedLists: [UnverifiedList] = []
    /// What delete rules did since the last save, by the ``Deletion/number`` of the delete that caused it.
    var deletedByRules: [Int: RuleEffects] = [:]
    /// The number of entries of pending models that have left the context. They are removed before the list is used again.
    @exclusivity(unchecked) private var voidCount = 0
    /// Created for models whose context was released.
    private let isTemporary: Bool
    weak var executor: DefaultSerialModelExecutor?
    private var entities: [ObjectIdentifier: ContextEntity] = [:]
    @exclusivity(unchecked) private var latestEntity: ContextEntity?
    #if DEBUG
        var ownership: ContextOwnership?
    #endif

    /// Creates a context for the stores of a container.
    ///
    /// - Parameter container: The container.
    public convenience init(_ container: ModelContainer) {
        self.init(container.coordinator)
    }

    convenience init(_ coordinator: StoreCoordinator) {
        self.init(ContextStorage(coordinator), isTemporary: false)
    }

    init(_ storage: ContextStorage, isTemporary: Bool) {
        self.storage = storage
        self.isTemporary = isTemporary
        coordinator = storage.coordinator
        registry = storage.registry
        if !storage.releasedEffects.isEmpty {
            deletedByRules = storage.releasedEffects.mapValues(\.effects)
            storage.releasedEffects = [:]
        }
        storage.register(self)
    }

    deinit {
        // Also those that a context without changes took over from an earlier one.
        if !deletedByRules.isEmpty { storage.releasedEffects = deletedByRules.mapValues(ReleasedRuleEffects.init) }
        guard !storedPendingModels.isEmpty else { return }
        verifyLists()
        storage.hasDetachedChanges = true
        // Only the context keeps the unsaved changes of links.
        if let end = links.changedEnds.first(where: \.isChanged),
            let entity = end.model.persistentBackingData.membership?.entity
        {
            storage.failures.discardChanges(entityName: entity.name)
        }
        // Creates the identifiers of new models, because the registry finds models by identifier.
        for listed in storedPendingModels where listed.backing.state == .new || listed.backing.state == .discarded {
            _ = listed.backing.identifier
        }
    }
}

extension ModelContext {
    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
}

extension ModelContext: CustomDebugStringConvertible {
    /// The author, the name, and the numbers of unsaved models. The format may change.
    public var debugDescription: String {
        // Unlike ``hasChanges``, does not compare lists with their other sides: a description changes nothing.
        func count(_ isIncluded: (AnyBackingData) -> Bool) -> Int {
            storedPendingModels.count { $0.isCurrent && isIncluded($0.backing) }
        }
        return "ModelContext(author: \(author ?? "none"), name: \(name ?? "none"), "
            + "inserted: \(count { $0.state.isInserted }), changed: \(count(\.isEdited)), "
            + "deleted: \(count { $0.state == .deleted }))"
    }
}

extension ModelContext {
    /// The container whose stores the context uses.
    public var container: ModelContainer { coordinator.container }

    /// The author of the changes, such as the name of the app or extension. The history records it with every save, and readers of
    /// the history can filter by it.
    ///
    /// If it is `nil`, the author of the task is recorded; see ``HistoryAuthor``.
    public var author: String? {
        get { storage.author }
        set { storage.author = newValue }
    }

    /// The name of the context, which the history records with every save in addition to the author.
    public var name: String? {
        get { storage.name }
        set { storage.name = newValue }
    }

    /// Further information about the changes, such as the reason for them, which the history records with every save.
    ///
    /// Use it for what differs between saves of one author: a request identifier, the name of an import, the version of the
    /// program. Set it before the save, as in `context.transactionMetadata = ["reason": "import"]`.
    ///
    /// Readers get it as ``DefaultHistoryTransaction/metadata`` and can filter by each key. Like the author, it is kept after a
    /// save and applies to later saves and batch deletes until you change it. It is empty by default. Changing it is not an unsaved
    /// change: without other changes, ``save()`` records nothing.
    ///
    /// The store keeps a copy for each transaction, until that transaction is deleted from the history. Use a few short keys and
    /// values, up to about 1 KB in total. Store larger values in a model, and its identifier here. Like the author, the metadata is
    /// readable by everyone who can read the store.
    ///
    /// Custom stores receive the metadata in ``EditingState/metadata``; not every store records it.
    public var transactionMetadata: [String: String] {
        get { storage.transactionMetadata }
        set { storage.transactionMetadata = newValue }
    }
}

extension ModelContext {
    /// Whether the context has unsaved changes.
    ///
    /// - Complexity: O(*n*), where *n* is the number of pending models; usually O(1).
    public var hasChanges: Bool {
        verifyLists()
        return pendingModels.contains { $0.backing.hasChanges }
    }
    /// The models that the next save inserts, in the order in which they were inserted.
    ///
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public var insertedModelsArray: [any PersistentModel] { models { $0.state.isInserted } }
    /// The models that the next save updates.
    ///
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public var changedModelsArray: [any PersistentModel] { models(where: \.isEdited) }
    /// The models that the next save deletes.
    ///
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public var deletedModelsArray: [any PersistentModel] { models { $0.state == .deleted } }

    private func models(where isIncluded: (AnyBackingData) -> Bool) -> [any PersistentModel] {
        verifyLists()
        return pendingModels.filter { isIncluded($0.backing) }.map(\.model)
    }

    /// What stores receive about the context with each request.
    public var editingState: EditingState { storage.editingState }

    func emptyCopy() -> ModelContext {
        let copy = ModelContext(coordinator)
        (copy.author, copy.name, copy.transactionMetadata) = (author, name, transactionMetadata)
        copy.mergePolicy = mergePolicy
        copy.storage.postsNotifications = false
        return copy
    }

    /// Throws ``SwiftDataError/unknownSchema``.
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

    var pendingModels: [PendingModel] {
        get {
            if storage.hasDetachedChanges { addDetachedChanges() }
            if voidCount > 0 { removeVoidEntries() }
            return storedPendingModels
        }
        set {
            storedPendingModels = newValue
            pendingByEntity.removeAll(keepingCapacity: true)
            indexedCount = 0
        }
    }

    /// Includes the models of subentities.
    func pendingModels(of entity: ContextEntity) throws -> [PendingModel] {
        if storage.hasDetachedChanges { addDetachedChanges() }
        if voidCount > 0 { removeVoidEntries() }
        while indexedCount < storedPendingModels.count {
            let listed = storedPendingModels[indexedCount]
            // An unsaved model that was deleted has no entity, but it may be inserted again.
            let own = try listed.backing.membership ?? contextEntity(for: type(of: listed.model))
            addPending(listed, own.number)
            var superentity = own.entity.superentity
            while let current = superentity {
                addPending(listed, try contextEntity(for: current.type).number)
                superentity = current.superentity
            }
            indexedCount += 1
        }
        return entity.number < pendingByEntity.count ? pendingByEntity[entity.number] : []
    }

    private func addPending(_ listed: PendingModel, _ number: Int) {
        while pendingByEntity.count <= number { pendingByEntity.append([]) }
        pendingByEntity[number].append(listed)
    }

    func markPending(_ backing: AnyBackingData) {
        checkIsolation()
        guard backing.pendingState != .pending, let model = backing.model else { return }
        let isListed = backing.isPending
        backing.becomePending(storage.nextPendingNumber())
        if !isListed {
            // Models that are deleted and inserted again and again do not fill the list.
            if voidCount > 64, voidCount > storedPendingModels.count / 2 { removeVoidEntries() }
            storedPendingModels.append(PendingModel(model: model, backing: backing))
        }
        scheduleAutosave()
        storage.didChange()
    }

    /// The model may be inserted again, into this or another context. Its entry of this list remains void.
    func didLeave(_ backing: AnyBackingData) {
        guard backing.isPending else { return }
        backing.endPending()
        voidCount += 1
    }

    private func removeVoidEntries() {
        voidCount = 0
        // A model that is in another context now has a number of that context.
        pendingModels = storedPendingModels.filter { $0.isCurrent && $0.backing.membership?.registry === registry }
    }

    /// Adds the models that were changed while no context existed, or whose context was released.
    func addDetachedChanges() {
        storage.hasDetachedChanges = false
        let known = Set(storedPendingModels.lazy.filter(\.isCurrent).map { ObjectIdentifier($0.backing) })
        var found: [PendingModel] = []
        registry.forEach { backing in
            guard backing.isPending, !known.contains(ObjectIdentifier(backing)), let model = backing.model else {
                return
            }
            found.append(PendingModel(model: model, backing: backing))
        }
        found.sort { $0.backing.pendingNumber < $1.backing.pendingNumber }
        pendingModels = found + storedPendingModels
        for listed in found { addUnsavedReferrers(listed.backing) }
    }

    private func addUnsavedReferrers(_ backing: AnyBackingData) {
        guard let membership = backing.membership else { return }
        for (slot, value) in backing.pending {
            guard case .reference(let identifier) = value, let destination = registeredBacking(identifier) else {
                continue
            }
            ManagedRelationship(self, backing, membership.entity.storedProperties[slot])?.recordUnsavedReference(
                to: destination)
        }
    }

    /// Returns the model with the given identifier if it is in memory in this context.
    ///
    /// - Parameter identifier: The identifier of the model.
    /// - Returns: The model, or `nil` if it is not in memory or of another class.
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registeredBacking(identifier)?.model as? Model
    }

    func registeredBacking(_ identifier: PersistentIdentifier) -> AnyBackingData? {
        registry[identifier]
    }
}

extension ModelContext {
    func addUnverified(_ relationship: ManagedRelationship, _ list: ToManyList) {
        guard let model = relationship.backing.model, !unverifiedLists.contains(where: { $0.list === list }) else {
            return
        }
        unverifiedLists.append(UnverifiedList(model: model, property: relationship.property, list: list))
        scheduleAutosave()
        storage.didChange()
        // Nothing references a temporary context, so it is released before the list is used again.
        if isTemporary { verifyLists() }
    }

    /// Updates the other sides of lists that were changed in place.
    func verifyLists() {
        guard !unverifiedLists.isEmpty else { return }
        let lists = unverifiedLists
        unverifiedLists = []
        storage.notifyingObservers {
            for unverified in lists {
                ManagedRelationship(self, unverified.model.persistentBackingData, unverified.property)?
                    .verifyForGetter(unverified.list)
            }
        }
    }
}

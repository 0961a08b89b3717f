import Foundation

/// The part of a context that its models retain, so that they can load relationships and be saved after the context was released.
///
/// A context retains its changed models. Models that retained their context in turn would never be released. They retain this
/// storage instead, which references the context weakly and creates another one if the context was released. The storage does not
/// retain models.
final class ContextStorage: ModelOwner {
    let id = UUID()
    let coordinator: StoreCoordinator
    let registry = ModelRegistry()
    var author: String?
    /// See ``ModelContext/undoManager``.
    var undoScope: UndoHistory.Scope?
    var name: String?
    var transactionMetadata: [String: String] = [:]
    var mergePolicy = ModelContext.MergePolicy.mergeByPropertyObjectTrump
    // The unchecked properties are used by one thread, and no access to them calls other code.
    @exclusivity(unchecked) var lastSaveResult = ModelContext.SaveResult()
    @exclusivity(unchecked) var failures = ContextFailures()
    /// See ``AnyBackingData/fetchNumber``.
    var fetchNumber: UInt32 = 0
    /// Whether there may be models with unsaved changes that no context lists, because their context was released.
    var hasDetachedChanges = false
    /// Whether it is not known if the latest save was committed. An autosave could write its changes twice.
    var isOutcomeUnknown = false
    /// The models without a row that were deleted since the last save. Others may still reference them, and nothing else shows that
    /// these references have no destination.
    @exclusivity(unchecked) var deletedWithoutRow: Set<PersistentIdentifier> = []
    /// What delete rules did in a context that was released before its changes were saved.
    var releasedEffects: [Int: ReleasedRuleEffects] = [:]
    /// See ``AnyBackingData/pendingNumber``.
    private var pendingCount: UInt32 = 0
    /// See ``Deletion/number``.
    var deletionCount = 0
    /// The tokens of the context's own saves, which need not be merged, or `nil` if it does not merge automatically.
    var savedTokens: Set<AnyHashable>?
    /// Store and token type of the latest save whose token was valid.
    @exclusivity(unchecked) var validToken: TokenType?

    struct TokenType: Equatable {
        let store: ObjectIdentifier
        let token: ObjectIdentifier
    }

    var merging: MainContextMerging?
    var autosave: Autosave?
    /// The author of the first unsaved change, which autosaves use; `nil` without unsaved changes.
    var firstChangeAuthor: HistoryAuthor.Value??
    var autosaveErrorHandler: ((any Error) -> Void)?
    @exclusivity(unchecked) var isSaving = false
    var postsNotifications = true
    var isPostingWillSave = false
    /// The acknowledgement of the save whose `willSave` observers run. The first save by an observer that succeeds takes it,
    /// because it writes the changes.
    var postponedAcknowledgement: HistoryAcknowledgement?
    #if canImport(Darwin)
        var undoManager: UndoManager?
    #endif
    private(set) weak var knownContext: ModelContext?
    private var changeObservers: [ChangeObserverReference] = []
    @exclusivity(unchecked) private var operationDepth = 0
    /// The observed properties that the current operation changed; `nil` for all properties of a model.
    @exclusivity(unchecked)
    private var observedChanges: [(observation: ModelObservation, property: ObservedProperty?)] = []
    private var entities: [ObjectIdentifier: EntityEntry] = [:]

    private struct EntityEntry {
        let number: Int
        // The deinitializer of the entity sets this to `nil`. The reference is not `weak`, because every model retains
        // its entity, and retaining an object with weak references takes longer. It is not `unowned(unsafe)`, because
        // debug builds of Swift 6.3 read that incorrectly in an optional structure.
        var value: Unmanaged<ContextEntity>?
    }

    #if DEBUG
        let access = ContextAccess()
    #endif

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        for store in coordinator.stores { store.initializeState(for: editingState) }
    }

    deinit {
        for store in coordinator.stores { store.invalidateState(for: editingState) }
    }

    /// Throws ``SwiftDataError/valueOutOfRange`` if a name of the context contains a NUL character.
    func writingState() throws -> EditingState {
        let state = editingState
        try state.validateNames()
        return state
    }

    var editingState: EditingState {
        guard author == nil, let request = HistoryAuthor.value else {
            return EditingState(id: id, author: author, contextName: name, metadata: transactionMetadata)
        }
        return EditingState(
            id: id, author: request.name, contextName: name,
            metadata: request.metadata.merging(transactionMetadata) { $1 })
    }

    /// A new context for the same models if the first was released.
    var context: ModelContext {
        knownContext ?? ModelContext(self, isTemporary: true)
    }

    func register(_ context: ModelContext) { knownContext = context }

    func didSave(_ token: (any HistoryToken)?) {
        guard let count = savedTokens?.count, let token else { return }
        // Merging an own save has no effect except for its cost.
        if count == 10_000 { savedTokens = [] }
        savedTokens?.insert(token.exact)
    }

    /// All models of the class in the context share the entity. Throws ``SwiftDataError/unknownSchema`` if the container's schema
    /// does not contain the class.
    func entity(for type: any PersistentModel.Type) throws -> ContextEntity {
        if let known = entities[ObjectIdentifier(type)]?.value?.takeUnretainedValue() { return known }
        guard let entity = coordinator.schema.entity(for: type) else {
            throw type.missing("the container's schema does not have this model; add it when you create the container")
        }
        // An entity that was released is created again with the same number.
        let number = entities[ObjectIdentifier(type)]?.number ?? entities.count
        let created = ContextEntity(entity, number: number, schema: coordinator.schema, registry: registry, owner: self)
        entities[ObjectIdentifier(type)] = EntityEntry(number: number, value: .passUnretained(created))
        return created
    }

    func remove(_ entity: ContextEntity) { entities[entity.type]?.value = nil }

    func loadRow(of backing: AnyBackingData) { notifyingObservers { context.loadForGetter(backing) } }

    // MARK: Changed models

    func markPending(_ backing: AnyBackingData) {
        if let knownContext {
            knownContext.markPending(backing)
        } else if autosave != nil {
            // The scheduled autosave retains the new context.
            context.markPending(backing)
        } else {
            backing.becomePending(nextPendingNumber())
            hasDetachedChanges = true
        }
    }

    /// Starts at 1 again after 2³² changes; the order of inserts is then not kept.
    func nextPendingNumber() -> UInt32 {
        pendingCount = pendingCount == .max ? 1 : pendingCount + 1
        return pendingCount
    }

    // MARK: Observers

    func addChangeObserver(_ observer: any ContextChangeObserver) {
        changeObservers.removeAll { $0.value == nil }
        changeObservers.append(ChangeObserverReference(value: observer))
    }

    /// The change may not be complete yet.
    @inline(__always)
    func didChange() {
        if !changeObservers.isEmpty { for observer in changeObservers { observer.value?.contextDidChange() } }
    }

    /// Observers are notified when the outermost operation has ended, because they may use the context.
    @inline(__always)
    func notifyingObservers<Result>(_ operation: () throws -> Result) rethrows -> Result {
        #if DEBUG
            access.begin()
        #endif
        operationDepth += 1
        defer {
            operationDepth -= 1
            #if DEBUG
                access.end()
            #endif
            if operationDepth == 0, !observedChanges.isEmpty { notifyObservers() }
        }
        return try operation()
    }

    private func notifyObservers() {
        let changes = observedChanges
        observedChanges = []
        for change in changes { change.observation.notify(change.property) }
    }

    func didChange(_ observation: ModelObservation, _ property: ObservedProperty?) {
        if operationDepth == 0 {
            observation.notify(property)
        } else {
            observedChanges.append((observation, property))
        }
    }

    // MARK: Failures

    func discardChanges(of backing: AnyBackingData) {
        guard let entityName = backing.membership?.entity.name else { return }
        failures.discardChanges(entityName: entityName)
    }

    func rejectChange(of backing: AnyBackingData) {
        let identifier = backing.identifier
        failures.addAssignment(
            ContextFailures.Key(identifier: identifier, propertyName: nil),
            (backing.state == .replaced ? SwiftDataError.modelNotFound : .modelValidationFailure).with(
                detail: backing.state == .replaced
                    ? "a change cannot be saved, because another instance has replaced this one; roll back, fetch the model "
                        + "and change it again"
                    : "an attribute that is not in the schema was set and cannot be saved; roll back to continue",
                entityName: backing.membership?.entity.name, persistentIdentifier: identifier))
    }
}

/// Called on the actor of the context.
protocol ContextChangeObserver: AnyObject {
    func contextDidChange()
}

private struct ChangeObserverReference {
    weak var value: (any ContextChangeObserver)?
}

extension ContextEntity {
    var storage: ContextStorage { unsafeDowncast(owner, to: ContextStorage.self) }
}

extension PersistentModel {
    /// The context that inserted or fetched the model, or `nil` if the model was not inserted or its delete was saved.
    ///
    /// If that context was released, this is another one with the same models, author, name and metadata. Save it to save the
    /// changes of its models.
    public var modelContext: ModelContext? {
        let backing = persistentBackingData
        return backing.state.isInContext || backing.state == .deleted ? backing.membership?.storage.context : nil
    }
}

import Foundation

/// What the models of a context reference, and keep after the context was released: they can still load relationships
/// and be saved.
///
/// A context keeps its changed models. If models kept their context in turn, neither would ever be released. They keep
/// this storage instead, which references the context weakly and makes another one when the first is gone. It keeps no
/// model.
final class ContextStorage {
    /// The identity of the context in requests to stores.
    let id = UUID()
    let coordinator: StoreCoordinator
    /// The models that are alive, by identifier.
    let registry = ModelRegistry()
    var author: String?
    var name: String?
    /// What could not be loaded or done, and has to be before the next save.
    var failures = ContextFailures()
    /// The number of fetches that had to look for rows that come twice.
    var fetchNumber: UInt32 = 0
    /// Whether models with changes are in no context's list of changed models, because their context was released.
    var hasDetachedChanges = false
    private(set) weak var knownContext: ModelContext?
    private var entities: [ObjectIdentifier: KnownEntity] = [:]

    private struct KnownEntity {
        let number: Int
        // Not weak: every model retains its entity, which takes longer for an object with weak references. The entity's
        // deinitializer sets this to nil. Not `unowned(unsafe)`, which the debug build of Swift 6.3 misreads in an
        // optional structure.
        var value: Unmanaged<ContextEntity>?
    }

    init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        for store in coordinator.stores { store.initializeState(for: editingState) }
    }

    deinit {
        for store in coordinator.stores { store.invalidateState(for: editingState) }
    }

    var editingState: EditingState { EditingState(id: id, author: author, contextName: name) }

    /// The context, or another one for the same models if it was released.
    var context: ModelContext {
        knownContext ?? ModelContext(self, isTemporary: true)
    }

    func register(_ context: ModelContext) { knownContext = context }

    /// The entity of a model class, as all models of the context share it.
    func entity(for type: any PersistentModel.Type) throws -> ContextEntity {
        if let known = entities[ObjectIdentifier(type)]?.value?.takeUnretainedValue() { return known }
        guard let entity = coordinator.schema.entity(for: type) else {
            throw type.missing("the container was made without this model")
        }
        // One that was released has its number again.
        let number = entities[ObjectIdentifier(type)]?.number ?? entities.count
        let made = ContextEntity(entity, number: number, self)
        entities[ObjectIdentifier(type)] = KnownEntity(number: number, value: .passUnretained(made))
        return made
    }

    /// Forgets an entity that is being released.
    func remove(_ entity: ContextEntity) { entities[entity.type]?.value = nil }

    // MARK: Changed models

    /// Remembers that a model has something to save.
    func list(_ backing: BackingData) {
        if let knownContext {
            knownContext.list(backing)
        } else {
            backing.isPending = true
            hasDetachedChanges = true
        }
    }

    /// A model with changes is released, because its context was released before and nothing else keeps it.
    func discardChanges(of backing: BackingData) {
        guard let entityName = backing.membership?.entity.name else { return }
        failures.discardChanges(entityName: entityName)
    }
}

/// A place to work with models: it fetches them, keeps one instance per row, and saves what changed.
///
/// A context is confined to the task or actor that uses it, and so are its models; several contexts of one
/// ``ModelContainer`` work side by side. Models that nobody holds are forgotten unless they have changes.
///
/// A save writes what changed since the last one, in one transaction per store, together with its history: the
/// transaction carries the ``author`` and ``name`` that the context has at that moment.
public final class ModelContext {
    public let container: ModelContainer
    /// Who makes the changes: recorded with every save, and what a reader of the history may ask for.
    public var author: String?
    /// What the context is called in the history, beside the author.
    public var name: String?

    /// The models that are alive, by identifier; not kept alive by this.
    let registry = ModelRegistry()
    /// The models with something to save, kept alive by this, in the order of their first change. A model whose status
    /// no longer fits is passed over.
    @exclusivity(unchecked) var listing: [ListedModel] = []
    /// The latest models that reading a relationship loaded, so that reading it again finds the same instances.
    var recentDestinations = RecentModels()
    /// The models whose to-one relationship was set since the last save, by the saved model that it was set to.
    var arrivals: [PersistentIdentifier: ModelSet] = [:]
    /// What came and went of relationships that are kept as links, and what was read of them.
    var links = ContextLinks()
    /// What reading a relationship could not throw.
    var deferredError: (any Error)?
    /// The number of fetches that had to look for rows that come twice.
    var fetchNumber: UInt32 = 0
    private var entities: [ObjectIdentifier: ContextEntity] = [:]
    @exclusivity(unchecked) private var latestEntity: ContextEntity?

    public init(_ container: ModelContainer) {
        self.container = container
    }
}

extension ModelContext {
    /// Whether something would be saved.
    public var hasChanges: Bool { listing.contains { $0.backing.hasChanges } }
    /// The models that the next save inserts, in the order of their inserts.
    public var insertedModelsArray: [any PersistentModel] { listedModels { $0.status == .inserted } }
    /// The models that the next save updates.
    public var changedModelsArray: [any PersistentModel] { listedModels { $0.status == .saved && $0.hasChanges } }
    /// The models that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] { listedModels { $0.status == .deleted } }

    private func listedModels(_ isIncluded: (BackingData) -> Bool) -> [any PersistentModel] {
        listing.filter { isIncluded($0.backing) }.map(\.model)
    }

    var listed: [any PersistentModel] { listing.map(\.model) }

    var editingState: EditingState {
        EditingState(id: ObjectIdentifier(self), author: author, contextName: name)
    }

    func contextEntity(for type: any PersistentModel.Type) throws -> ContextEntity {
        if let latestEntity, latestEntity.type == ObjectIdentifier(type) { return latestEntity }
        if let known = entities[ObjectIdentifier(type)] {
            latestEntity = known
            return known
        }
        guard let entity = container.schema.entity(for: type) else {
            throw type.missing("the container was made without this model")
        }
        let made = ContextEntity(entity, self)
        entities[ObjectIdentifier(type)] = made
        return made
    }

    /// Puts a model on the list of those that the next save looks at.
    func list(_ backing: BackingData) {
        guard !backing.isListed, let model = backing.model else { return }
        backing.isListed = true
        listing.append(ListedModel(model: model, backing: backing))
    }

    /// The model of a row, if it is alive in this context.
    public func registeredModel<Model: PersistentModel>(for identifier: PersistentIdentifier) -> Model? {
        registeredBacking(identifier)?.model as? Model
    }

    func registeredBacking(_ identifier: PersistentIdentifier) -> BackingData? {
        registry[identifier]
    }

    func throwDeferredError() throws {
        guard let error = deferredError else { return }
        deferredError = nil
        throw error
    }
}

/// A model with something to save.
struct ListedModel {
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
    private var capacity = 1024
    private var models: [any PersistentModel] = []
    private var next = 0

    mutating func keep(_ model: any PersistentModel) {
        if models.count < capacity {
            models.append(model)
        } else {
            models[next] = model
            next = (next + 1) % capacity
        }
    }

    /// Keeps all of these.
    mutating func keep(_ models: [any PersistentModel]) {
        if models.count > capacity {
            self = RecentModels()
            capacity = models.count
        }
        for model in models { keep(model) }
    }

    mutating func removeAll() { self = RecentModels() }
}

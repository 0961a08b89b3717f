/// What a context knows of one model: its identity, the row it was read from, and what changed since.
///
/// A model class keeps one in its `persistentBackingData`; nothing else needs to touch it. The wrappers work through
/// it: ``Attribute`` reads from its row and reports changes to it, ``Relationship`` resolves identifiers through it.
///
/// There is one for every model that is alive, so that its size counts, and so do checks for exclusive access: it is
/// confined with its model, and no access to a property here runs code of anybody else.
public final class BackingData {
    enum Status: UInt8 { case detached, inserted, saved, deleted }

    /// Every value that a wrapper holds belongs to a generation; a new one makes all wrappers read the row again.
    @exclusivity(unchecked) @usableFromInline var generation: UInt32
    /// The context's fetch that last found this model, as far as it had to look for rows that come twice.
    @exclusivity(unchecked) var fetchNumber: UInt32 = 0
    /// How many attributes without a default were given a value while the model was in no context. What is missing
    /// is looked for only when the sum is short.
    @exclusivity(unchecked) @usableFromInline var assignedCount: Int32
    /// Whether ``row`` holds what the store has.
    @exclusivity(unchecked) @usableFromInline var hasRow: Bool
    @exclusivity(unchecked) var status: Status
    /// Whether the model stands in one of the context's lists of models to save.
    @exclusivity(unchecked) var isPending: Bool
    /// The context and entity that the model belongs to.
    @exclusivity(unchecked) @usableFromInline var membership: ContextEntity?
    /// The stored values by slot, as last read or written.
    @exclusivity(unchecked) @usableFromInline var row: [PropertyValue]
    /// The slots that were set since.
    @exclusivity(unchecked) var changed: PropertySet
    /// What few models have.
    @exclusivity(unchecked) @usableFromInline var extras: Extras?
    /// The model that owns this object; `nil` until it joins a context.
    @exclusivity(unchecked) unowned var model: (any PersistentModel)?
    /// The identifier, `nil` until it is asked for: most models are only after they were saved.
    @exclusivity(unchecked) private(set) var origin: PersistentIdentifier.Origin?
    @exclusivity(unchecked) private(set) var number: Int64

    @usableFromInline
    final class Extras {
        var pending: [Int: PropertyValue] = [:]
        var lists: [Int: ToManyList] = [:]
        var decoded: [Int: Any] = [:]
        var probedOffset: Int?
    }

    /// Backing data for a new model, which is in no context yet.
    public init() {
        generation = 1
        assignedCount = 0
        hasRow = false
        status = .detached
        isPending = false
        membership = nil
        row = []
        changed = PropertySet()
        extras = nil
        origin = nil
        number = 0
    }

    /// Backing data for a row of a store.
    init(_ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity) {
        generation = 1
        assignedCount = 0
        hasRow = true
        status = .saved
        isPending = false
        membership = entity
        self.row = row
        changed = PropertySet()
        extras = nil
        origin = identifier.origin
        number = identifier.number
    }

    /// Backing data that answers every read with some value of the type, to see which wrapper a key path leads to.
    static func probe() -> BackingData {
        let probe = BackingData()
        probe.hasRow = true
        return probe
    }

    /// Whether this is, or took over, a ``probe()``: the model is none that anybody made.
    var isProbe: Bool { hasRow && membership == nil }

    /// Takes over what the other one has, and leaves it empty: for a class that makes its own backing data for every
    /// instance, so that its initialisers need not mention it.
    ///
    /// ```swift
    /// let persistentBackingData = BackingData()
    /// init(backingData: BackingData) { persistentBackingData.adopt(backingData) }
    /// ```
    public func adopt(_ other: BackingData) {
        guard other !== self else { return }
        generation = other.generation
        hasRow = other.hasRow
        status = other.status
        membership = other.membership
        swap(&row, &other.row)
        extras = other.extras
        origin = other.origin
        number = other.number
        other.status = .detached
        other.empty()
    }

    /// Backing data for a row that is not loaded yet, see ``ModelContext/model(for:)``.
    init(unloaded identifier: PersistentIdentifier, _ entity: ContextEntity) {
        generation = 1
        assignedCount = 0
        hasRow = false
        status = .saved
        isPending = false
        membership = entity
        row = []
        changed = PropertySet()
        extras = nil
        origin = identifier.origin
        number = identifier.number
    }

    /// Whether this is the model of a row that is not loaded yet, or that is gone.
    var isUnloaded: Bool { !hasRow && (status == .saved || status == .deleted) }

    /// Makes used backing data that of a row.
    func fill(_ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity) {
        generation = 1
        hasRow = true
        status = .saved
        membership = entity
        self.row = row
        origin = identifier.origin
        number = identifier.number
    }

    private func empty() {
        hasRow = false
        membership = nil
        extras = nil
        origin = nil
        number = 0
    }

    deinit {
        guard status != .detached else { return }
        membership?.registry.remove(self)
        // A context keeps models with changes, unless it was released before them.
        if isPending, hasChanges { membership?.storage.discardChanges(of: self) }
    }
}

extension BackingData {
    /// Changed values that no wrapper holds: relationships, and attributes that were set before the row was read again.
    var pending: [Int: PropertyValue] {
        get { extras?.pending ?? [:] }
        // In place, so that setting one value does not copy the others.
        _modify { yield &makeExtras().pending }
    }

    /// The list of a to-many relationship that was read.
    func list(_ property: Schema.Property) -> ToManyList? { extras?.lists[property.index] }

    func setList(_ property: Schema.Property, _ models: [AnyObject]) -> ToManyList {
        let list = ToManyList(models)
        makeExtras().lists[property.index] = list
        return list
    }

    func removeList(_ property: Schema.Property) { removeList(at: property.index) }

    func removeList(at index: Int) {
        if extras?.lists.isEmpty == false { extras?.lists[index] = nil }
    }

    func removeLists() {
        if extras?.lists.isEmpty == false { extras?.lists = [:] }
    }

    /// Whether a to-many relationship was read.
    var hasLists: Bool { extras?.lists.isEmpty == false }

    /// Values that had to be decoded to know that they can be, until a wrapper takes them.
    var decoded: [Int: Any] {
        get { extras?.decoded ?? [:] }
        set { if extras != nil || !newValue.isEmpty { makeExtras().decoded = newValue } }
    }

    /// Where the wrapper stands that was read last, if this is a probe and the wrapper's type is direct.
    var probedOffset: Int? {
        get { extras?.probedOffset }
        set { makeExtras().probedOffset = newValue }
    }

    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }
}

extension BackingData {
    /// The identifier of a model in a context.
    var identifier: PersistentIdentifier {
        get { identifier(entityName: "") }
        set { (origin, number) = (newValue.origin, newValue.number) }
    }

    /// The identifier, made on first use; from then on the context finds the model by it.
    ///
    /// - Parameter entityName: The entity's name, for a model that is in no context yet.
    func identifier(entityName: @autoclosure () -> String) -> PersistentIdentifier {
        if let origin { return origin.identifier(number) }
        let made = PersistentIdentifier.temporary(
            membership?.temporaryOrigin ?? PersistentIdentifier.temporaryOrigin(entityName: entityName()))
        identifier = made
        membership?.registry.add(self, made)
        return made
    }

    /// The identifier for a save: one that nobody asked for yet need not be remembered.
    func identifier(in entity: ContextEntity) -> PersistentIdentifier {
        origin?.identifier(number) ?? .temporary(entity.temporaryOrigin)
    }

    /// Whether the model was deleted and is not coming back.
    var isDeletedInStore: Bool { status == .deleted && !isPending }

    var hasChanges: Bool {
        switch status {
        case .detached: false
        case .inserted: true
        case .saved: !changed.isEmpty
        case .deleted: isPending
        }
    }
}

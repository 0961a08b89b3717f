/// The state that a model context keeps for one model: its identity, its row and its unsaved changes.
///
/// This class is independent of the model class; ``BackingData`` adds it as a type. You do not use it directly. An
/// instance is confined to the context of its model, like the model itself.
public class AnyBackingData {
    // There is one instance for every live model, so its size matters, as does the cost of exclusivity checks. They are
    // disabled below because the object is confined with its model, and no property access here runs external code.
    enum Status: UInt8 { case detached, inserted, saved, deleted }

    /// The current generation. Every value that a wrapper holds belongs to a generation; incrementing this number makes
    /// all wrappers read the row again.
    @exclusivity(unchecked) @usableFromInline final var generation: UInt32
    /// The number of the context's last fetch that returned this model, used to detect rows that a fetch returns twice.
    @exclusivity(unchecked) final var fetchNumber: UInt32 = 0
    /// The number of attributes without a default value that were set while the model was not in a context. A save
    /// searches for missing values only if this number is too small.
    @exclusivity(unchecked) @usableFromInline final var assignedCount: Int32
    /// Whether ``row`` contains the stored values.
    @exclusivity(unchecked) @usableFromInline final var hasRow: Bool
    @exclusivity(unchecked) final var status: Status
    /// Whether the model is in the context's list of pending changes.
    @exclusivity(unchecked) final var isPending: Bool
    /// The context and entity of the model; `nil` for a model that is not in a context.
    @exclusivity(unchecked) @usableFromInline final var membership: ContextEntity?
    /// The stored values by slot, as last read or written.
    @exclusivity(unchecked) @usableFromInline final var row: [PropertyValue]
    /// The slots that were set since ``row`` was read or written.
    @exclusivity(unchecked) final var changed: PropertySet
    /// State that only few models have.
    @exclusivity(unchecked) @usableFromInline final var extras: Extras?
    /// The model that owns this object; `nil` until the model joins a context.
    @exclusivity(unchecked) final unowned var model: (any PersistentModel)?
    /// The origin of the identifier; `nil` until the identifier is first used. Most models need one only after they are
    /// saved.
    @exclusivity(unchecked) final private(set) var origin: PersistentIdentifier.Origin?
    @exclusivity(unchecked) final private(set) var number: Int64

    @usableFromInline
    final class Extras {
        var pending: [Int: PropertyValue] = [:]
        var lists: [Int: ToManyList] = [:]
        var decoded: [Int: Any] = [:]
        var probedOffset: Int?
    }

    /// Creates backing data for a new model that is not in a context.
    @usableFromInline
    required init() {
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

    /// Creates backing data for a row of a store.
    required init(_ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity) {
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

    /// Creates backing data that returns a sample value for every read. The schema uses it to find the wrapper of a key
    /// path.
    static func probe() -> Self {
        let probe = Self()
        probe.hasRow = true
        return probe
    }

    /// Whether this object is a ``probe()`` or adopted one. Its model was not created by the program.
    final var isProbe: Bool { hasRow && membership == nil }

    /// Takes over the state of another instance and leaves that instance empty.
    ///
    /// Call this method in ``PersistentModel/init(backingData:)`` if the class creates its backing data with a default
    /// value, so that its other initializers need not mention it:
    ///
    /// ```swift
    /// let persistentBackingData: any BackingData<Trip> = Trip.createBackingData()
    /// init(backingData: any BackingData<Trip>) { persistentBackingData.adopt(backingData) }
    /// ```
    ///
    /// - Parameter other: The backing data of the row that the context fetched.
    public final func adopt(_ other: AnyBackingData) {
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

    /// Creates backing data for a row that is not loaded yet; see ``ModelContext/model(for:)``.
    required init(unloaded identifier: PersistentIdentifier, _ entity: ContextEntity) {
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

    /// Whether the model's row is not loaded or no longer exists.
    final var isUnloaded: Bool { !hasRow && (status == .saved || status == .deleted) }

    /// Assigns a row to backing data that was created without one.
    final func fill(_ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity) {
        generation = 1
        hasRow = true
        status = .saved
        membership = entity
        self.row = row
        origin = identifier.origin
        number = identifier.number
    }

    private final func empty() {
        hasRow = false
        membership = nil
        extras = nil
        origin = nil
        number = 0
    }

    deinit {
        guard status != .detached else { return }
        membership?.registry.remove(self)
        // A context retains models with changes; this happens only if the context was released before the model.
        if isPending, hasChanges { membership?.owner.discardChanges(of: self) }
    }
}

extension AnyBackingData {
    /// Changed values that no wrapper holds: relationships, and attributes that were set before the row was read again.
    var pending: [Int: PropertyValue] {
        get { extras?.pending ?? [:] }
        // Modifies the dictionary in place, so that setting one value does not copy the others.
        _modify { yield &makeExtras().pending }
    }

    /// Returns the list of a to-many relationship, if it was read.
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

    /// Values that were decoded to validate them, kept until a wrapper takes them.
    var decoded: [Int: Any] {
        get { extras?.decoded ?? [:] }
        set { if extras != nil || !newValue.isEmpty { makeExtras().decoded = newValue } }
    }

    /// The offset of the wrapper that was last read, if this is a probe and the wrapper's type is direct.
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

extension AnyBackingData {
    /// The identifier of a model that is in a context.
    var identifier: PersistentIdentifier {
        get { identifier(entityName: "") }
        set { (origin, number) = (newValue.origin, newValue.number) }
    }

    /// The identifier; `nil` if it was not used yet.
    var knownIdentifier: PersistentIdentifier? { origin?.identifier(number) }

    /// Returns the identifier, creating a temporary one and registering it with the context on first use.
    ///
    /// - Parameter entityName: The name of the entity, for a model that is not in a context.
    func identifier(entityName: @autoclosure () -> String) -> PersistentIdentifier {
        if let origin { return origin.identifier(number) }
        let made = PersistentIdentifier.temporary(
            membership?.temporaryOrigin ?? PersistentIdentifier.temporaryOrigin(entityName: entityName()))
        identifier = made
        membership?.registry.add(self, made)
        return made
    }

    /// Returns the identifier for a save. A temporary identifier that the program has not used is not registered.
    func identifier(in entity: ContextEntity) -> PersistentIdentifier {
        origin?.identifier(number) ?? .temporary(entity.temporaryOrigin)
    }

    /// Whether the model was deleted and the delete was saved.
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

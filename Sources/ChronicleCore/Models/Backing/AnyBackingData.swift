/// The state that a model context keeps for one model: its identity, its row and its unsaved changes.
///
/// You do not use this class directly. ``BackingData`` adds the model class as an associated type. An instance is confined to the
/// context of its model, like the model itself.
public class AnyBackingData {
    // There is one instance for every live model, so its size and the cost of exclusivity checks matter. The checks are
    // disabled below because the object is confined with its model, and no property access here runs external code.
    /// Whether the model is in the context's list of models with pending changes, and whether the context must learn of its next
    /// change: after a failed autosave, or if a ``ResultsObserver`` has seen its changes.
    enum PendingState: UInt8 { case none, pending, reportsNextChange }
    /// Which wrappers of direct types may hold a value of the current ``generation``. A getter does not read the others, which are
    /// in other memory than the row.
    @frozen @usableFromInline
    enum WrapperValues: UInt8 {
        case none
        /// Those of strings and data, because a getter kept a value.
        case kept
        /// All, because a setter was called.
        case any
    }

    /// The current generation. A wrapper stores the generation of the value that it holds; incrementing this number
    /// makes all wrappers read the row again.
    @exclusivity(unchecked) @usableFromInline final var generation: UInt32
    /// The ``ContextStorage/fetchNumber`` when a fetch last returned this model, to detect rows that a fetch returns twice.
    @exclusivity(unchecked) final var fetchNumber: UInt32 = 0
    /// The number of attributes without a default value that were set before the insert. A save searches for missing values only if
    /// it is less than that of the required attributes.
    @exclusivity(unchecked) @usableFromInline final var assignedCount: Int32
    @exclusivity(unchecked) @usableFromInline final var hasRow: Bool
    @exclusivity(unchecked) final private(set) var state: ModelState
    @exclusivity(unchecked) final private(set) var pendingState: PendingState
    @exclusivity(unchecked) @usableFromInline final var wrapperValues = WrapperValues.none
    /// `nil` for a model that is not in a context.
    @exclusivity(unchecked) @usableFromInline final private(set) var membership: ContextEntity?
    /// The stored values by slot, as last read or written.
    @exclusivity(unchecked) @usableFromInline final var row: DataStoreRow
    @exclusivity(unchecked) @usableFromInline final var extras: Extras?
    /// The slots that were set since ``row`` was read or written.
    @exclusivity(unchecked) final var changed: PropertySet
    /// `nil` until the model joins a context.
    @exclusivity(unchecked) final unowned var model: (any PersistentModel)?
    /// The origin of the identifier, unless it is the ``ContextEntity/rowOrigin``, which need not be retained.
    @exclusivity(unchecked) final private var ownOrigin: PersistentIdentifier.Origin?
    @exclusivity(unchecked) final private(set) var number: Int64
    @exclusivity(unchecked) final private var hasRowOrigin: Bool
    /// The position of the model in the order in which the models of its context were first changed; 0 if it is not pending. An
    /// entry of the list of pending models with another number is void.
    @exclusivity(unchecked) final private(set) var pendingNumber: UInt32 = 0

    @usableFromInline
    final class Extras {
        var pending: [Int: PropertyValue] = [:]
        var lists: [Int: ToManyList] = [:]
        /// The destinations of a model that is not in a context.
        var held: AnyHeldDestinations?
        var decoded: [Int: Any] = [:]
        var probedOffset: Int?
        /// The to-many relationships that were set before the model had a row, by the index of the property.
        var assignedLists: Set<Int> = []
        /// Why the model is deleted, until the delete is saved or undone.
        var deletion: Deletion?
        /// Whether this object retains other models.
        var hasDestinations: Bool { held != nil || !lists.isEmpty }
        /// The observers of the model; see ``AnyBackingData/isAccessTracked()``.
        @exclusivity(unchecked) @usableFromInline final var observation: ModelObservation?
        /// The observed references to this model along relationships without an inverse.
        var observedReferences: [ObservedReference.Key: ObservedReference] = [:]
    }

    @usableFromInline
    required init() {
        generation = 1
        assignedCount = 0
        hasRow = false
        state = .detached
        pendingState = .none
        membership = nil
        row = DataStoreRow([])
        changed = PropertySet()
        extras = nil
        ownOrigin = nil
        hasRowOrigin = false
        number = 0
    }

    /// The ``identifier`` must be set.
    required init(_ row: consuming DataStoreRow, _ entity: ContextEntity) {
        generation = 1
        assignedCount = 0
        hasRow = true
        state = .saved
        pendingState = .none
        membership = entity
        self.row = row
        changed = PropertySet()
        extras = nil
        ownOrigin = nil
        hasRowOrigin = false
        number = 0
    }

    /// Creates backing data that returns a sample value for every read. The schema uses it to find the wrapper of a key path.
    static func probe() -> Self {
        let probe = Self()
        probe.hasRow = true
        return probe
    }

    final var isPending: Bool { pendingState != .none }

    /// - Parameter number: The next number of the context, which is used if the model was not pending before.
    final func becomePending(_ number: @autoclosure () -> UInt32) {
        if !isPending { pendingNumber = number() }
        pendingState = .pending
    }

    final func endPending() {
        pendingState = .none
        pendingNumber = 0
    }

    /// Lets the next change call ``ModelOwner/list(_:)``, although the model is in the list already.
    final func reportNextChange() {
        if isPending { pendingState = .reportsNextChange }
    }

    /// Whether this object is a ``probe()`` or adopted the state of one. The program did not create its model.
    final var isProbe: Bool { hasRow && membership == nil }

    /// Moves the state of another instance to this one and leaves the other instance empty.
    ///
    /// Call this method in ``PersistentModel/init(backingData:)`` if ``PersistentModel/persistentBackingData`` has a default value,
    /// so that other initializers do not need to create the backing data:
    ///
    /// ```swift
    /// let persistentBackingData: any BackingData<Trip> = Trip.createBackingData()
    /// init(backingData: any BackingData<Trip>) { persistentBackingData.adopt(backingData) }
    /// ```
    ///
    /// - Parameter other: The backing data that the initializer received.
    public final func adopt(_ other: AnyBackingData) {
        guard other !== self else { return }
        // Values that the initializer has set belong to an earlier generation than the row.
        generation = wrapperValues == .none ? other.generation : max(generation, other.generation) + 1
        wrapperValues = other.wrapperValues
        hasRow = other.hasRow
        state = other.state
        membership = other.membership
        swap(&row, &other.row)
        extras = other.extras
        (ownOrigin, hasRowOrigin) = (other.ownOrigin, other.hasRowOrigin)
        number = other.number
        other.state = .detached
        other.empty()
    }

    /// See ``ModelContext/model(for:)``. A model that the context does not have under its temporary identifier has no row, and will
    /// never have one under this identifier.
    required init(unloaded identifier: PersistentIdentifier, _ entity: ContextEntity) {
        generation = 1
        assignedCount = 0
        hasRow = false
        state = identifier.isTemporary ? .gone : .saved
        pendingState = .none
        membership = entity
        row = DataStoreRow([])
        changed = PropertySet()
        extras = nil
        ownOrigin = nil
        hasRowOrigin = false
        number = 0
        self.identifier = identifier
    }

    final func becomeRestored() { state = .restored }

    final var isUnloaded: Bool { !hasRow && state.mayHaveRow }

    final func fill(_ identifier: PersistentIdentifier, _ row: consuming DataStoreRow, _ entity: ContextEntity) {
        generation = 1
        hasRow = true
        state = .saved
        membership = entity
        self.row = row
        set(identifier.origin, identifier.number)
    }

    private final func empty() {
        hasRow = false
        wrapperValues = .none
        membership = nil
        extras = nil
        (ownOrigin, hasRowOrigin) = (nil, false)
        number = 0
    }

    deinit {
        if state != .detached {
            membership?.registry.remove(self)
            // A context retains models with changes, so this is reached only if the context was released before the
            // model.
            if isPending, hasChanges { membership?.owner.discardChanges(of: self) }
        }
        if extras?.hasDestinations == true { ModelRelease.release(&extras) }
    }
}

extension AnyBackingData {
    /// Changed values that no wrapper holds, by slot: relationships, and attributes that were set before the row was
    /// read again.
    var pending: [Int: PropertyValue] {
        get { extras?.pending ?? [:] }
        // Modifies the dictionary in place, so that setting one value does not copy the others.
        _modify { yield &makeExtras().pending }
    }

    /// Returns `nil` if the relationship was not read.
    func list(_ property: Schema.Property) -> ToManyList? { extras?.lists[property.index] }

    func setList(_ property: Schema.Property, _ models: [AnyObject]) -> ToManyList {
        let list = ToManyList(models)
        makeExtras().lists[property.index] = list
        return list
    }

    func removeList(_ property: Schema.Property) { removeList(at: property.index) }

    func removeList(at index: Int) {
        guard keepsDiscardableLists else { return }
        if isObserved { keepDiscardedLists { $0 == index } }
        extras?.lists[index] = nil
    }

    func removeLists() {
        guard keepsDiscardableLists else { return }
        if isObserved { keepDiscardedLists { _ in true } }
        extras?.lists = [:]
    }

    /// Whether there are lists that can be read again. Only the program changes the lists of a model without a row, and no
    /// store has them.
    private var keepsDiscardableLists: Bool {
        extras?.lists.isEmpty == false && state != .new && state != .discarded
    }

    var hasLists: Bool { extras?.lists.isEmpty == false }

    /// Records that the program set a list of a model without a row, as opposed to a destination that referenced it.
    func markListAssigned(_ property: Schema.Property) { makeExtras().assignedLists.insert(property.index) }

    func isListAssigned(_ property: Schema.Property) -> Bool {
        extras?.assignedLists.contains(property.index) ?? false
    }

    var deletion: Deletion? {
        get { extras?.deletion }
        set { if extras != nil || newValue != nil { makeExtras().deletion = newValue } }
    }

    var decoded: [Int: Any] {
        get { extras?.decoded ?? [:] }
        set { if extras != nil || !newValue.isEmpty { makeExtras().decoded = newValue } }
    }

    /// The offset of the wrapper that was last read, if this is a probe and the attribute's type is direct.
    var probedOffset: Int? {
        get { extras?.probedOffset }
        set { makeExtras().probedOffset = newValue }
    }

    func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    func removeExtras() {
        guard let extras, extras.observation != nil || !extras.observedReferences.isEmpty else {
            extras = nil
            return
        }
        self.extras = nil
        let kept = makeExtras()
        kept.observation = extras.observation
        kept.observedReferences = extras.observedReferences
    }
}

extension AnyBackingData {
    /// Reading it creates a temporary identifier if there is none.
    var identifier: PersistentIdentifier {
        get { identifier(entityName: "") }
        set { setIdentifier(newValue) }
    }

    /// Avoids the reference counting of a setter.
    @inline(__always)
    func setIdentifier(_ identifier: PersistentIdentifier) { set(identifier.origin, identifier.number) }

    /// `nil` until the identifier is first used, which for most models is after they are saved.
    var origin: PersistentIdentifier.Origin? { hasRowOrigin ? membership?.rowOrigin : ownOrigin }

    @inline(__always)
    private func set(_ origin: PersistentIdentifier.Origin?, _ number: Int64) {
        self.number = number
        hasRowOrigin = isRowOrigin(origin)
        if !hasRowOrigin {
            ownOrigin = origin
        } else if ownOrigin != nil {
            ownOrigin = nil
        }
    }

    @inline(__always)
    private func isRowOrigin(_ origin: PersistentIdentifier.Origin?) -> Bool {
        guard let origin, let membership = membership.map(Unmanaged.passUnretained) else { return false }
        return membership._withUnsafeGuaranteedRef { $0.isRowOrigin(origin) }
    }

    func join(_ entity: ContextEntity?) {
        let origin = origin
        membership = entity
        set(origin, number)
    }

    var knownIdentifier: PersistentIdentifier? { origin?.identifier(number) }

    /// Creates a temporary identifier on first use and registers it with the context.
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

    /// Does not register a temporary identifier that it creates, because the program has not used it.
    func identifier(in entity: ContextEntity) -> PersistentIdentifier {
        origin?.identifier(number) ?? .temporary(entity.temporaryOrigin)
    }

    var hasChanges: Bool {
        switch state {
        case .saved: !changed.isEmpty
        case .new, .restored, .missing, .deleted: true
        case .detached, .discarded, .gone, .replaced: false
        }
    }

    var isEdited: Bool { (state == .saved || state == .missing) && hasChanges }

    /// Whether the context has values of the model that its row may not have.
    var mayDifferFromRow: Bool { isEdited || state == .restored }

    /// Changes the state. Most callers use ``ModelContext/report(_:_:)``, which also updates what depends on it.
    ///
    /// - Parameter isLinked: Whether the context has unsaved links to the model, which are edits even without an inverse property.
    /// - Returns: Whether the state is another one.
    @discardableResult
    @inline(__always)
    func change(_ event: ModelState.Event, isLinked: Bool = false) -> Bool {
        guard let next = state.after(event, hasEdits: isLinked || !changed.isEmpty), next != state else { return false }
        state = next
        return true
    }
}

struct Deletion {
    /// A model whose delete rule deleted this one.
    struct Cause: Equatable {
        /// The ``Deletion/number`` of that model.
        let number: Int
        /// The index of the relationship of the deleted model that references the other one; `nil` if there is none.
        let index: Int?
    }

    let number: Int
    /// Whether the program deleted the model itself.
    var isByProgram: Bool
    /// The models whose delete rules deleted this one.
    var causes: [Cause]
}

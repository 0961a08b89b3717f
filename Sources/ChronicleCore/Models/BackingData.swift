/// What a context knows of one model: its identity, the row it was read from, and what changed since.
///
/// A model class keeps one in its `persistentBackingData`; nothing else needs to touch it. The wrappers work through
/// it: ``Attribute`` decodes from its row and reports changes to it, ``Relationship`` resolves identifiers through it.
public final class BackingData {
    enum Status { case detached, inserted, saved, deleted }

    /// Every value that a wrapper holds belongs to a generation; a new one makes all wrappers read the row again.
    @usableFromInline var generation: UInt32 = 1
    /// The context's fetch that last found this model, as far as it had to look for rows that come twice.
    var fetchNumber: UInt32 = 0
    /// How many attributes without a default were given a value while the model was in no context. What is missing
    /// is looked for only when the sum is short.
    @usableFromInline var assignedCount = 0
    /// The context and entity that the model belongs to.
    @usableFromInline var membership: ContextEntity?
    /// Whether ``row`` holds what the store has.
    @usableFromInline var hasRow = false

    var status = Status.detached
    /// Whether the model stands in one of the context's lists of models to save.
    var isListed = false
    /// The stored values by slot, as last read or written.
    var row: [PropertyValue] = []
    /// The slots that were set since.
    var changed = PropertySet()
    /// Changed values that no wrapper holds: relationships, and attributes that were set before the row was read again.
    var pending: [Int: PropertyValue] = [:]
    /// The destinations of to-many relationships that were read, by index of the property.
    var destinations: [Int: [any PersistentModel]] = [:]
    /// Values that had to be decoded to know that they can be, until a wrapper takes them.
    var decoded: [Int: Any] = [:]
    /// The model that owns this object; `nil` until it joins a context.
    unowned var model: (any PersistentModel)?
    private var knownIdentifier: PersistentIdentifier?

    /// Backing data for a new model, which is in no context yet.
    public init() {}

    /// Backing data that answers every read with some value of the type, to see which wrapper a key path leads to.
    static func probe() -> BackingData {
        let probe = BackingData()
        probe.hasRow = true
        return probe
    }

    deinit {
        if let knownIdentifier, status != .detached { membership?.forget(knownIdentifier) }
    }
}

extension BackingData {
    /// The identifier of a model in a context.
    var identifier: PersistentIdentifier {
        get { identifier(entityName: membership?.entity.name ?? "") }
        set { knownIdentifier = newValue }
    }

    /// The identifier, made on first use: most models are asked for it after they were saved.
    func identifier(entityName: String) -> PersistentIdentifier {
        if let knownIdentifier { return knownIdentifier }
        let identifier = PersistentIdentifier.temporary(PersistentIdentifier.temporaryOrigin(entityName: entityName))
        knownIdentifier = identifier
        return identifier
    }

    var hasChanges: Bool {
        switch status {
        case .detached: false
        case .inserted: true
        case .saved: !changed.isEmpty
        case .deleted: isListed
        }
    }

    /// The value of an attribute as the row has it, or `nil` when the property is not stored.
    @usableFromInline
    func load<Value>(_ keyPath: AnyKeyPath, as: Value.Type) -> Value? {
        guard let membership else { return PropertyCodecs.codec(Value.self)?.sample() as? Value }
        guard let property = membership.property(at: keyPath) else { return nil }
        let slot = property.slot
        if !decoded.isEmpty, let value = decoded.removeValue(forKey: slot) { return value as? Value }
        let codec = unsafeDowncast(property.codec.unsafelyUnwrapped, to: PropertyCodec<Value>.self)
        // Every row was checked when it was fetched, so that a wrong value was an error there and not here.
        return codec.decode(pending.isEmpty ? row[slot] : pending[slot] ?? row[slot])
    }

    /// Called before an attribute of a model in a context is set.
    @usableFromInline
    func willChange(_ keyPath: AnyKeyPath) {
        guard let membership, let property = membership.property(at: keyPath) else { return }
        if !pending.isEmpty { pending[property.slot] = nil }
        if !decoded.isEmpty { decoded[property.slot] = nil }
        markChanged(property.slot)
    }

    func markChanged(_ slot: Int) {
        guard status == .saved || status == .inserted else { return }
        changed.insert(slot)
        if !isListed { membership?.context?.list(self) }
    }

    /// What the model has for a stored property now, in the form that a store understands.
    func currentValue(of property: Schema.Property) throws -> PropertyValue {
        if !pending.isEmpty, let value = pending[property.slot] { return value }
        if hasRow, !changed.contains(property.slot) { return row[property.slot] }
        guard property.isAttribute, let model else { return .null }
        return try property.access.encode(model, property)
    }

    /// The destination of a to-one relationship.
    func reference(_ property: Schema.Property) -> PersistentIdentifier? {
        let value = pending[property.slot] ?? (hasRow ? row[property.slot] : .null)
        if case .reference(let identifier) = value { return identifier }
        return nil
    }

    /// Takes a row over and makes every wrapper read it anew.
    func adopt(row: [PropertyValue], decoded: [Int: Any]) {
        self.row = row
        self.decoded = decoded
        hasRow = true
        generation &+= 1
    }

    /// What was written is what the row has from now on. Wrappers keep what they hold: it is the same.
    func keepWritten(_ row: [PropertyValue]) {
        self.row = row
        changed = PropertySet()
        pending = [:]
    }

    /// Forgets what was set since the row was read.
    func revert() {
        changed = PropertySet()
        pending = [:]
        decoded = [:]
        destinations = [:]
        generation &+= 1
    }
}

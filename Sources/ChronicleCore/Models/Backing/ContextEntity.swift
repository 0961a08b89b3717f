/// The state that all models of one class in one context share. It retains the owner of the models.
@usableFromInline
final class ContextEntity {
    let entity: Schema.Entity
    let type: ObjectIdentifier
    /// Numbers are in the order of first use in the context.
    let number: Int
    let temporaryOrigin: PersistentIdentifier.Origin
    /// The origin of the first row, which the rows of a store usually have in common. The models do not retain it.
    @exclusivity(unchecked) private(set) var rowOrigin: PersistentIdentifier.Origin?
    /// The address can be compared without reference counting.
    @exclusivity(unchecked) private var rowOriginAddress: ObjectIdentifier?
    @usableFromInline let slots: SlotTable
    let owner: any ModelOwner
    /// The slots of to-one relationships whose inverse is a list, with the index of the list's property.
    let lists: [(slot: Int, index: Int)]
    /// The slots of to-one relationships without an inverse, so that nothing else connects a model with those that reference it.
    let slotsWithoutInverse: PropertySet
    /// The properties at both ends of this entity's links. After a fetch of this entity, their lists are read again.
    let linkProperties: [Schema.Property]
    let registry: ModelRegistry
    let backingDataType: BackingDataType
    /// Backing data that is empty because a model adopted its state; see ``AnyBackingData/adopt(_:)``. It is reused to avoid an
    /// allocation.
    @exclusivity(unchecked) private var reusable: AnyBackingData?

    @exclusivity(unchecked) @usableFromInline var randomNumber: UInt32 = 0

    /// The instance that detects whether reads of properties are tracked, until a model takes it over. Not retained by each read,
    /// because that would take longer than the rest of it.
    @exclusivity(unchecked) private var unusedObservation = Unmanaged.passRetained(ModelObservation())

    /// Properties by the *address* of a key path. Compiled code creates each key path once and never releases it, so a cache hit
    /// costs a pointer comparison instead of hashing the whole path.
    private var cache: [(keyPath: AnyKeyPath?, property: Schema.Property?)]
    private static let cacheSize = 128

    init(
        _ entity: Schema.Entity, number: Int, schema: Schema, registry: ModelRegistry, owner: any ModelOwner
    ) {
        self.entity = entity
        type = ObjectIdentifier(entity.type)
        self.number = number
        temporaryOrigin = PersistentIdentifier.temporaryOrigin(entityName: entity.name)
        slots = entity.slots
        self.owner = owner
        lists = entity.storedProperties.compactMap { property in
            guard let relationship = property.relationship,
                let list = schema.inverse(of: relationship), list.relationship?.isToMany == true
            else { return nil }
            return (property.slot, list.index)
        }
        var slotsWithoutInverse = PropertySet()
        for property in entity.storedProperties {
            guard let relationship = property.relationship, schema.inverse(of: relationship) == nil else { continue }
            slotsWithoutInverse.insert(property.slot)
        }
        self.slotsWithoutInverse = slotsWithoutInverse
        linkProperties = entity.relationshipProperties.flatMap { schema.links(of: $0)?.properties ?? [] }
        self.registry = registry
        backingDataType = entity.type.backingDataType
        cache = Array(repeating: (nil, nil), count: Self.cacheSize)
    }

    deinit {
        unusedObservation.release()
        owner.remove(self)
    }

    @inline(__always)
    func backingData(_ identifier: PersistentIdentifier, _ row: consuming DataStoreRow) -> AnyBackingData {
        if reusable != nil { return reusedBackingData(identifier, row) }
        let backing = backingDataType.type.init(row, self)
        backing.setIdentifier(identifier)
        return backing
    }

    private func reusedBackingData(_ identifier: PersistentIdentifier, _ row: consuming DataStoreRow)
        -> AnyBackingData
    {
        // An object that is still referenced elsewhere cannot be reused.
        guard isKnownUniquelyReferenced(&reusable), let known = reusable else {
            reusable = nil
            return backingData(identifier, row)
        }
        reusable = nil
        known.fill(identifier, row, self)
        return known
    }

    /// The origin becomes the ``rowOrigin`` if it is the first one of a row.
    @inline(__always)
    func isRowOrigin(_ origin: PersistentIdentifier.Origin) -> Bool {
        ObjectIdentifier(origin) == rowOriginAddress || rowOriginAddress == nil && adopt(origin)
    }

    private func adopt(_ origin: PersistentIdentifier.Origin) -> Bool {
        // A key that is not an integer belongs to a single row.
        guard origin.storeIdentifier != nil, origin.key == nil else { return false }
        rowOrigin = origin
        rowOriginAddress = ObjectIdentifier(origin)
        return true
    }

    func keepForReuse(_ backing: AnyBackingData) { reusable = backing }

    /// If a read is being tracked, the model must keep ``takeObservation()``.
    @inline(__always)
    func isAccessTracked() -> Bool { unusedObservation._withUnsafeGuaranteedRef { $0.isAccessTracked() } }

    func takeObservation() -> ModelObservation {
        defer { unusedObservation = .passRetained(ModelObservation()) }
        return unusedObservation.takeRetainedValue()
    }

    /// Returns whether a read of a string or data keeps the value in the wrapper: one of 16, at random.
    ///
    /// A property that is read often is soon kept, and a program that reads each property once does not spend time and memory on
    /// it. Counting the reads would take as much.
    @inlinable @inline(__always)
    func keepsValue() -> Bool {
        // https://en.wikipedia.org/wiki/Linear_congruential_generator
        randomNumber = randomNumber &* 1_664_525 &+ 1_013_904_223
        return randomNumber >> 28 == 0
    }

    func property(at keyPath: AnyKeyPath) -> Schema.Property? {
        // Objects are aligned to 16 bytes, so the lowest four bits of an address are always zero.
        let address = ObjectIdentifier(keyPath).address
        let index = Int(truncatingIfNeeded: (address >> 4) ^ (address >> 11)) & (Self.cacheSize - 1)
        if cache[index].keyPath === keyPath { return cache[index].property }
        guard let property = entity.property(at: keyPath) else { return nil }
        cache[index] = (keyPath, property)
        return property
    }
}

extension ObjectIdentifier {
    /// The address of the object. `hashValue` would hash it, which is the cost that the cache avoids.
    fileprivate var address: UInt { UInt(bitPattern: self) }
}

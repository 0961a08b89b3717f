/// An entity as one context sees it: what all models of one class in one context share.
///
/// Models reference it, and by it the ``ContextStorage``.
@usableFromInline
final class ContextEntity {
    let entity: Schema.Entity
    /// The class.
    let type: ObjectIdentifier
    /// The place among the entities of the context.
    let number: Int
    /// What the identifiers of new models have in common.
    let temporaryOrigin: PersistentIdentifier.Origin
    @usableFromInline let slots: SlotTable
    let storage: ContextStorage
    /// The slots of to-one relationships whose other side is a list, and the index of that list's property.
    let lists: [(slot: Int, index: Int)]
    /// The properties, of this entity and others, whose lists are read anew after models of this one were fetched.
    let linkProperties: [Schema.Property]
    let registry: ModelRegistry
    /// What a model left of the backing data that it was made with, see ``BackingData/adopt(_:)``. The next one is filled
    /// into it instead of being made.
    @exclusivity(unchecked) private var emptied: BackingData?

    /// Properties by the *address* of a key path. A key path in compiled code is made once for each place that writes it
    /// and lives for ever, so that finding the property again costs a comparison instead of a hash of the whole path.
    private var cache: [(keyPath: AnyKeyPath?, property: Schema.Property?)]
    private static let cacheSize = 128

    init(_ entity: Schema.Entity, number: Int, _ storage: ContextStorage) {
        self.entity = entity
        type = ObjectIdentifier(entity.type)
        self.number = number
        temporaryOrigin = PersistentIdentifier.temporaryOrigin(entityName: entity.name)
        slots = entity.slots
        self.storage = storage
        let schema = storage.coordinator.schema
        lists = entity.storedProperties.compactMap { property in
            guard let relationship = property.relationship,
                let list = schema.inverse(of: relationship), list.relationship?.isToMany == true
            else { return nil }
            return (property.slot, list.index)
        }
        linkProperties = entity.relationshipProperties.flatMap { schema.links(of: $0)?.properties ?? [] }
        registry = storage.registry
        cache = Array(repeating: (nil, nil), count: Self.cacheSize)
    }

    deinit { storage.remove(self) }

    /// Backing data for a row that gets a model.
    @inline(__always)
    func backingData(_ identifier: PersistentIdentifier, _ row: consuming [PropertyValue]) -> BackingData {
        emptied == nil ? BackingData(identifier, row, self) : refilled(identifier, row)
    }

    private func refilled(_ identifier: PersistentIdentifier, _ row: consuming [PropertyValue]) -> BackingData {
        // Unless somebody else holds it, too.
        guard isKnownUniquelyReferenced(&emptied), let known = emptied else {
            return BackingData(identifier, row, self)
        }
        emptied = nil
        known.fill(identifier, row, self)
        return known
    }

    func keepForReuse(_ backing: BackingData) { emptied = backing }

    func property(at keyPath: AnyKeyPath) -> Schema.Property? {
        // Objects are aligned to 16 bytes; the bits above tell them apart.
        let address = UInt(bitPattern: ObjectIdentifier(keyPath).hashValueOfAddress)
        let place = Int(truncatingIfNeeded: (address >> 4) ^ (address >> 11)) & (Self.cacheSize - 1)
        if cache[place].keyPath === keyPath { return cache[place].property }
        guard let property = entity.property(at: keyPath) else { return nil }
        cache[place] = (keyPath, property)
        return property
    }
}

extension ObjectIdentifier {
    /// The address itself: `hashValue` would mix it, at a cost that the cache is there to avoid.
    fileprivate var hashValueOfAddress: Int { Int(bitPattern: self) }
}

/// The values of one model at one moment, on the way between a context and a store.
///
/// A store may have a snapshot type of its own; ``DefaultSnapshot`` is there for those that need none.
public protocol DataStoreSnapshot: Codable, Sendable {
    /// The model; temporary in a save that inserts it.
    var persistentIdentifier: PersistentIdentifier { get }
    /// The values by ``Schema/Property/slot``, one for each of the entity's ``Schema/Entity/storedProperties``.
    var values: [PropertyValue] { get }
    /// The slots that a save changes. All of them for an insert, none for a fetched row or a delete.
    var changed: PropertySet { get }

    init(persistentIdentifier: PersistentIdentifier, values: [PropertyValue], changed: PropertySet)

    /// The same values under the identifier that the store gave, with references to other new models replaced.
    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    ) -> Self
}

extension DataStoreSnapshot {
    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    ) -> Self {
        Self(
            persistentIdentifier: persistentIdentifier, values: values.remapped(remappedIdentifiers), changed: changed)
    }
}

/// The snapshot that ``DefaultStore`` uses.
public struct DefaultSnapshot: DataStoreSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    public private(set) var values: [PropertyValue]
    public let changed: PropertySet

    public init(persistentIdentifier: PersistentIdentifier, values: [PropertyValue], changed: PropertySet) {
        self.persistentIdentifier = persistentIdentifier
        self.values = values
        self.changed = changed
    }
}

extension DefaultSnapshot {
    /// Passes the values on and keeps none, so that they need not be counted twice.
    mutating func takeValues() -> [PropertyValue] {
        var values: [PropertyValue] = []
        swap(&values, &self.values)
        return values
    }

    /// The same snapshots in this type, which most stores use anyway: what works with many of them is not generic, and
    /// spares the calls through tables.
    static func all<Snapshot: DataStoreSnapshot>(_ snapshots: [Snapshot]) -> [DefaultSnapshot] {
        if Snapshot.self == DefaultSnapshot.self { return unsafeBitCast(snapshots, to: [DefaultSnapshot].self) }
        return snapshots.map {
            DefaultSnapshot(persistentIdentifier: $0.persistentIdentifier, values: $0.values, changed: $0.changed)
        }
    }
}

extension [PropertyValue] {
    /// The values with temporary identifiers replaced by the permanent ones they became.
    func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> [PropertyValue] {
        var result = self
        for (slot, value) in enumerated() {
            if case .reference(let identifier) = value, identifier.isTemporary, let permanent = identifiers[identifier]
            {
                result[slot] = .reference(permanent)
            }
        }
        return result
    }
}

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
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

extension DataStoreSnapshot {
    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self {
        Self(
            persistentIdentifier: persistentIdentifier, values: values.remapped(remappedIdentifiers ?? [:]),
            changed: changed)
    }

    /// Returns the same values under another identifier, with the references as they are.
    ///
    /// - Parameter persistentIdentifier: The identifier of the copy.
    /// - Returns: The copy.
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The snapshot that ``DefaultStore`` uses.
public struct DefaultSnapshot: DataStoreSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    public let values: [PropertyValue]
    public let changed: PropertySet

    @inlinable
    public init(persistentIdentifier: PersistentIdentifier, values: [PropertyValue], changed: PropertySet) {
        self.persistentIdentifier = persistentIdentifier
        self.values = values
        self.changed = changed
    }
}

extension DataStoreSnapshot {
    /// The snapshots of a save in this type. A context works with ``DefaultSnapshot``, which most stores use anyway: that
    /// spares the calls through tables.
    static func all(_ snapshots: [DefaultSnapshot]) -> [Self] {
        if Self.self == DefaultSnapshot.self { return unsafeBitCast(snapshots, to: [Self].self) }
        return snapshots.map {
            Self(persistentIdentifier: $0.persistentIdentifier, values: $0.values, changed: $0.changed)
        }
    }
}

extension [PropertyValue] {
    /// The values with temporary identifiers replaced by the permanent ones they became.
    func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> [PropertyValue] {
        if identifiers.isEmpty { return self }
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

/// The values of one model that a context and a store exchange.
///
/// Use ``DefaultSnapshot`` unless your store needs its own snapshot type.
public protocol DataStoreSnapshot: Codable, Sendable {
    /// The identifier of the model, which is temporary in a save that inserts the model.
    var persistentIdentifier: PersistentIdentifier { get }
    /// The values by ``Schema/Property/slot``, one for each of the ``Schema/Entity/storedProperties`` of the entity.
    var values: [PropertyValue] { get }
    /// The slots that a save changes: all slots for an insert, none for a fetched row or a delete.
    var changed: PropertySet { get }

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier of the model.
    ///   - values: The values by ``Schema/Property/slot``.
    ///   - changed: The slots that a save changes.
    init(persistentIdentifier: PersistentIdentifier, values: [PropertyValue], changed: PropertySet)

    /// Returns a copy with a permanent identifier and with temporary references replaced by permanent ones.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier of the copy.
    ///   - remappedIdentifiers: The permanent identifiers of other models by temporary identifier, or `nil` to keep all
    ///     references.
    /// - Returns: The copy.
    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

extension DataStoreSnapshot {
    /// Creates a snapshot of the current values of a model, including its unsaved changes.
    ///
    /// Contexts create the snapshots of a save themselves. Use this initializer to compare a model with its row in a
    /// store, or to call a store directly in a test. In SwiftData, this initializer is a protocol requirement and does
    /// not throw.
    ///
    /// - Parameters:
    ///   - backingData: The backing data of a model in a context; see ``PersistentModel/persistentBackingData``.
    ///   - relatedBackingDatas: Not used; exists for compatibility with SwiftData.
    /// - Throws: ``SwiftDataError/missingModelContext`` if the model is not in a context; insert it first.
    ///   ``SwiftDataError/modelValidationFailure`` or ``SwiftDataError/valueOutOfRange`` if a property has no value or
    ///   a value that cannot be encoded; assign a valid value to the property that the error names.
    /// - Complexity: O(*n*), where *n* is the number of stored properties.
    public init(
        from backingData: any BackingData,
        relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) throws {
        guard let entity = backingData.membership?.entity else {
            throw SwiftDataError.missingModelContext.with(
                detail: "insert the model into a context before you create a snapshot of it")
        }
        let changed: PropertySet =
            switch backingData.state {
            case .new, .restored: entity.allSlots
            case .saved, .missing: backingData.changed
            case .detached, .deleted, .discarded, .gone, .replaced: PropertySet()
            }
        self.init(
            persistentIdentifier: backingData.identifier, values: try backingData.currentRow(entity), changed: changed)
    }

    /// Returns a copy with a permanent identifier and with temporary references replaced by permanent ones.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier of the copy.
    ///   - remappedIdentifiers: The permanent identifiers of other models by temporary identifier, or `nil` to keep all
    ///     references.
    /// - Returns: The copy.
    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self {
        Self(
            persistentIdentifier: persistentIdentifier, values: values.remapped(remappedIdentifiers ?? [:]),
            changed: changed)
    }

    /// Returns a copy with another identifier and the same values and references.
    ///
    /// - Parameter persistentIdentifier: The identifier of the copy.
    /// - Returns: The copy.
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The snapshot that ``DefaultStore`` uses.
public struct DefaultSnapshot: DataStoreSnapshot {
    /// The identifier of the model, which is temporary in a save that inserts the model.
    public let persistentIdentifier: PersistentIdentifier
    /// The values by ``Schema/Property/slot``.
    public var row: DataStoreRow
    /// The slots that a save changes: all slots for an insert, none for a fetched row or a delete.
    public let changed: PropertySet

    /// The values by ``Schema/Property/slot``, in an array.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values, for a row that a ``DataStoreRowBuilder`` created, and
    ///   O(1) otherwise.
    @inlinable
    public var values: [PropertyValue] {
        _read { yield row.values }
        _modify { yield &row.values }
    }

    private enum CodingKeys: String, CodingKey {
        case persistentIdentifier
        case row = "values"
        case changed
    }

    /// Creates a snapshot of a row.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier of the model.
    ///   - row: The values by ``Schema/Property/slot``.
    ///   - changed: The slots that a save changes.
    @inlinable
    public init(persistentIdentifier: PersistentIdentifier, row: DataStoreRow, changed: PropertySet) {
        self.persistentIdentifier = persistentIdentifier
        self.row = row
        self.changed = changed
    }

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The identifier of the model.
    ///   - values: The values by ``Schema/Property/slot``.
    ///   - changed: The slots that a save changes.
    @inlinable
    public init(persistentIdentifier: PersistentIdentifier, values: [PropertyValue], changed: PropertySet) {
        self.init(persistentIdentifier: persistentIdentifier, row: DataStoreRow(values), changed: changed)
    }
}

extension DataStoreSnapshot {
    /// Returns the snapshots of a save, converted to this type.
    ///
    /// Contexts create ``DefaultSnapshot`` values, because most stores use this type and a concrete type avoids calls
    /// through witness tables.
    static func all(_ snapshots: [DefaultSnapshot]) -> [Self] {
        if Self.self == DefaultSnapshot.self { return unsafeBitCast(snapshots, to: [Self].self) }
        return snapshots.map {
            Self(persistentIdentifier: $0.persistentIdentifier, values: $0.values, changed: $0.changed)
        }
    }
}

extension [PropertyValue] {
    /// Returns the values with temporary references replaced by permanent ones.
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

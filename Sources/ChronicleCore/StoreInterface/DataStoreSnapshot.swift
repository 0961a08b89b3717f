/// The values of one model that a context and a store exchange.
///
/// Use ``DefaultSnapshot`` unless your store needs a different type. A type that conforms to this protocol alone has the
/// requirements of SwiftData. A context then creates a snapshot from the ``BackingData`` of a model, and reads the values of a
/// fetched snapshot by encoding it:
///
/// ```swift
/// struct ReadingSnapshot: DataStoreSnapshot {
///     let persistentIdentifier: PersistentIdentifier
///     var celsius: Double
///     …
/// }
/// ```
///
/// Encode a keyed container whose keys are `persistentIdentifier` and the names of the properties, as the compiler does and as
/// ``DataStoreSnapshotCodingKey`` does: each attribute with a value of its type, a to-one relationship as a
/// ``PersistentIdentifier``, and a to-many relationship whose inverse is not a to-one relationship as an array of them. A missing
/// key is `nil`, or the default value of the attribute. Decoding must accept the same keys. A type that keeps the values in their
/// stored form, like ``DefaultSnapshot``, conforms to ``DataStoreRowSnapshot`` instead, which takes less time.
public protocol DataStoreSnapshot: Codable, Sendable {
    /// The identifier of the model, which is temporary in a save that inserts the model.
    var persistentIdentifier: PersistentIdentifier { get }

    /// Creates a snapshot of the current values of a model, including its unsaved changes.
    ///
    /// - Parameters:
    ///   - backingData: The backing data of a model in a context; see ``PersistentModel/persistentBackingData``. Its
    ///     ``BackingData/persistentModelID`` is the identifier of the snapshot.
    ///   - relatedBackingDatas: Not used; exists for compatibility with SwiftData.
    /// - Throws: An error that ends the save, which then changes nothing. A ``DataStoreRowSnapshot`` throws
    ///   ``SwiftDataError/missingModelContext`` for a model that is in no context, or the error of a value that cannot be encoded.
    init(
        from backingData: any BackingData,
        relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) throws

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

/// A snapshot that keeps the values of a model in their stored form.
///
/// Contexts exchange the values with a store without encoding them. ``DefaultSnapshot`` conforms to this protocol.
public protocol DataStoreRowSnapshot: DataStoreSnapshot {
    /// The values by ``Schema/Property/slot``, one for each of the ``Schema/Entity/storedProperties`` of the entity.
    ///
    /// In a store without ``DataStoreLinking``, the values of to-many relationships without a to-one inverse follow as
    /// ``PropertyValue/references(_:)``. Keep all values of a snapshot.
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
}

extension DataStoreRowSnapshot {
    /// Creates a snapshot of the current values of a model, including its unsaved changes.
    ///
    /// Use this initializer to compare a model with its row in a store, or to call a store directly in a test. In SwiftData, it
    /// does not throw.
    ///
    /// - Parameters:
    ///   - backingData: The backing data of a model in a context; see ``PersistentModel/persistentBackingData``.
    ///   - relatedBackingDatas: Not used; exists for compatibility with SwiftData.
    /// - Throws: ``SwiftDataError/missingModelContext`` if the model is not in a context; insert it first.
    ///   ``SwiftDataError/modelValidationFailure`` or ``SwiftDataError/valueOutOfRange`` if a property has no value or a value that
    ///   cannot be encoded; the error names the property.
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

    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self {
        Self(
            persistentIdentifier: persistentIdentifier, values: values.remapped(remappedIdentifiers ?? [:]),
            changed: changed)
    }
}

extension DataStoreSnapshot {
    /// Returns a copy with another identifier and the same values and references.
    ///
    /// - Parameter persistentIdentifier: The identifier of the copy.
    /// - Returns: The copy.
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The snapshot that ``DefaultStore`` uses.
public struct DefaultSnapshot: DataStoreRowSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    /// The values by ``Schema/Property/slot``.
    public var row: DataStoreRow
    public let changed: PropertySet

    /// The values by ``Schema/Property/slot``, in an array; see ``DataStoreRow/values`` for the complexity.
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

extension [PropertyValue] {
    /// Returns the values with temporary references replaced by permanent ones.
    func remapped(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> [PropertyValue] {
        if identifiers.isEmpty { return self }
        var result = self
        for (slot, value) in enumerated() {
            switch value {
            case .reference(let identifier):
                guard identifier.isTemporary, let permanent = identifiers[identifier] else { continue }
                result[slot] = .reference(permanent)
            case .references(let destinations) where destinations.contains(where: \.isTemporary):
                result[slot] = .references(destinations.map { identifiers[$0] ?? $0 })
            default: continue
            }
        }
        return result
    }
}

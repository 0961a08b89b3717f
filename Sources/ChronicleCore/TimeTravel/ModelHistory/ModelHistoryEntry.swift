/// A change in the history of one model, with its transaction.
///
/// The values before and after the change are those that the history preserves; see `ModelConfiguration.preservesValues`.
public struct ModelHistoryEntry<Transaction: HistoryTransaction>: Sendable {
    /// The transaction that contains the change. The default store returns it without ``HistoryTransaction/changes``.
    public let transaction: Transaction
    /// The change. The delete of a model contains the last values of the model.
    public let change: HistoryChange
    /// The paths of relationships that reached the model directly before or after the transaction, in the order in which they were
    /// given. It is empty for changes of the model whose history was read, unless a path returns to it; see
    /// ``ModelContext/history(of:including:_:after:order:)``.
    public internal(set) var paths: [String] = []

    /// Creates an entry, for a custom store.
    ///
    /// - Parameters:
    ///   - transaction: The transaction that contains the change.
    ///   - change: The change.
    public init(transaction: Transaction, change: HistoryChange) {
        self.transaction = transaction
        self.change = change
    }

    /// Whether the model was inserted, updated, or deleted.
    public var kind: HistoryFilter.ChangeKind { change.kind }

    /// The names of the properties that an update changed, which the class may no longer have; empty for an insert and a delete.
    public var updatedAttributeNames: [String] {
        if case .update(let update) = change { update.updatedAttributeNames } else { [] }
    }

    /// Returns whether the change affects a property: an update only if it changed the property.
    ///
    /// - Parameter name: The name of the property. The class may no longer have it.
    /// - Returns: `true` if the change affects the property.
    public func affects(attributeNamed name: String) -> Bool {
        if case .update(let update) = change { update.updatedAttributeNames.contains(name) } else { true }
    }
}

// Preserved values
extension ModelHistoryEntry {
    private var valuesBefore: [PreservedValue]? { kind == .insert ? nil : change.preservedValues }
    private var valuesAfter: [PreservedValue]? { kind == .delete ? nil : change.preservedValues }

    /// Returns the value of an attribute before the change.
    ///
    /// For an optional attribute, the result is a nested optional: `.some(nil)` means that the value was `nil`.
    ///
    /// - Parameter keyPath: The key path of the attribute, with the class of the model: `\Trip.name`.
    /// - Returns: The value, or `nil` for an insert, if an update did not change the attribute, if the history does not preserve
    ///   the value, or if it is an ``UndecodableValue``.
    public func previousValue<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        valuesBefore.value(of: keyPath, \.previousValue)
    }

    /// Returns the value of an attribute after the change, like ``previousValue(_:)-(KeyPath<Model,Value>)``.
    ///
    /// - Parameter keyPath: The key path of the attribute, with the class of the model: `\Trip.name`.
    /// - Returns: The value, or `nil` for a delete and as described there.
    public func value<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        valuesAfter.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a relationship before the change.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship had no destination, or `nil` like an attribute.
    public func previousValue<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        valuesBefore.value(of: keyPath, \.previousValue)
    }

    /// Returns the identifier of the destination of a relationship after the change.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship has no destination, or `nil` like an attribute.
    public func value<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        valuesAfter.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a required relationship before the change.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` like an attribute.
    public func previousValue<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination>
    ) -> PersistentIdentifier? {
        valuesBefore.value(of: keyPath, \.previousValue)
    }

    /// Returns the identifier of the destination of a required relationship after the change.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` like an attribute.
    public func value<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination>
    ) -> PersistentIdentifier? {
        valuesAfter.value(of: keyPath, \.value)
    }

    /// Returns the value of a property before the change. The class may no longer have the property.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The value, `.some(nil)` if it was `nil`, or `nil` like the method with a key path.
    public func previousValue(named name: String) -> (any Sendable)?? {
        valuesBefore.first(named: name).map(\.previousValue)
    }

    /// Returns the value of a property after the change. The class may no longer have the property.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The value, `.some(nil)` if it is `nil`, or `nil` like the method with a key path.
    public func value(named name: String) -> (any Sendable)?? {
        valuesAfter.first(named: name).map(\.value)
    }

    /// Returns the identifiers of the models that an insert or an update added to a relationship that is stored as links.
    ///
    /// - Parameter keyPath: The key path of a to-many relationship.
    /// - Returns: The identifiers, or `nil` if the change added and removed no links of the relationship or the history does not
    ///   preserve its destinations.
    public func addedDestinations<Model: PersistentModel>(_ keyPath: PartialKeyPath<Model>) -> [PersistentIdentifier]? {
        valuesAfter.destinations(of: keyPath, \.value)
    }

    /// Returns the identifiers of the models that an update removed from a relationship that is stored as links.
    ///
    /// - Parameter keyPath: The key path of a to-many relationship.
    /// - Returns: The identifiers, or `nil` if the change is not an update of the relationship or the history does not preserve its
    ///   destinations.
    public func removedDestinations<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>
    ) -> [PersistentIdentifier]? {
        valuesBefore.destinations(of: keyPath, \.previousValue)
    }
}

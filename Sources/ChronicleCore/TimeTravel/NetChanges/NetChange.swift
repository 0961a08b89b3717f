/// The net change of one model between two positions of the history.
public struct NetChange: Sendable, Identifiable {
    /// The kind of a net change.
    public enum Kind: Sendable {
        /// The model exists at the second position only.
        case insert
        /// The model exists at both positions.
        case update
        /// The model exists at the first position only.
        case delete
    }

    /// The identifier of the model.
    public let persistentIdentifier: PersistentIdentifier
    /// Whether the model was inserted, updated or deleted.
    public let kind: Kind
    /// The values of an inserted or deleted model, or the values of the properties that differ, by property.
    ///
    /// If the schema contains the entity, an insert and a delete have a value for each attribute and to-one relationship, also for
    /// those that the history does not preserve; see ``NetValue/isMissing``. The history does not contain all links of inserted
    /// models, so the values of these relationships are missing. The links of a deleted model are values of its relationships
    /// without an inverse; the others are changes of the models at their other ends.
    public let values: [NetValue]

    public var id: PersistentIdentifier { persistentIdentifier }
    /// Whether the history preserves all values of the change. If it does not, an update may have no net effect.
    public var isComplete: Bool { !values.contains { $0.isMissing } }

    /// Returns the values of a property.
    ///
    /// - Parameter name: The name of the property, which the class may no longer have.
    /// - Returns: The values, or `nil` if the property has the same value at both positions.
    public func value(named name: String) -> NetValue? { values.first { $0.name == name } }

    var inverse: NetChange {
        let opposite: Kind =
            switch kind {
            case .insert: .delete
            case .update: .update
            case .delete: .insert
            }
        return NetChange(
            persistentIdentifier: persistentIdentifier, kind: opposite, values: values.map(\.inverse))
    }
}

/// The values of one property at two positions of the history.
///
/// The value of a to-one relationship is the ``PersistentIdentifier`` of its destination. A to-many relationship that is stored as
/// links has ``addedDestinations`` and ``removedDestinations`` instead of values. A value that cannot be converted to the type of
/// its property is an ``UndecodableValue``.
public struct NetValue: Sendable {
    /// The name of the property.
    public let name: String
    /// The value at the first position, or `.some(nil)` for `nil`; `nil` if the model did not exist or the history does not
    /// preserve the value.
    public let previousValue: (any Sendable)??
    /// The value at the second position, like ``previousValue``.
    public let value: (any Sendable)??
    /// The destinations that a relationship has at the second position only, sorted; `nil` for other properties.
    public let addedDestinations: [PersistentIdentifier]?
    /// The destinations that a relationship has at the first position only, sorted; `nil` for other properties.
    public let removedDestinations: [PersistentIdentifier]?
    /// Whether the history does not preserve one of the values.
    public let isMissing: Bool
    /// Whether the attribute was added to the class after the change, so that its value is the default value.
    var isOfLaterAttribute = false

    var inverse: NetValue {
        NetValue(
            name: name, previousValue: value, value: previousValue, addedDestinations: removedDestinations,
            removedDestinations: addedDestinations, isMissing: isMissing, isOfLaterAttribute: isOfLaterAttribute)
    }
}

// Values with their types.
extension NetChange {
    /// Returns the value of an attribute at the first position.
    ///
    /// For an optional attribute, the result is a nested optional: `.some(nil)` means that the value was `nil`.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    /// - Returns: The value, or `nil` if the attribute does not differ, the model did not exist, the history does not preserve the
    ///   value, or it is an ``UndecodableValue``.
    public func previousValue<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        preserved(keyPath, \.previousValue).value(of: keyPath, \.value)
    }

    /// Returns the value of an attribute at the second position, like ``previousValue(_:)-(KeyPath<Model,Value>)``.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    /// - Returns: The value, or `nil` as described there.
    public func value<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        preserved(keyPath, \.value).value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a relationship at the first position.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship had no destination, or `nil` like an attribute.
    public func previousValue<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        preserved(keyPath, \.previousValue).value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a relationship at the second position.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship has no destination, or `nil` like an attribute.
    public func value<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        preserved(keyPath, \.value).value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a required relationship at the first position.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` like an attribute.
    public func previousValue<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination>
    ) -> PersistentIdentifier? {
        preserved(keyPath, \.previousValue).value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a required relationship at the second position.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` like an attribute.
    public func value<Model: PersistentModel, Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination>
    ) -> PersistentIdentifier? {
        preserved(keyPath, \.value).value(of: keyPath, \.value)
    }

    /// Returns an empty value for a property that is not known.
    private func preserved<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>, _ side: KeyPath<NetValue, (any Sendable)??>
    ) -> [PreservedValue]? {
        guard let name = Model.allProperties.name(of: keyPath), let value = value(named: name),
            let known: (any Sendable)? = value[keyPath: side]
        else { return nil }
        return [PreservedValue(name: name, previousValue: nil, value: known)]
    }
}

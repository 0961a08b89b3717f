/// The value of a property before and after a change, as the history preserves it.
///
/// The default store preserves the values of attributes with the options ``Schema/Attribute/Option/preserveValueOnUpdate`` and
/// ``Schema/Attribute/Option/preserveValueOnDeletion``, and of all properties if its file has that setting. To read the values of a
/// change with their types, use ``DefaultHistoryUpdate/previousValue(_:)-(KeyPath<Model,Value>)`` and similar methods.
///
/// The value of a to-one relationship is the ``PersistentIdentifier`` of its destination. A to-many relationship that is stored as
/// links has one element for each destination: ``previousValue`` of a removed destination, and ``value`` of an added one. A value
/// that cannot be converted to the type of its property is an ``UndecodableValue``.
public struct PreservedValue: Sendable {
    /// The name of the property.
    public let name: String
    /// The value before the change. It is `nil` if the property was `nil`, for an insert, and for an added destination.
    public let previousValue: (any Sendable)?
    /// The value after the change. It is `nil` if the property is `nil`, and for a removed destination.
    public let value: (any Sendable)?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - previousValue: The value before the change.
    ///   - value: The value after the change.
    public init(name: String, previousValue: (any Sendable)?, value: (any Sendable)?) {
        self.name = name
        self.previousValue = previousValue
        self.value = value
    }
}

extension DefaultHistoryInsert {
    /// Returns the initial value of an attribute.
    ///
    /// For an optional attribute, the result is a nested optional: `.some(nil)` means that the value was `nil`.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    /// - Returns: The value, or `nil` if the history does not preserve it or it is an ``UndecodableValue``.
    public func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the initial destination of a relationship.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship had no destination, or `nil` if the history does not preserve
    ///   it.
    public func value<Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the initial destination of a required relationship.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` if the history does not preserve it.
    public func value<Destination: PersistentModel>(_ keyPath: KeyPath<Model, Destination>) -> PersistentIdentifier? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the initial value of a property that the class may no longer have.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The value, `.some(nil)` if it was `nil`, or `nil` if the history does not preserve it.
    public func value(named name: String) -> (any Sendable)?? {
        values.first(named: name).map(\.value)
    }
}

extension DefaultHistoryUpdate {
    /// Returns the value of an attribute before the update.
    ///
    /// For an optional attribute, the result is a nested optional: `.some(nil)` means that the value was `nil`.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    /// - Returns: The value, or `nil` if the update did not change the attribute, the history does not preserve the value, or it is
    ///   an ``UndecodableValue``.
    public func previousValue<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        values.value(of: keyPath, \.previousValue)
    }

    /// Returns the value of an attribute after the update, like ``previousValue(_:)-(KeyPath<Model,Value>)``.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    /// - Returns: The value, or `nil` as described there.
    public func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a relationship before the update.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship had no destination, or `nil` if the update did not change it or
    ///   the history does not preserve it.
    public func previousValue<Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        values.value(of: keyPath, \.previousValue)
    }

    /// Returns the identifier of the destination of a relationship after the update.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, `.some(nil)` if the relationship has no destination, or `nil` if the update did not change it or
    ///   the history does not preserve it.
    public func value<Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination?>
    ) -> PersistentIdentifier?? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the identifier of the destination of a required relationship before the update.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` if the update did not change the relationship or the history does not preserve it.
    public func previousValue<Destination: PersistentModel>(
        _ keyPath: KeyPath<Model, Destination>
    ) -> PersistentIdentifier? {
        values.value(of: keyPath, \.previousValue)
    }

    /// Returns the identifier of the destination of a required relationship after the update.
    ///
    /// - Parameter keyPath: The key path of a to-one relationship.
    /// - Returns: The identifier, or `nil` if the update did not change the relationship or the history does not preserve it.
    public func value<Destination: PersistentModel>(_ keyPath: KeyPath<Model, Destination>) -> PersistentIdentifier? {
        values.value(of: keyPath, \.value)
    }

    /// Returns the value of a property before the update. The class may no longer have the property.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The value, `.some(nil)` if it was `nil`, or `nil` if the update did not change it or the history does not
    ///   preserve it.
    public func previousValue(named name: String) -> (any Sendable)?? {
        values.first(named: name).map(\.previousValue)
    }

    /// Returns the value of a property after the update. The class may no longer have the property.
    ///
    /// - Parameter name: The name of the property.
    /// - Returns: The value, `.some(nil)` if it is `nil`, or `nil` if the update did not change it or the history does not preserve
    ///   it.
    public func value(named name: String) -> (any Sendable)?? {
        values.first(named: name).map(\.value)
    }

    /// Returns the identifiers of the models that the update added to a relationship that is stored as links.
    ///
    /// The history records a to-many relationship whose inverse is to-one in the changes of its destinations.
    ///
    /// - Parameter keyPath: The key path of a to-many relationship.
    /// - Returns: The identifiers, or `nil` if the update did not change the relationship or the history does not preserve them.
    public func addedDestinations(_ keyPath: PartialKeyPath<Model>) -> [PersistentIdentifier]? {
        values.destinations(of: keyPath, \.value)
    }

    /// Returns the identifiers of the models that the update removed from a relationship that is stored as links.
    ///
    /// - Parameter keyPath: The key path of a to-many relationship.
    /// - Returns: The identifiers, or `nil` if the update did not change the relationship or the history does not preserve them.
    public func removedDestinations(_ keyPath: PartialKeyPath<Model>) -> [PersistentIdentifier]? {
        values.destinations(of: keyPath, \.previousValue)
    }
}

extension [PreservedValue]? {
    func first(named name: String) -> PreservedValue? {
        self?.first { $0.name == name }
    }

    /// Returns `nil` if there is no value, or if it has another type.
    func value<Model: PersistentModel, Value>(
        of keyPath: PartialKeyPath<Model>, _ value: KeyPath<PreservedValue, (any Sendable)?>
    ) -> Value? {
        guard let preserved = Model.allProperties.name(of: keyPath).flatMap({ first(named: $0) }) else { return nil }
        // One of the destinations of a to-many relationship is not its value.
        let isReference = preserved.previousValue is PersistentIdentifier || preserved.value is PersistentIdentifier
        if isReference, !(Value.self is PersistentIdentifier.Type || Value.self is PersistentIdentifier?.Type) {
            return nil
        }
        if let value = preserved[keyPath: value] { return value as? Value }
        // `nil` is a value of optional types only.
        return (Value.self as? any ExpressibleByNilLiteral.Type).map { none($0) }
    }

    private func none<Value, Optional: ExpressibleByNilLiteral>(_ type: Optional.Type) -> Value {
        // Both types are the same. A cast would treat nil as a missing value.
        unsafeBitCast(type.init(nilLiteral: ()), to: Value.self)
    }

    func destinations<Model: PersistentModel>(
        of keyPath: PartialKeyPath<Model>, _ value: KeyPath<PreservedValue, (any Sendable)?>
    ) -> [PersistentIdentifier]? {
        guard let name = Model.allProperties.name(of: keyPath) else { return nil }
        let preserved = self?.filter { $0.name == name } ?? []
        return preserved.isEmpty ? nil : preserved.compactMap { $0[keyPath: value] as? PersistentIdentifier }
    }
}

/// A preserved value of the history that cannot be converted to the type of its property.
///
/// A property may have had another type when the value was recorded, or another program may have stored a value of the wrong type.
/// The change has a value of this type in place of the value itself, so that a reader can continue with the other changes:
///
/// ```swift
/// for value in update.undecodableValues { print(value.propertyName, "is not readable:", value.error) }
/// ```
///
/// Methods with a typed result, such as ``DefaultHistoryUpdate/previousValue(_:)-(KeyPath<Model,Value>)``, return `nil` for such a
/// value, as for one that the history does not preserve; ``HistoryTombstone`` and ``PreservedValue`` distinguish the two cases.
public struct UndecodableValue: Error, Sendable {
    /// The reason, which matches ``SwiftDataError/undecodableValue`` and names the entity and the property.
    public let error: SwiftDataError
    /// The value as the store contains it. Use it to recover the value, for example after a change of the type.
    public let storedValue: PropertyValue

    /// The name of the property; empty if the error names none.
    public var propertyName: String { error.propertyName ?? "" }

    /// Creates a value, for a custom store.
    ///
    /// - Parameters:
    ///   - storedValue: The value as the store contains it.
    ///   - error: The error of ``Schema/Property/decode(_:)``.
    public init(_ storedValue: PropertyValue, _ error: SwiftDataError) {
        (self.storedValue, self.error) = (storedValue, error)
    }
}

extension UndecodableValue: LoggableError, CustomDebugStringConvertible, CustomReflectable {
    /// The description of the error, without the stored value.
    public var description: String { error.description }
    public var debugDescription: String { description }
    /// The error for `dump`, debuggers and tests, without the stored value.
    public var customMirror: Mirror { Mirror(self, children: ["error": error], displayStyle: .struct) }
}

extension Schema.Property {
    /// Returns the Swift value of an attribute for a ``PreservedValue``, or an ``UndecodableValue``, so that a reader receives the
    /// change even if the value is not readable.
    ///
    /// - Parameters:
    ///   - value: The stored value.
    ///   - entityName: The name of the entity, for the error.
    ///   - model: The identifier of the model, for the error.
    /// - Returns: The result of ``decode(_:)``, or an ``UndecodableValue`` with its error.
    public func decodePreserved(
        _ value: PropertyValue, entityName: String, model: PersistentIdentifier? = nil
    ) -> (any Sendable)? {
        do { return try decode(value) } catch {
            let cause = error as? SwiftDataError ?? .undecodableValue.with(propertyName: name, underlying: error)
            return UndecodableValue(value, cause.with(entityName: entityName, persistentIdentifier: model))
        }
    }
}

extension DefaultHistoryInsert {
    /// The preserved initial values that cannot be converted to the types of their properties; usually empty.
    public var undecodableValues: [UndecodableValue] { values?.compactMap { $0.value as? UndecodableValue } ?? [] }
}

extension DefaultHistoryUpdate {
    /// The preserved values, before and after the update, that cannot be converted to the types of their properties; usually empty.
    public var undecodableValues: [UndecodableValue] {
        values?.flatMap { [$0.previousValue, $0.value].compactMap { $0 as? UndecodableValue } } ?? []
    }
}

extension HistoryTombstone {
    /// The preserved values that cannot be converted to the types of their attributes; usually empty.
    public var undecodableValues: [UndecodableValue] { compactMap { $0 as? UndecodableValue } }
}

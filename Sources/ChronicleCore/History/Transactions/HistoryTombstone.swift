/// The values of a deleted model that the history preserves.
///
/// A tombstone contains the values of attributes with the option ``Schema/Attribute/Option/preserveValueOnDeletion``. If the file
/// of a default store preserves the values of all properties, it contains all attributes and the identifiers of to-one
/// destinations. A to-many relationship without an inverse, or with its own class, has an element of ``namedValues`` for each
/// destination.
///
/// ```swift
/// let name = delete.tombstone[\.name]        // String?
/// for value in delete.tombstone { print(value) }
/// for (attribute, value) in delete.tombstone.namedValues { print(attribute, value) }
/// ```
///
/// The values do not contain attributes that were `nil`, see ``nilAttributeNames``, that were not preserved at the time of the
/// delete, or whose values were erased from the history. Attributes that the class no longer has are available by name. A value
/// that cannot be converted to the type of its attribute is an ``UndecodableValue``.
public struct HistoryTombstone<Model: PersistentModel>: Sendable, Sequence {
    /// The name of an attribute and its value.
    public typealias NamedValue = (name: String, value: any Sendable)

    /// The names of the attributes and their values, in the order of the iteration.
    public let namedValues: [NamedValue]

    /// The names of the attributes that were preserved and whose value was `nil`. Those that are neither here nor in
    /// ``namedValues`` were not preserved.
    public let nilAttributeNames: [String]

    /// The names of the attributes, in the order of the iteration.
    ///
    /// - Complexity: O(*n*), where *n* is the number of attributes.
    public var attributeNames: [String] { namedValues.map(\.name) }

    /// Creates a tombstone.
    ///
    /// - Parameters:
    ///   - values: The values by attribute name.
    ///   - nilAttributeNames: The names of the attributes that were preserved and whose value was `nil`.
    public init(_ values: [NamedValue] = [], nilAttributeNames: [String] = []) {
        namedValues = values
        self.nilAttributeNames = nilAttributeNames
    }

    public func makeIterator() -> IndexingIterator<[any Sendable]> { namedValues.map(\.value).makeIterator() }

    /// The value of the attribute with a given name; `nil` if the tombstone does not contain it.
    ///
    /// - Parameter name: The name of the attribute.
    public subscript(name: String) -> (any Sendable)? {
        namedValues.first { $0.name == name }?.value
    }

    /// The value of an attribute, as an erased type; `nil` if the tombstone does not contain it.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        Model.allProperties.name(of: keyPath).flatMap { self[$0] }
    }

    /// The value of an attribute; `nil` if the tombstone does not contain it, or if it is an ``UndecodableValue``.
    ///
    /// - Parameter keyPath: The key path of the attribute.
    public subscript<Value>(keyPath: KeyPath<Model, Value>) -> Value? {
        // Not a cast of the optional: nil can be cast to optional types.
        Model.allProperties.name(of: keyPath).flatMap { self[$0] }.flatMap { $0 as? Value }
    }
}

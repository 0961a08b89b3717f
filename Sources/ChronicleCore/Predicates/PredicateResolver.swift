/// Resolves the key paths of one kind of object for ``PredicateWalker``.
protocol PredicateResolver {
    associatedtype Property: PredicateProperty

    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> Property?
    /// Returns `nil` if stores cannot access the values of this dictionary.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the dictionary.
    ///   - key: The key, a captured value.
    func element(of keyPath: AnyKeyPath, at key: Any) -> Property?
    /// The property is the object itself if it is of a type, and nil otherwise. `nil` if stores cannot cast to the type.
    func cast(to type: Any.Type) -> Property?
    /// The property is the name of an object's type; the names are those of a type and its subtypes. `nil` if stores cannot
    /// distinguish them.
    func kinds(of type: Any.Type) -> (property: Property, names: [PropertyValue])?
    /// Returns the members of a `Codable` value, or `nil` if the type is not stored as JSON. Throws
    /// ``SwiftDataError/unsupportedKeyPath`` if the store cannot access one of them.
    func members(at keyPath: AnyKeyPath, of type: Any.Type) throws -> [Property]?
    func isJSON(_ property: Property) -> Bool
    /// A captured value that is kept as it is because no property can hold it; `nil` for other values.
    func foreign(_ value: Any) -> (any Sendable)?
    /// For a type that is not one of the built-in types.
    func isOrdered(_ type: Any.Type) -> Bool
}

extension PredicateResolver {
    func element(of keyPath: AnyKeyPath, at key: Any) -> Property? { nil }
    func cast(to type: Any.Type) -> Property? { nil }
    func kinds(of type: Any.Type) -> (property: Property, names: [PropertyValue])? { nil }
    func members(at keyPath: AnyKeyPath, of type: Any.Type) throws -> [Property]? { nil }
    func isJSON(_ property: Property) -> Bool { false }
    func foreign(_ value: Any) -> (any Sendable)? { nil }
    func isOrdered(_ type: Any.Type) -> Bool { false }
}

/// Knows the key paths of one kind of object, so that the walker need not.
protocol PredicateResolver {
    associatedtype Property: PredicateProperty

    /// The property of a type that a key path leads to, or `nil` when there is none.
    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> Property?
    /// A captured value that stays what it is, because it is none of those that properties hold.
    func foreign(_ value: Any) -> (any Sendable)?
    /// Whether the store can tell the order of values of a type that is none of the built-in ones.
    func isOrdered(_ type: Any.Type) -> Bool
}

extension PredicateResolver {
    func foreign(_ value: Any) -> (any Sendable)? { nil }
    func isOrdered(_ type: Any.Type) -> Bool { false }
}

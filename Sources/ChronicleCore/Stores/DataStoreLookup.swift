/// A lookup of rows by identifier.
///
/// Contexts use lookups to load models by identifier, the destinations of to-one relationships, and the destinations of
/// to-many relationships whose inverse is a to-one relationship. The descriptor of such a request has no predicate, no
/// sort descriptors and no limits. Use an index instead of reading all rows if possible:
///
/// ```swift
/// switch request.lookup {
/// case .identifiers(let identifiers)?:
///     // Return the rows with these identifiers.
/// case .references(let property, let identifiers)?:
///     // Return the rows that have .reference(identifier) at property.slot.
/// case nil:
///     // Return the rows that match request.descriptor.
/// }
/// ```
///
/// A store may also filter the rows with ``matches(_:)``, or ignore the lookup and return all rows that match the
/// descriptor, because the context omits those that do not match the lookup. Do not throw
/// ``DataStoreError/preferInMemoryFilter`` for a lookup; this error applies only to predicates.
public enum DataStoreLookup: Hashable, Sendable {
    /// The rows with these identifiers.
    ///
    /// Identifiers without a row, and identifiers of other entities and stores, match no row.
    case identifiers(Set<PersistentIdentifier>)
    /// The rows in which a to-one relationship references one of these identifiers.
    ///
    /// The property is a to-one relationship of the requested entity. Its values are at its ``Schema/Property/slot``.
    case references(_ property: Schema.Property, to: Set<PersistentIdentifier>)

    /// Returns whether a row matches the lookup.
    ///
    /// - Parameter snapshot: A row of the requested entity.
    /// - Returns: `true` if the row has one of the identifiers, or references one of them, depending on the case.
    /// - Complexity: O(1).
    public func matches(_ snapshot: some DataStoreSnapshot) -> Bool {
        matches(snapshot.persistentIdentifier, snapshot.values)
    }

    /// Returns whether a row with these values matches the lookup. Also returns `true` if the value of the relationship
    /// is missing, because ``RowChecker`` then reports the row.
    func matches(_ identifier: PersistentIdentifier, _ values: [PropertyValue]) -> Bool {
        switch self {
        case .identifiers(let identifiers): return identifiers.contains(identifier)
        case .references(let property, let identifiers):
            guard values.indices.contains(property.slot) else { return true }
            guard case .reference(let destination) = values[property.slot] else { return false }
            return identifiers.contains(destination)
        }
    }
}

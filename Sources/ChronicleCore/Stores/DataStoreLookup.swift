/// A lookup of rows by identifier.
///
/// Contexts look up rows to load models by their identifiers, to-one relationships, and to-many relationships whose
/// inverse is a to-one relationship. The descriptor of such a request has no predicate, no sort descriptors and no
/// limits. Prefer an index to visiting all rows:
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
/// A store may ignore the lookup and return all rows of the descriptor, because the context omits rows that do not
/// match, or filter the rows with ``matches(_:)``. ``DataStoreError/preferInMemoryFilter`` is only for predicates.
public enum DataStoreLookup: Hashable, Sendable {
    /// The rows with these identifiers.
    ///
    /// Identifiers without a row, and identifiers of other entities and stores, match no row.
    case identifiers(Set<PersistentIdentifier>)
    /// The rows whose to-one relationship references one of these identifiers.
    ///
    /// The property is a relationship of the requested entity, with a value in its rows.
    case references(_ property: Schema.Property, to: Set<PersistentIdentifier>)

    /// Returns whether the lookup describes a row.
    ///
    /// - Parameter snapshot: A row of the requested entity.
    /// - Returns: `true` if the row has one of the identifiers or references one of them.
    /// - Complexity: O(1).
    public func matches(_ snapshot: some DataStoreSnapshot) -> Bool {
        matches(snapshot.persistentIdentifier, snapshot.values)
    }

    /// Returns whether the lookup describes a row with these values. Also returns `true` if the value of the
    /// relationship is missing, which ``RowChecker`` reports.
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

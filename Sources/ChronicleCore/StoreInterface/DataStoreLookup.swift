/// A lookup of rows by identifier or by unique values.
///
/// Contexts use lookups to load models by identifier, the destinations of relationships that are not links, and the rows that have
/// the same unique values as inserted models. The descriptor of such a request has no predicate, no sort descriptors and no limits.
/// Use an index instead of reading all rows if possible. The values of properties are at their ``Schema/Property/slot``.
///
/// A store may also filter the rows with ``matches(_:)``, or ignore the lookup and return all rows that match the descriptor: the
/// context omits those that do not match. Do not throw ``DataStoreError/preferInMemoryFilter``, which applies only to predicates.
public enum DataStoreLookup: Hashable, Sendable {
    /// The rows with these identifiers. Those without a row, and those of other entities and stores, match no row.
    case identifiers(Set<PersistentIdentifier>)
    /// The rows in which a to-one relationship of the requested entity references one of these identifiers.
    case references(_ property: Schema.Property, to: Set<PersistentIdentifier>)
    /// The rows whose values of some properties are one of these combinations.
    ///
    /// The properties are those of a uniqueness constraint of the requested entity; see ``Schema/Entity/uniqueProperties``. A
    /// combination has one value, never null, for each of them, in the same order. A context requests them after a save threw
    /// ``SwiftDataError/uniquenessViolation``.
    case values(_ properties: [Schema.Property], in: Combinations)

    /// Returns whether a row matches the lookup.
    ///
    /// - Parameter snapshot: A row of the requested entity.
    /// - Returns: Whether the row has one of the identifiers, references, or combinations.
    public func matches(_ snapshot: some DataStoreRowSnapshot) -> Bool {
        matches(snapshot.persistentIdentifier, DataStoreRow(snapshot.values))
    }

    /// Also returns `true` if the value of the relationship is missing, because ``RowChecker`` then reports the row.
    func matches(_ identifier: PersistentIdentifier, _ values: DataStoreRow) -> Bool {
        switch self {
        case .identifiers(let identifiers): return identifiers.contains(identifier)
        case .references(let property, let identifiers):
            guard values.indices.contains(property.slot) else { return true }
            guard case .reference(let destination) = values[property.slot] else { return false }
            return identifiers.contains(destination)
        case .values(let properties, let combinations):
            guard properties.allSatisfy({ values.indices.contains($0.slot) }) else { return true }
            return combinations.contains(properties.map { values[$0.slot] })
        }
    }
}

import ChronicleCore
import ChronicleSQL

// Finds what a property continues.
extension SchemaPlan {
    /// Returns the stored property that a property continues. If the store has the class without a property that it inherits,
    /// a program that lacks the class added the property to a superclass, unless the class had another superclass, or the
    /// property was removed from it: its values are not those of the property.
    static func source(
        _ name: String, of property: Schema.Property, _ entity: Schema.Entity, _ stored: [String: StoredEntity]
    ) -> StoredProperty? {
        guard let known = stored[entity.name] else { return nil }
        if let own = known.property(named: name) { return own }
        if known.removed.contains(where: { $0.name == name }) { return nil }
        let ancestors = sequence(first: entity, next: \.superentity).dropFirst()
        return ancestors.lazy.filter {
            $0.propertiesByName[property.name] != nil && stored.inherits(entity.name, from: $0.name)
        }
        .compactMap { stored[$0.name]?.property(named: name) }.first
    }

    /// Returns the removed properties with a name, of which the table has the column or the links.
    static func leftovers(
        _ name: String, of entity: StoredEntity?, _ others: [StoredEntity]
    ) -> [StoredProperty] {
        var leftovers: [StoredProperty.Place: StoredProperty] = [:]
        for entity in [entity].compactMap(\.self) + others {
            for property in entity.removed where property.name == name && leftovers[property.place] == nil {
                leftovers[property.place] = property
            }
        }
        return leftovers.values.sorted { $0.place.rawValue < $1.place.rawValue }
    }
}

extension [String: StoredEntity] {
    /// Returns whether a class of the store inherits from another one, directly or not.
    func inherits(_ name: String, from ancestor: String) -> Bool {
        var superclass = self[name]?.superclass
        for _ in 0..<count where superclass != ancestor { superclass = superclass.flatMap { self[$0]?.superclass } }
        return superclass == ancestor
    }
}

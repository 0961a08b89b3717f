import ChronicleCore
import ChronicleSQL

// Finds what a property continues.
extension SchemaPlan {
    /// Returns the stored property that a property continues. If the store has the class without a property that it inherits,
    /// a program that lacks the class added the property to a superclass.
    static func source(
        _ name: String, of property: Schema.Property, _ entity: Schema.Entity, _ stored: [String: StoredEntity]
    ) -> StoredProperty? {
        guard let known = stored[entity.name] else { return nil }
        if let own = known.property(named: name) { return own }
        let ancestors = sequence(first: entity, next: \.superentity).dropFirst()
        return ancestors.lazy.filter { $0.propertiesByName[property.name] != nil }
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

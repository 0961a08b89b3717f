import ChronicleCore
import ChronicleSQL

// The catalog has the attributes of all classes of a table together.
extension EntityCatalog {
    /// Returns the attributes that only other classes of the table have, by name, with the names of these classes.
    ///
    /// Attributes that an earlier version of Chronicle removed are missing, because their class is unknown.
    ///
    /// - Parameters:
    ///   - entity: The class. It also has the attributes of the classes from which it inherits.
    ///   - kinds: The numbers of the class and of those that inherit from it.
    ///   - entities: All entities of the catalog.
    func attributesOfOtherClasses(
        than entity: Entity, kinds: [Int64], in entities: [Entity]
    ) throws -> [String: [String]] {
        let classes = entities.filter { $0.rootName == entity.rootName }
        guard classes.count > kinds.count else { return [:] }
        let definitions = try definitionsByName()
        var relatives = Set(classes.filter { kinds.contains($0.number) }.map(\.name))
        var superclass = definitions[entity.name]?.superentityName
        while let name = superclass, relatives.insert(name).inserted {
            superclass = definitions[name]?.superentityName
        }
        var names: Set<String> = []
        var others: [String: [String]] = [:]
        for known in classes {
            var properties = Set(definitions[known.name]?.properties.map(\.name) ?? [])
            if let stored = try storedEntity(known.number) {
                properties.formUnion((stored.live + stored.removed).map(\.name))
            }
            if relatives.contains(known.name) {
                names.formUnion(properties)
            } else {
                for name in properties { others[name, default: []].append(known.name) }
            }
        }
        return others.filter { !names.contains($0.key) }
    }

    /// Returns whether changes from now on preserve the values of each attribute, by the names of the entities and attributes, also
    /// of removed ones. An entity has the attributes of the classes from which it inherits, and of those that inherit from it.
    package func preservedAttributes(kinds: (Entity) throws -> [Int64]) throws -> [String: [String: Bool]] {
        let entities = try entities()
        var result: [String: [String: Bool]] = [:]
        for entity in entities {
            let others = try attributesOfOtherClasses(than: entity, kinds: kinds(entity), in: entities)
            var attributes: [String: Bool] = [:]
            for attribute in entity.attributes where others[attribute.name] == nil {
                attributes[attribute.name] =
                    attribute.preservation.preservesValues || attributes[attribute.name] == true
            }
            result[entity.name] = attributes
        }
        return result
    }
}

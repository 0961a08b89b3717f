extension Schema {
    /// Creates a schema with the given entities.
    ///
    /// Use it to combine entities that were decoded one by one. If the entities contradict each other, the schema is
    /// empty and ``validate()`` throws the error: ``SwiftDataError/invalidModel`` for two entities of the same name, and
    /// for a relationship whose destination or inverse is missing or does not match. Add the missing entity, or discard
    /// the description.
    ///
    /// - Parameter entities: The entities, in any order.
    /// - Complexity: O(*n*), where *n* is the number of properties of all entities.
    public convenience init(entities: [Entity]) {
        self.init {
            var known: [String: Entity] = [:]
            for entity in entities {
                guard known.updateValue(entity, forKey: entity.name) == nil else {
                    throw SwiftDataError.invalidModel.with(
                        detail: "the schema describes two entities of this name; remove one of them",
                        entityName: entity.name)
                }
            }
            for entity in entities { try entity.checkRelationships(to: known) }
            try Self.checkLinks(Links.all(in: known))
            return entities.sorted { $0.name < $1.name }
        }
    }

    /// Throws an error for two relationships that would be stored as the same links.
    private static func checkLinks(_ links: [Links]) throws {
        var names: Set<String> = []
        for links in links where !names.insert(links.name).inserted {
            throw SwiftDataError.invalidModel.with(
                detail: "another relationship has links of the name \(links.name); rename one of them",
                entityName: links.owner, propertyName: links.property.name)
        }
    }

    /// Throws an error if an entity has no model class, because a container creates instances of the class.
    func checkModelClasses() throws {
        guard let entity = entities.first(where: { !$0.hasModelClass }) else { return }
        throw SwiftDataError.unknownSchema.with(
            detail: "the schema was decoded and has no model classes, which a container requires; create it with the "
                + "classes, or open the store without a container",
            entityName: entity.name)
    }
}

extension Schema.Entity {
    /// Throws an error for a relationship whose destination or inverse is missing or does not match.
    ///
    /// The schema builder creates only relationships that match.
    fileprivate func checkRelationships(to entities: [String: Schema.Entity]) throws {
        for property in relationshipProperties {
            guard let relationship = property.relationship else { continue }
            func invalid(_ detail: String) -> SwiftDataError {
                .invalidModel.with(detail: detail, entityName: name, propertyName: property.name)
            }
            guard let destination = entities[relationship.destination] else {
                throw invalid("the schema does not describe its destination \(relationship.destination)")
            }
            var inverse: Schema.Relationship?
            if let inverseName = relationship.inverseName {
                inverse = destination.propertiesByName[inverseName]?.relationship
                guard let inverse, inverse.destination == name, inverse.inverseName == property.name else {
                    throw invalid("\(relationship.destination).\(inverseName) is not its inverse")
                }
            }
            guard relationship.isLinked == (relationship.isToMany && inverse?.isToMany != false) else {
                throw invalid(
                    "a relationship is stored as links if it is to-many, unless its inverse is to-one, but the "
                        + "description specifies the opposite")
            }
        }
    }

    /// Creates an entity with sets of properties that are specified by keys, such as names.
    ///
    /// - Parameters:
    ///   - property: Returns the property of a key.
    ///   - unknown: Returns a description of a key without a property.
    /// - Throws: ``SwiftDataError/invalidModel`` if a set is empty or contains a property without a column.
    convenience init<Key>(
        name: String, type: any PersistentModel.Type, properties: [Schema.Property], uniqueness: [[Key]],
        indices: [[Key]], hasEphemeralAttributes: Bool, property: (Key) -> Schema.Property?, unknown: (Key) -> String
    ) throws {
        func resolve(_ keys: [Key], _ declaredBy: String) throws -> [Schema.Property] {
            func invalid(_ what: String, _ propertyName: String? = nil) -> SwiftDataError {
                .invalidModel.with(
                    detail: "\(declaredBy) lists \(what)", entityName: name, propertyName: propertyName)
            }
            if keys.isEmpty { throw invalid("no property") }
            return try keys.map { key in
                guard let property = property(key) else { throw invalid(unknown(key)) }
                guard property.slot >= 0 else {
                    throw invalid("a to-many relationship, which has no column", property.name)
                }
                return property
            }
        }
        func distinct(_ sets: [[Schema.Property]]) -> [[Schema.Property]] {
            // A set that is listed twice, or that is unique by an option as well, needs only one index.
            var seen: Set<[Int]> = []
            return sets.filter { seen.insert($0.map(\.slot)).inserted }
        }
        self.init(
            name: name, type: type, properties: properties,
            uniqueness: distinct(
                try properties.filter(\.isUnique).map { [$0] }
                    + uniqueness.map { try resolve($0, "a uniqueness constraint") }),
            indices: distinct(try indices.map { try resolve($0, "an index") }),
            hasEphemeralAttributes: hasEphemeralAttributes)
    }
}

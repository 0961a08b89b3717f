extension Schema {
    /// Creates a schema with the given entities, for example of entities that were decoded one by one.
    ///
    /// If the entities contradict each other, the schema is empty and ``validate()`` throws the error:
    /// ``SwiftDataError/invalidModel`` for two entities of the same name, and for a relationship whose destination or inverse is
    /// missing or does not match. Add the missing entity, or discard the description.
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
            let areConnected = entities.allSatisfy { $0.superentity === $0.superentityName.flatMap { known[$0] } }
            if !areConnected {
                known = try Self.connectingSuperentities(known)
            }
            for entity in known.values.sorted(by: { $0.name < $1.name }) { try entity.checkRelationships(to: known) }
            try Self.checkLinks(Links.all(in: known))
            return known.values.sorted { $0.name < $1.name }
        }
    }

    /// Returns the entities that a store has to rename, in an order in which each new name is free.
    ///
    /// An entity is renamed if the store contains its ``Entity/originalName``, and does not contain its name or renames the entity
    /// of that name before. Two entities cannot exchange their names, because the store does not show whether they have done so.
    ///
    /// - Parameter names: The names of the entities in the store.
    /// - Returns: The entities of this schema. Each replaces one of `names`.
    /// - Complexity: O(*n*²), where *n* is the number of renamed entities.
    public func renamedEntities(in names: Set<String>) -> [Entity] {
        var used = names
        // A store without an original name does not contain the entity. Another one may receive that name below.
        var waiting = entities.filter { $0.originalName != $0.name && names.contains($0.originalName) }
        var renamed: [Entity] = []
        var replaced: Set<String> = []
        while let index = waiting.firstIndex(where: { !used.contains($0.name) }) {
            let entity = waiting.remove(at: index)
            guard replaced.insert(entity.originalName).inserted else { continue }
            used.remove(entity.originalName)
            used.insert(entity.name)
            renamed.append(entity)
        }
        return renamed
    }

    /// Returns the entities with references to the entities that they inherit from, and with shared properties.
    private static func connectingSuperentities(_ entities: [String: Entity]) throws -> [String: Entity] {
        var chains: [String: [Entity]] = [:]
        var storedCounts: [String: Int] = [:]
        for entity in entities.values {
            var chain = [entity]
            while let name = chain.last?.superentityName {
                guard let superentity = entities[name], !chain.contains(where: { $0 === superentity }) else {
                    throw SwiftDataError.invalidModel.with(
                        detail: "the schema does not describe its superentity \(name)", entityName: entity.name)
                }
                chain.append(superentity)
            }
            chains[entity.name] = chain
            let root = chain[chain.count - 1].name
            storedCounts[root] = max(storedCounts[root] ?? 0, entity.storedProperties.count)
        }
        var made: [String: Entity] = [:]
        for name in chains.keys.sorted() {
            guard let chain = chains[name], let root = chain.last else { continue }
            for entity in chain.reversed() where made[entity.name] == nil {
                made[entity.name] = try Entity(
                    entity, inheritingFrom: entity.superentityName.flatMap { made[$0] },
                    storedCount: storedCounts[root.name] ?? 0)
            }
        }
        return made
    }

    private static func checkLinks(_ links: [Links]) throws {
        var names: Set<String> = []
        for links in links where !names.insert(links.name).inserted {
            throw SwiftDataError.invalidModel.with(
                detail: "another relationship has links of the name \(links.name); rename one of them",
                entityName: links.owner, propertyName: links.property.name)
        }
    }

    /// A container creates instances of the class.
    func checkModelClasses() throws {
        guard let entity = entities.first(where: { !$0.hasModelClass }) else { return }
        throw SwiftDataError.unknownSchema.with(
            detail: "the schema was decoded and has no model classes, which a container requires; create it with the "
                + "classes, or open the store without a container",
            entityName: entity.name)
    }
}

extension Schema.Entity {
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
                guard let inverse, isKind(of: inverse.destination), inverse.inverseName == property.name else {
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

    /// - Parameter storedCount: See ``PropertyPositions/init(storedCount:after:)``.
    fileprivate convenience init(
        _ decoded: Schema.Entity, inheritingFrom superentity: Schema.Entity?, storedCount: Int
    ) throws {
        var positions = PropertyPositions(storedCount: storedCount, after: superentity)
        let inherited = superentity?.properties ?? []
        let names = Set(inherited.map(\.name))
        let own = decoded.properties.filter { !names.contains($0.name) }.map { property in
            let relationship = property.relationship
            return Schema.Property(
                property.kind,
                at: positions.next(
                    isToMany: relationship?.isToMany == true, isLinked: relationship?.isLinked == true))
        }
        let all = inherited + own
        try self.init(
            name: decoded.name, type: decoded.type, properties: all, uniqueness: decoded.uniquenessConstraints,
            indices: decoded.indices, hasEphemeralAttributes: decoded.hasEphemeralAttributes, superentity: superentity,
            property: { name in all.first { $0.name == name } }, unknown: { "\($0), which is not a property" })
    }

    /// Creates an entity with sets of properties that are specified by keys, such as names. Throws ``SwiftDataError/invalidModel``
    /// if a set is empty or contains a property without a column.
    ///
    /// - Parameter unknown: Returns a description of a key without a property.
    convenience init<Key>(
        name: String, type: any PersistentModel.Type, properties: [Schema.Property], uniqueness: [[Key]],
        indices: [[Key]], hasEphemeralAttributes: Bool, superentity: Schema.Entity? = nil,
        superentityName: String? = nil,
        inheritedKeyPaths: [(keyPath: AnyKeyPath, property: Schema.Property)] = [],
        property: (Key) -> Schema.Property?, unknown: (Key) -> String
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
                    + (superentity?.uniqueProperties ?? [])
                    + uniqueness.map { try resolve($0, "a uniqueness constraint") }),
            indices: distinct(
                try (superentity?.indexedProperties ?? []) + indices.map { try resolve($0, "an index") }),
            hasEphemeralAttributes: hasEphemeralAttributes, superentity: superentity,
            superentityName: superentityName, inheritedKeyPaths: inheritedKeyPaths)
    }
}

extension Schema {
    /// The name of the attribute with the name of a row's own entity in ``mergingSubentities()``.
    ///
    /// Inserts and deletes of rows whose entity the schema lacks are changes of the root entity with the name of the entity as the
    /// preserved value of this attribute.
    public static let entityAttribute = "chronicle_entity"

    /// Returns a schema in which one entity replaces each entity with subentities and all that inherit from it, for stores that
    /// keep the rows of a hierarchy in one table.
    ///
    /// The merged entity has the name of the root and the properties of all its entities. Those of subentities are optional and
    /// have no default value; a to-one relationship that any of them requires has the delete rule of a required one, see
    /// ``deleteRule(towards:)``. In addition, it has the optional text attribute ``entityAttribute``, which is nil for rows of the
    /// root itself.
    ///
    /// - Returns: The merged schema, without model classes in merged entities; `self` if no entity inherits from another one.
    /// - Complexity: O(*n*), where *n* is the number of properties of all entities.
    public func mergingSubentities() -> Schema {
        guard entities.contains(where: { $0.superentity != nil }) else { return self }
        return Schema {
            entities.filter { $0.superentity == nil }.map { root in
                merged(root, entities.filter { $0 !== root && $0.rootName == root.name })
            }
        }
    }

    private func merged(_ root: Entity, _ subentities: [Entity]) -> Entity {
        var kinds = root.properties.map { rooted($0.kind) }
        var names = Set(root.properties.map(\.name))
        let inSubentities = subentities.flatMap(\.properties)
        // Classes that inherit from different ones share a column if they declare properties of the same name. It is renamed
        // if one of them renames it, and has the options of all.
        let declarations = Dictionary(grouping: inSubentities, by: \.name)
        for property in inSubentities where names.insert(property.name).inserted {
            let same = declarations[property.name] ?? []
            let renamed = same.first { $0.previousName != nil } ?? property
            kinds.append(
                rooted(renamed.kind).optional(
                    options: same.flatMap { $0.attribute?.options ?? [] },
                    isRequiredBySubentity: same.contains { !$0.isOptional }))
        }
        if !subentities.isEmpty { kinds.append(.attribute(Self.discriminator)) }
        var positions = PropertyPositions(storedCount: kinds.count { $0.relationship?.isToMany != true })
        let properties = kinds.map { kind in
            Property(
                kind,
                at: positions.next(
                    isToMany: kind.relationship?.isToMany == true, isLinked: kind.relationship?.isLinked == true))
        }
        let byName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0) })
        func sets(_ names: KeyPath<Entity, [[String]]>) -> [[Property]] {
            var seen: Set<[String]> = []
            return ([root] + subentities).flatMap { $0[keyPath: names] }.filter { seen.insert($0).inserted }
                .map { $0.compactMap { byName[$0] } }
        }
        let discriminator = byName[Self.entityAttribute].map { [[$0]] } ?? []
        return Entity(
            name: root.name, type: UntypedModel.self, properties: properties,
            uniqueness: sets(\.uniquenessConstraints), indices: sets(\.indices) + discriminator,
            hasEphemeralAttributes: false)
    }

    private func rooted(_ kind: Property.Kind) -> Property.Kind {
        guard case .relationship(let relationship) = kind,
            let root = entitiesByName[relationship.destination]?.rootName, root != relationship.destination
        else { return kind }
        return .relationship(relationship.with(destination: root))
    }

    private static var discriminator: Attribute {
        let codec = PropertyCodecs.codec(named: "String", .text, isOptional: true)
        return Attribute(
            name: entityAttribute, originalName: entityAttribute, options: [], encodedDefault: nil,
            hasConstantDefault: true, codec: codec, storage: .text, isOptional: true, valueType: String?.self,
            valueTypeName: "String")
    }
}

extension Schema.Property.Kind {
    /// - Parameter isRequiredBySubentity: See ``Schema/Relationship/isRequiredBySubentity``.
    fileprivate func optional(options: [Schema.Attribute.Option], isRequiredBySubentity: Bool) -> Self {
        switch self {
        case .attribute(let attribute):
            .attribute(
                Schema.Attribute(
                    name: attribute.name, originalName: attribute.originalName,
                    options: options.reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
                    encodedDefault: nil, hasConstantDefault: true, codec: attribute.codec, storage: attribute.storage,
                    isOptional: true, valueType: attribute.valueType, valueTypeName: attribute.valueTypeName))
        case .relationship(let relationship):
            .relationship(relationship.with(isOptional: true, isRequiredBySubentity: isRequiredBySubentity))
        }
    }
}

extension Schema.Attribute {
    func with(name: String) -> Schema.Attribute {
        Schema.Attribute(
            name: name, originalName: originalName == self.name ? name : originalName, options: options,
            encodedDefault: encodedDefault, hasConstantDefault: hasConstantDefault, codec: codec, storage: storage,
            isOptional: isOptional, valueType: valueType, valueTypeName: valueTypeName, hashModifier: hashModifier)
    }
}

extension Schema.Relationship {
    func with(
        name: String? = nil, destination: String? = nil, isOptional: Bool? = nil, inverseName: String?? = nil,
        isLinked: Bool? = nil, deleteRule: DeleteRule? = nil, isRequiredBySubentity: Bool? = nil
    ) -> Schema.Relationship {
        Schema.Relationship(
            name: name ?? self.name, originalName: originalName == self.name ? name ?? originalName : originalName,
            keypath: keypath, inverseKeyPath: inverseKeyPath, valueType: valueType,
            deleteRule: deleteRule ?? self.deleteRule,
            destination: destination ?? self.destination, isToMany: isToMany, isOptional: isOptional ?? self.isOptional,
            inverseName: inverseName ?? self.inverseName, isLinked: isLinked ?? self.isLinked, options: options,
            minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
            isRequiredBySubentity: isRequiredBySubentity ?? self.isRequiredBySubentity)
    }
}

/// Creates the entities of a schema from the declarations of model classes.
///
/// A `Mirror` of a sample instance provides the wrappers by the names of the stored properties, and the property map of the class
/// provides the names and key paths. Comparing both finds properties that are missing, listed twice or misspelled.
struct SchemaBuilder {
    func entities(of types: [any PersistentModel.Type]) throws -> [Schema.Entity] {
        var declared: [String: EntityDeclaration] = [:]
        var remaining = types
        while let type = remaining.popLast() {
            if let known = declared[type.entityName] {
                guard known.type == type else {
                    throw SwiftDataError.invalidModel.with(
                        // `String(reflecting:)` includes the enclosing types, because the names of the classes are
                        // equal.
                        detail: "two classes, \(String(reflecting: known.type)) and \(String(reflecting: type)), "
                            + "have the same entity name; rename one of them",
                        entityName: type.entityName)
                }
                continue
            }
            let entity = try declaration(of: type)
            declared[entity.type.entityName] = entity
            remaining += entity.properties.compactMap { $0.relationship?.destinationType }
            if let superclass = entity.superclass { remaining.append(superclass) }
        }
        for name in declared.keys { declared[name]!.removeInherited(declared) }
        try checkColumns(declared)
        try resolveInverses(&declared)
        return try entities(declared)
    }

    private func entities(_ declared: [String: EntityDeclaration]) throws -> [Schema.Entity] {
        var storedCounts: [String: Int] = [:]
        for declaration in declared.values {
            let chain = declaration.chain(in: declared)
            let count = chain.reduce(0) { $0 + $1.storedCount }
            let root = chain.last!.type.entityName
            storedCounts[root] = max(storedCounts[root] ?? 0, count)
        }
        var made: [String: Schema.Entity] = [:]
        for declaration in declared.values.sorted(by: { $0.type.entityName < $1.type.entityName }) {
            let chain = declaration.chain(in: declared)
            let storedCount = storedCounts[chain.last!.type.entityName] ?? 0
            for declaration in chain.reversed() where made[declaration.type.entityName] == nil {
                let superentity = declaration.superclass.flatMap { made[$0.entityName] }
                made[declaration.type.entityName] = try entity(declaration, superentity, storedCount: storedCount)
            }
        }
        return made.values.sorted { $0.name < $1.name }
    }

    /// All entities of a hierarchy share the columns of one table, so their classes must not declare different properties of one
    /// name.
    private func checkColumns(_ declared: [String: EntityDeclaration]) throws {
        var known: [String: (Any.Type, String)] = [:]
        for entity in declared.values.sorted(by: { $0.type.entityName < $1.type.entityName }) {
            guard let root = entity.chain(in: declared).last?.type.entityName else { continue }
            for property in entity.properties {
                let type = Swift.type(of: property.keyPath).valueType
                let key = "\(root).\(property.name)"
                if let (other, name) = known[key], other != type || property.relationship != nil {
                    throw SwiftDataError.invalidModel.with(
                        detail: "\(name) declares another property of this name, and both entities share a table; "
                            + "rename one of them",
                        entityName: entity.type.entityName, propertyName: property.name)
                }
                known[key] = (type, entity.type.entityName)
            }
        }
    }

    private func entity(
        _ declaration: EntityDeclaration, _ superentity: Schema.Entity?, storedCount: Int
    ) throws -> Schema.Entity {
        var positions = PropertyPositions(storedCount: storedCount, after: superentity)
        let sample = Self.wrappers(of: declaration.type.probe())
        let own = try declaration.properties.map { declared in
            try property(
                declared, of: declaration.type, sample[declared.name],
                at: positions.next(isToMany: declared.relationship?.isToMany == true, isLinked: declared.isLinked))
        }
        let inherited = declaration.inheritedKeyPaths.compactMap { name, keyPath in
            superentity?.propertiesByName[name].map { (keyPath: keyPath, property: $0) }
        }
        if superentity != nil {
            let ownKeyPaths = own.compactMap(\.keyPath)
            for constraint in declaration.uniqueness where !constraint.contains(where: ownKeyPaths.contains) {
                throw SwiftDataError.invalidModel.with(
                    detail: "a uniqueness constraint lists only inherited properties; declare it in the superclass",
                    entityName: declaration.type.entityName)
            }
        }
        return try Schema.Entity(
            name: declaration.type.entityName, type: declaration.type,
            properties: (superentity?.properties ?? []) + own,
            uniqueness: declaration.uniqueness, indices: declaration.indices,
            hasEphemeralAttributes: declaration.hasEphemeralAttributes, superentity: superentity,
            inheritedKeyPaths: inherited
        ) { keyPath in
            own.first { $0.keyPath == keyPath } ?? inherited.first { $0.keyPath == keyPath }?.property
        } unknown: { keyPath in
            "a key path to \(type(of: keyPath).valueType) that is not a stored property"
        }
    }

    /// - Parameter other: The wrapper of the property in a second instance, whose default value differs if the default is not
    ///   constant.
    private func property<Model: PersistentModel>(
        _ declared: Declaration, of model: Model.Type, _ other: (any PropertyDeclaration)?,
        at position: PropertyPositions.Position
    ) throws -> Schema.Property {
        if let wrapper = declared.relationship {
            guard let access = wrapper.access(declared.keyPath, model) else {
                throw SwiftDataError.invalidModel.with(
                    detail: "a relationship must be a `var` that its class can set",
                    entityName: Model.entityName, propertyName: declared.name)
            }
            let relationship = Schema.Relationship(
                name: declared.name, originalName: declared.wrapper.originalName ?? declared.name,
                keypath: declared.keyPath, inverseKeyPath: declared.inverseKeyPath, valueType: wrapper.valueType,
                deleteRule: wrapper.deleteRule, destination: wrapper.destinationType.entityName,
                isToMany: wrapper.isToMany, isOptional: wrapper.isOptional, inverseName: declared.inverseName,
                isLinked: declared.isLinked, options: wrapper.options.elements,
                minimumModelCount: wrapper.counts.minimum, maximumModelCount: wrapper.counts.maximum)
            return Schema.Property(
                name: declared.name, keyPath: declared.keyPath, previousName: declared.wrapper.originalName,
                position: position, offset: nil, kind: .relationship(relationship), defaultValue: nil,
                relationshipAccess: access)
        }
        let wrapper = declared.wrapper as! any AttributeDeclaration  // There are only two kinds of wrappers.
        guard let codec = PropertyCodecs.codec(of: wrapper.valueType),
            let access = wrapper.access(declared.keyPath, model, codec)
        else {
            throw SwiftDataError.unsupportedAttributeType.with(
                detail:
                    "\(wrapper.valueType) cannot be stored; conform it to Codable, or exclude the property with "
                    + "@Transient (without macros, remove its wrapper)",
                entityName: Model.entityName, propertyName: declared.name)
        }
        let encodedDefault = try wrapper.declaredDefault.flatMap(codec.encodeAny)
        let otherDefault = try (other as? any AttributeDeclaration)?.declaredDefault.flatMap(codec.encodeAny)
        let attribute = Schema.Attribute(
            name: declared.name, originalName: wrapper.originalName ?? declared.name,
            options: wrapper.options.elements, encodedDefault: encodedDefault,
            hasConstantDefault: encodedDefault == otherDefault, codec: codec, storage: codec.storage,
            isOptional: codec.isOptional, valueType: wrapper.valueType,
            valueTypeName: PropertyCodecs.name(of: wrapper.valueType))
        return Schema.Property(
            name: declared.name, keyPath: declared.keyPath, previousName: wrapper.originalName, position: position,
            offset: declared.offset, kind: .attribute(attribute), defaultValue: encodedDefault,
            attributeAccess: access)
    }
}

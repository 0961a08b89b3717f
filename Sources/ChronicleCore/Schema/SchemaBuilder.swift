/// Creates the entities of a schema from the declarations of model classes.
///
/// A `Mirror` of a sample instance provides the wrappers and their options by the names of the stored properties. The
/// property map of the class provides the names and key paths. Comparing both finds properties that are missing, listed
/// twice or misspelled.
struct SchemaBuilder {
    /// The declaration of a property, before its inverse is resolved.
    private struct Declaration {
        let name: String
        let keyPath: AnyKeyPath
        let wrapper: any PropertyDeclaration
        /// The wrapper, if the property is a relationship.
        let relationship: (any RelationshipDeclaration)?
        /// The offset of the wrapper in the model, in bytes, for attributes of direct types.
        let offset: Int?
        var inverseName: String?
        var inverseKeyPath: AnyKeyPath?
        /// Whether the relationship is stored as links: it is to-many, and its inverse is to-many or does not exist.
        var isLinked = false
        /// Whether another list is the inverse of the property that this list names as its inverse.
        var sharesInverse = false

        mutating func setInverse(_ property: Declaration) {
            inverseName = property.name
            inverseKeyPath = property.keyPath
        }
    }

    private struct EntityDeclaration {
        let type: any PersistentModel.Type
        var properties: [Declaration]
        let uniqueness: [[AnyKeyPath]]
        let indices: [[AnyKeyPath]]
        let hasEphemeralAttributes: Bool
    }

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
        }
        try resolveInverses(&declared)
        return try declared.values.sorted { $0.type.entityName < $1.type.entityName }.map(entity)
    }

    // MARK: Declarations

    private func declaration<Model: PersistentModel>(of type: Model.Type) throws -> EntityDeclaration {
        try Model.checkInheritance()
        let (sample, second) = (Model.ModelClass.probe(), Model.ModelClass.probe())
        guard sample.persistentBackingData.isProbe else {
            throw SwiftDataError.invalidModel.with(
                detail: "init(backingData:) must adopt or store its argument", entityName: Model.entityName)
        }
        let wrappers = Self.wrappers(of: sample)
        var properties: [Declaration] = []
        var seen: [AnyKeyPath: String] = [:]
        for (name, keyPath) in Model.properties.elements {
            func invalid(_ detail: String) -> SwiftDataError {
                .invalidModel.with(detail: detail, entityName: Model.entityName, propertyName: name)
            }
            guard !properties.contains(where: { $0.name == name }) else {
                throw invalid("the property map lists the property twice; remove one entry")
            }
            if let other = seen[keyPath] {
                throw invalid("the property map lists its key path for \"\(other)\" as well; correct one entry")
            }
            guard let wrapper = wrappers[name] else {
                throw invalid("the class has no @Attribute or @Relationship of this name; add one or remove the entry")
            }
            if wrapper.isEphemeral {
                if let validationError = wrapper.ephemeralDiagnostic { throw invalid(validationError) }
                continue
            }
            let relationship = wrapper.relationship
            if let validationError = relationship?.validationError { throw invalid(validationError) }
            try check(keyPath, wrapper, invalid)
            if relationship == nil, !isKeyPath(keyPath, to: name, wrapper, in: sample) {
                throw invalid("the property map lists the key path of another property for it; correct the entry")
            }
            seen[keyPath] = name
            let offset = Self.offset(of: keyPath, in: sample, second)
            if offset == nil, let type = (wrapper as? any AttributeDeclaration)?.valueType,
                DirectAttribute(type, at: 0) != nil
            {
                throw invalid("its offset cannot be determined; declare it as a stored property of the class itself")
            }
            properties.append(
                Declaration(name: name, keyPath: keyPath, wrapper: wrapper, relationship: relationship, offset: offset))
        }
        for (name, wrapper) in wrappers.sorted(by: { $0.key < $1.key })
        where !wrapper.isEphemeral && !properties.contains(where: { $0.name == name }) {
            throw SwiftDataError.invalidModel.with(
                detail: "the property map does not list it; add \"\(name)\": \\.\(name)",
                entityName: Model.entityName, propertyName: name)
        }
        return EntityDeclaration(
            type: type, properties: properties, uniqueness: Model.uniqueness.constraints.map { $0.map { $0 } },
            indices: Model.indices.indices.map { $0.map { $0 } },
            hasEphemeralAttributes: wrappers.values.contains(where: \.isEphemeral))
    }

    /// Returns the offset of an attribute's wrapper in instances of the class.
    ///
    /// Reading the property of an instance records the offset. Returns `nil` if nothing was recorded, if two instances
    /// differ, or if the offset is not plausible.
    private static func offset<Model: PersistentModel>(
        of keyPath: PartialKeyPath<Model>, in first: Model, _ second: Model
    ) -> Int? {
        guard let offset = first.persistentBackingData.probedOffset else { return nil }
        first.persistentBackingData.probedOffset = nil
        _ = second[keyPath: keyPath]
        guard second.persistentBackingData.probedOffset == offset else { return nil }
        // An object begins with a header of two words, and wrappers are aligned to their generation number.
        let isPlausible = offset >= 2 * MemoryLayout<Int>.size && offset < 1 << 20 && offset.isMultiple(of: 4)
        return isPlausible ? offset : nil
    }

    static func wrappers(of model: any PersistentModel) -> [String: any PropertyDeclaration] {
        var found: [String: any PropertyDeclaration] = [:]
        for child in Mirror(reflecting: model).children {
            // Swift stores the wrapper of `name` as `_name`.
            guard let label = child.label, label.hasPrefix("_"), let wrapper = child.value as? any PropertyDeclaration
            else { continue }
            found[String(label.dropFirst())] = wrapper
        }
        return found
    }

    private func check(
        _ keyPath: AnyKeyPath, _ wrapper: any PropertyDeclaration, _ invalid: (String) -> SwiftDataError
    ) throws {
        let declared: Any.Type =
            (wrapper as? any AttributeDeclaration)?.valueType ?? wrapper.relationship?.valueType ?? Never.self
        guard type(of: keyPath).valueType == declared else {
            throw invalid(
                "the key path in the property map has the type \(type(of: keyPath).valueType), but the property has "
                    + "the type \(declared); correct the entry")
        }
    }

    /// Returns whether a key path references the wrapper of a property.
    ///
    /// Reads the property and checks whether this set a value in the wrapper. Returns `true` for types without a sample
    /// value, for which this check is not possible.
    private func isKeyPath<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>, to name: String, _ wrapper: any PropertyDeclaration, in sample: Model
    ) -> Bool {
        guard let type = (wrapper as? any AttributeDeclaration)?.valueType,
            PropertyCodecs.codec(of: type)?.sample() != nil
        else { return true }
        _ = sample[keyPath: keyPath]
        return Self.wrappers(of: sample)[name]?.isSet == true
    }

    // MARK: Inverses

    /// Sets the inverses of all relationships, as declared or, if there is exactly one candidate, by inference.
    private func resolveInverses(_ entities: inout [String: EntityDeclaration]) throws {
        // To-one relationships first: if several lists name the same inverse, it determines which of them it belongs to.
        for (isToMany, entityName) in [false, true].flatMap({ isToMany in
            entities.keys.sorted().map { (isToMany, $0) }
        }) {
            for index in entities[entityName]!.properties.indices {
                let property = entities[entityName]!.properties[index]
                guard let wrapper = property.relationship, wrapper.isToMany == isToMany, let inverse = wrapper.inverse
                else { continue }
                func invalid(_ detail: String) -> SwiftDataError {
                    .invalidModel.with(detail: detail, entityName: entityName, propertyName: property.name)
                }
                let destination = wrapper.destinationType.entityName
                guard let other = entities[destination]!.properties.firstIndex(where: { $0.keyPath == inverse }) else {
                    throw invalid("its inverse is not a relationship of \(destination); correct inverse:")
                }
                let back = entities[destination]!.properties[other]
                guard back.relationship?.destinationType.entityName == entityName else {
                    throw invalid(
                        "its inverse \(destination).\(back.name) does not reference \(entityName); correct inverse:")
                }
                if let known = back.inverseName, known != property.name, property.inverseName == nil, isToMany,
                    entities[entityName]!.properties.first(where: { $0.name == known })?.relationship?.isToMany == true
                {
                    entities[entityName]!.properties[index].sharesInverse = true
                    continue
                }
                guard back.inverseName == nil || back.inverseName == property.name else {
                    throw invalid(
                        "its inverse \(destination).\(back.name) is also the inverse of \(back.inverseName!); "
                            + "correct inverse:")
                }
                guard property.inverseName == nil || property.inverseName == back.name else {
                    throw invalid(
                        "\(destination).\(property.inverseName!) already declares it as its inverse; correct inverse:")
                }
                entities[destination]!.properties[other].setInverse(property)
                entities[entityName]!.properties[index].setInverse(back)
            }
        }
        inferInverses(&entities)
        try findLinks(&entities)
    }

    /// Sets the inverses of relationships between two entities that have exactly one relationship to each other left.
    private func inferInverses(_ entities: inout [String: EntityDeclaration]) {
        func unresolved(_ source: String, to destination: String) -> [Int] {
            entities[source]!.properties.indices.filter { index in
                let property = entities[source]!.properties[index]
                return property.inverseName == nil && !property.sharesInverse
                    && property.relationship?.destinationType.entityName == destination
            }
        }
        for source in entities.keys.sorted() {
            for destination in entities.keys.sorted() where destination != source {
                let forward = unresolved(source, to: destination)
                let backward = unresolved(destination, to: source)
                guard forward.count == 1, backward.count == 1 else { continue }
                entities[source]!.properties[forward[0]].setInverse(entities[destination]!.properties[backward[0]])
                entities[destination]!.properties[backward[0]].setInverse(entities[source]!.properties[forward[0]])
            }
        }
    }

    /// Finds the to-many relationships that are stored as links, because no column of the destination represents them.
    private func findLinks(_ entities: inout [String: EntityDeclaration]) throws {
        for entityName in entities.keys.sorted() {
            for index in entities[entityName]!.properties.indices {
                let property = entities[entityName]!.properties[index]
                guard let wrapper = property.relationship, wrapper.isToMany else { continue }
                let destination = entities[wrapper.destinationType.entityName]!
                guard let inverseName = property.inverseName else {
                    try checkAmbiguity(of: property, in: entityName, destination)
                    entities[entityName]!.properties[index].isLinked = true
                    continue
                }
                let back = destination.properties.first { $0.name == inverseName }!
                entities[entityName]!.properties[index].isLinked = back.relationship?.isToMany == true
            }
        }
    }

    /// Throws an error for a to-many relationship whose inverse is ambiguous, because the stored form depends on the
    /// inverse.
    private func checkAmbiguity(
        of property: Declaration, in entityName: String, _ destination: EntityDeclaration
    ) throws {
        guard destination.type.entityName != entityName, !property.sharesInverse,
            let back = destination.properties.first(where: {
                $0.inverseName == nil && !$0.sharesInverse
                    && $0.relationship?.destinationType.entityName == entityName
            })
        else { return }
        throw SwiftDataError.invalidModel.with(
            detail:
                "\(destination.type.entityName).\(back.name) may be its inverse, but there is more than one pair of "
                + "relationships; declare the inverse of one of them with inverse:",
            entityName: entityName, propertyName: property.name)
    }

    // MARK: Entities

    private func entity(_ declaration: EntityDeclaration) throws -> Schema.Entity {
        var positions = PropertyPositions(
            storedCount: declaration.properties.count { $0.relationship?.isToMany != true })
        let sample = Self.wrappers(of: declaration.type.probe())
        let properties = try declaration.properties.map { declared in
            try property(
                declared, of: declaration.type, sample[declared.name],
                at: positions.next(isToMany: declared.relationship?.isToMany == true, isLinked: declared.isLinked))
        }
        return try Schema.Entity(
            name: declaration.type.entityName, type: declaration.type, properties: properties,
            uniqueness: declaration.uniqueness, indices: declaration.indices,
            hasEphemeralAttributes: declaration.hasEphemeralAttributes
        ) { keyPath in
            properties.first { $0.keyPath == keyPath }
        } unknown: { keyPath in
            "a key path to \(type(of: keyPath).valueType) that is not a stored property"
        }
    }

    /// - Parameter other: The wrapper of the property in a second instance of the class. Its default value differs from
    ///   that of the declaration if the default is not constant.
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

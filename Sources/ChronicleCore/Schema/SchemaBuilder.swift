/// Reads the declarations of model classes.
///
/// An instance made for the purpose shows the wrappers with their options (through `Mirror`, by the names of the stored
/// properties); the class's map gives name and key path. Comparing the two finds what was forgotten, named twice or
/// misspelled.
struct SchemaBuilder {
    /// A property as declared, before the other side of a relationship is known.
    private struct Declaration {
        let name: String
        let keyPath: AnyKeyPath
        let wrapper: any PropertyDeclaration
        /// The same, if the property is a relationship.
        let relationship: (any RelationshipDeclaration)?
        /// Where the wrapper stands in the model, for attributes of direct types.
        let offset: Int?
        var inverseName: String?
        var inverseKeyPath: AnyKeyPath?
        /// Whether it leads to many and no property of the destination leads to one.
        var isLinked = false

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
        var waiting = types
        while let type = waiting.popLast() {
            if let known = declared[type.entityName] {
                guard known.type == type else {
                    throw SwiftDataError.invalidModel.with(
                        // With what they stand in: their own names are the same.
                        detail: "two classes, \(String(reflecting: known.type)) and \(String(reflecting: type)), "
                            + "have this entity name",
                        entityName: type.entityName)
                }
                continue
            }
            let entity = try declaration(of: type)
            declared[entity.type.entityName] = entity
            waiting += entity.properties.compactMap { $0.relationship?.destinationType }
        }
        try resolveInverses(&declared)
        return try declared.values.sorted { $0.type.entityName < $1.type.entityName }.map(entity)
    }

    // MARK: Declarations

    private func declaration<Model: PersistentModel>(of type: Model.Type) throws -> EntityDeclaration {
        try Model.checkInheritance()
        let (sample, second) = (Model.ModelClass(backingData: .probe()), Model.ModelClass(backingData: .probe()))
        guard sample.persistentBackingData.isProbe else {
            throw SwiftDataError.invalidModel.with(
                detail: "init(backingData:) has to take over its argument", entityName: Model.entityName)
        }
        let wrappers = Self.wrappers(of: sample)
        var properties: [Declaration] = []
        var seen: [AnyKeyPath: String] = [:]
        for (name, keyPath) in Model.properties.elements {
            func invalid(_ detail: String) -> SwiftDataError {
                .invalidModel.with(detail: detail, entityName: Model.entityName, propertyName: name)
            }
            guard !properties.contains(where: { $0.name == name }) else {
                throw invalid("the map names the property twice")
            }
            if let other = seen[keyPath] { throw invalid("the map gives its key path to \"\(other)\" as well") }
            guard let wrapper = wrappers[name] else {
                throw invalid("the map names it, but the class has no @Attribute or @Relationship of that name")
            }
            if wrapper.isEphemeral {
                if let mistake = wrapper.ephemeralDiagnostic { throw invalid(mistake) }
                continue
            }
            let relationship = wrapper.relationship
            if let mistake = relationship?.mistake { throw invalid(mistake) }
            try check(keyPath, wrapper, invalid)
            if relationship == nil, !isKeyPath(keyPath, to: name, wrapper, in: sample) {
                throw invalid("the map gives it the key path of another property")
            }
            seen[keyPath] = name
            let offset = Self.offset(of: keyPath, in: sample, second)
            if offset == nil, let type = (wrapper as? any AttributeDeclaration)?.valueType,
                DirectAttribute(type, at: 0) != nil
            {
                throw invalid("where it stands in the model cannot be found: it has to be stored in the class itself")
            }
            properties.append(
                Declaration(name: name, keyPath: keyPath, wrapper: wrapper, relationship: relationship, offset: offset))
        }
        for (name, wrapper) in wrappers.sorted(by: { $0.key < $1.key })
        where !wrapper.isEphemeral && !properties.contains(where: { $0.name == name }) {
            throw SwiftDataError.invalidModel.with(
                detail: "the class declares it, but its map forgets it: add \"\(name)\": \\.\(name)",
                entityName: Model.entityName, propertyName: name)
        }
        return EntityDeclaration(
            type: type, properties: properties, uniqueness: Model.uniqueness.constraints.map { $0.map { $0 } },
            indices: Model.indices.indices.map { $0.map { $0 } },
            hasEphemeralAttributes: wrappers.values.contains(where: \.isEphemeral))
    }

    /// Where the wrapper of an attribute stands in every instance, as two of them say that were read; `nil` when they say
    /// nothing, or nothing that can be.
    private static func offset<Model: PersistentModel>(
        of keyPath: PartialKeyPath<Model>, in first: Model, _ second: Model
    ) -> Int? {
        guard let offset = first.persistentBackingData.probedOffset else { return nil }
        first.persistentBackingData.probedOffset = nil
        _ = second[keyPath: keyPath]
        guard second.persistentBackingData.probedOffset == offset else { return nil }
        // Behind the two words that every object begins with, and where a wrapper may begin.
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
            throw invalid("the map's key path leads to a \(type(of: keyPath).valueType), the property is a \(declared)")
        }
    }

    /// Reads the property, and looks whether that touched its wrapper. Types of which no sample value comes to mind go
    /// unchecked.
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

    /// Ties the two sides of each relationship together, by declaration or, where there is but one pair, by inference.
    private func resolveInverses(_ entities: inout [String: EntityDeclaration]) throws {
        for entityName in entities.keys.sorted() {
            for index in entities[entityName]!.properties.indices {
                let property = entities[entityName]!.properties[index]
                guard let wrapper = property.relationship, let inverse = wrapper.inverse
                else { continue }
                func invalid(_ detail: String) -> SwiftDataError {
                    .invalidModel.with(detail: detail, entityName: entityName, propertyName: property.name)
                }
                let destination = wrapper.destinationType.entityName
                guard let other = entities[destination]!.properties.firstIndex(where: { $0.keyPath == inverse }) else {
                    throw invalid("its inverse is no relationship of \(destination)")
                }
                let back = entities[destination]!.properties[other]
                guard back.relationship?.destinationType.entityName == entityName else {
                    throw invalid("its inverse \(destination).\(back.name) does not lead back to \(entityName)")
                }
                guard back.inverseName == nil || back.inverseName == property.name else {
                    throw invalid("its inverse \(destination).\(back.name) is also that of \(back.inverseName!)")
                }
                guard property.inverseName == nil || property.inverseName == back.name else {
                    throw invalid("\(destination).\(property.inverseName!) names it as its inverse already")
                }
                entities[destination]!.properties[other].setInverse(property)
                entities[entityName]!.properties[index].setInverse(back)
            }
        }
        inferInverses(&entities)
        try findLinks(&entities)
    }

    private func inferInverses(_ entities: inout [String: EntityDeclaration]) {
        func open(_ source: String, to destination: String) -> [Int] {
            entities[source]!.properties.indices.filter { index in
                let property = entities[source]!.properties[index]
                return property.inverseName == nil
                    && property.relationship?.destinationType.entityName == destination
            }
        }
        for source in entities.keys.sorted() {
            for destination in entities.keys.sorted() where destination != source {
                let (there, back) = (open(source, to: destination), open(destination, to: source))
                guard there.count == 1, back.count == 1 else { continue }
                entities[source]!.properties[there[0]].setInverse(entities[destination]!.properties[back[0]])
                entities[destination]!.properties[back[0]].setInverse(entities[source]!.properties[there[0]])
            }
        }
    }

    /// Finds the to-many relationships that no column of the destination can stand for.
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

    /// A property that may have an inverse or may not: which of the two was meant makes a difference to what is stored.
    private func checkAmbiguity(
        of property: Declaration, in entityName: String, _ destination: EntityDeclaration
    ) throws {
        guard destination.type.entityName != entityName,
            let back = destination.properties.first(where: {
                $0.inverseName == nil && $0.relationship?.destinationType.entityName == entityName
            })
        else { return }
        throw SwiftDataError.invalidModel.with(
            detail:
                "whether \(destination.type.entityName).\(back.name) is its inverse cannot be told: there is more than "
                + "one pair, so name the inverse of one with inverse:",
            entityName: entityName, propertyName: property.name)
    }

    // MARK: Entities

    private func entity(_ declaration: EntityDeclaration) throws -> Schema.Entity {
        var slot = 0
        var linkMark = declaration.properties.count { $0.relationship?.isToMany != true }
        var properties: [Schema.Property] = []
        for declared in declaration.properties {
            let stored = declared.relationship?.isToMany != true
            properties.append(
                try property(
                    declared, of: declaration.type, index: properties.count, slot: stored ? slot : -1,
                    mark: stored ? slot : declared.isLinked ? linkMark : -1))
            if stored { slot += 1 }
            if declared.isLinked { linkMark += 1 }
        }
        func stored(_ sets: [[AnyKeyPath]], _ declaredBy: String) throws -> [[Schema.Property]] {
            let found = try sets.map { try self.stored($0, declaredBy, in: properties, of: declaration.type) }
            // What is named twice, or `.unique` as well, is one index all the same.
            var seen: Set<[Int]> = []
            return found.filter { seen.insert($0.map(\.slot)).inserted }
        }
        let unique = properties.filter(\.isUnique).map { [$0.keyPath] }
        return Schema.Entity(
            type: declaration.type, properties: properties,
            uniqueness: try stored(unique + declaration.uniqueness, "a uniqueness constraint"),
            indices: try stored(declaration.indices, "an index"),
            hasEphemeralAttributes: declaration.hasEphemeralAttributes)
    }

    private func stored(
        _ keyPaths: [AnyKeyPath], _ declaredBy: String, in properties: [Schema.Property],
        of type: any PersistentModel.Type
    ) throws -> [Schema.Property] {
        func invalid(_ what: String, _ name: String? = nil) -> SwiftDataError {
            .invalidModel.with(detail: "\(declaredBy) names \(what)", entityName: type.entityName, propertyName: name)
        }
        if keyPaths.isEmpty { throw invalid("no property") }
        return try keyPaths.map { keyPath in
            guard let property = properties.first(where: { $0.keyPath == keyPath }) else {
                throw invalid("a key path to \(Swift.type(of: keyPath).valueType), which is no stored property")
            }
            guard property.slot >= 0 else {
                throw invalid("a relationship to many, which has no column", property.name)
            }
            return property
        }
    }

    private func property<Model: PersistentModel>(
        _ declared: Declaration, of model: Model.Type, index: Int, slot: Int, mark: Int
    ) throws -> Schema.Property {
        if let wrapper = declared.relationship {
            let relationship = Schema.Relationship(
                name: declared.name, originalName: declared.wrapper.originalName ?? declared.name,
                keypath: declared.keyPath, inverseKeyPath: declared.inverseKeyPath, valueType: wrapper.valueType,
                deleteRule: wrapper.deleteRule, destination: wrapper.destinationType.entityName,
                isToMany: wrapper.isToMany, isOptional: wrapper.isOptional, inverseName: declared.inverseName,
                isLinked: declared.isLinked, options: wrapper.options.elements,
                minimumModelCount: wrapper.counts.minimum, maximumModelCount: wrapper.counts.maximum)
            guard let access = wrapper.access(declared.keyPath, model) else {
                throw SwiftDataError.invalidModel.with(
                    detail: "a relationship has to be a `var` that its class can write",
                    entityName: Model.entityName, propertyName: declared.name)
            }
            return Schema.Property(
                name: declared.name, previousName: declared.wrapper.originalName, index: index, slot: slot, mark: mark,
                offset: nil, kind: .relationship(relationship), defaultValue: nil, access: access)
        }
        let wrapper = declared.wrapper as! any AttributeDeclaration  // the only other kind of wrapper
        guard let codec = PropertyCodecs.codec(of: wrapper.valueType),
            let access = wrapper.access(declared.keyPath, model, codec)
        else {
            throw SwiftDataError.unsupportedAttributeType.with(
                detail:
                    "\(wrapper.valueType) cannot be stored: make it Codable, or the property @Transient (by hand: without wrapper)",
                entityName: Model.entityName, propertyName: declared.name)
        }
        let encodedDefault = try wrapper.declaredDefault.flatMap(codec.encodeAny)
        let attribute = Schema.Attribute(
            name: declared.name, originalName: wrapper.originalName ?? declared.name,
            options: wrapper.options.elements, encodedDefault: encodedDefault, codec: codec, storage: codec.storage,
            isOptional: codec.isOptional,
            valueType: wrapper.valueType)
        return Schema.Property(
            name: declared.name, previousName: wrapper.originalName, index: index, slot: slot, mark: mark,
            offset: declared.offset, kind: .attribute(attribute),
            defaultValue: encodedDefault,
            access: access)
    }
}

// Reads the declarations of model classes.
extension SchemaBuilder {
    /// The declaration of a property; its inverse is resolved later.
    struct Declaration {
        let name: String
        let keyPath: AnyKeyPath
        let wrapper: any PropertyDeclaration
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

    struct EntityDeclaration {
        let type: any PersistentModel.Type
        var properties: [Declaration]
        let superclass: (any PersistentModel.Type)?
        /// The key paths of the class to the properties that it inherits, by name.
        let inheritedKeyPaths: [(name: String, keyPath: AnyKeyPath)]
        let uniqueness: [[AnyKeyPath]]
        let indices: [[AnyKeyPath]]
        let hasEphemeralAttributes: Bool

        var storedCount: Int { properties.count { $0.relationship?.isToMany != true } }

        func chain(in declared: [String: EntityDeclaration]) -> [EntityDeclaration] {
            var chain = [self]
            while let superclass = chain.last?.superclass, let next = declared[superclass.entityName] {
                chain.append(next)
            }
            return chain
        }

        mutating func removeInherited(_ declared: [String: EntityDeclaration]) {
            let inherited = Set(chain(in: declared).dropFirst().flatMap { $0.properties.map(\.name) })
            properties.removeAll { inherited.contains($0.name) }
        }
    }

    func declaration<Model: PersistentModel>(of type: Model.Type) throws -> EntityDeclaration {
        try Model.checkInheritance()
        let (sample, second) = (Model.probe(), Model.probe())
        guard sample.persistentBackingData.isProbe else {
            throw SwiftDataError.invalidModel.with(
                detail: "init(backingData:) must adopt or store its argument", entityName: Model.entityName)
        }
        let wrappers = Self.wrappers(of: sample)
        var properties: [Declaration] = []
        var seen: [AnyKeyPath: String] = [:]
        for (name, keyPath) in Model.allProperties.elements {
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
        let subclass = Model.ownSubclass
        let uniqueness = subclass?.uniqueness(of: Model.self).constraints.map { $0.map { $0 as AnyKeyPath } }
        let indices = subclass?.indices(of: Model.self).indices.map { $0.map { $0 as AnyKeyPath } }
        return EntityDeclaration(
            type: type, properties: properties, superclass: try superclass(of: sample),
            inheritedKeyPaths: subclass == nil
                ? []
                : properties.map { ($0.name, $0.keyPath) }
                    + Model.allProperties.overrides.map { ($0.name, $0.keyPath) },
            uniqueness: uniqueness ?? Model.uniqueness.constraints.map { $0.map { $0 } },
            indices: indices ?? Model.indices.indices.map { $0.map { $0 } },
            hasEphemeralAttributes: wrappers.values.contains(where: \.isEphemeral))
    }

    private func superclass<Model: PersistentModel>(of model: Model) throws -> (any PersistentModel.Type)? {
        guard Model.isSubclass else { return nil }
        return Mirror(reflecting: model).superclassMirror?.subjectType as? any PersistentModel.Type
    }

    /// Reading the property of an instance records the offset of its wrapper. Returns `nil` if nothing was recorded, if two
    /// instances differ, or if the offset is not plausible.
    private static func offset<Model: PersistentModel>(
        of keyPath: PartialKeyPath<Model>, in first: Model, _ second: Model
    ) -> Int? {
        guard let offset = first.persistentBackingData.probedOffset else { return nil }
        first.persistentBackingData.probedOffset = nil
        second.persistentBackingData.discardWrapperValues()
        _ = second[keyPath: keyPath]
        guard second.persistentBackingData.probedOffset == offset else { return nil }
        // An object begins with a header of two words, and wrappers are aligned to their generation number.
        let isPlausible = offset >= 2 * MemoryLayout<Int>.size && offset < 1 << 20 && offset.isMultiple(of: 4)
        return isPlausible ? offset : nil
    }

    static func wrappers(of model: any PersistentModel) -> [String: any PropertyDeclaration] {
        var found: [String: any PropertyDeclaration] = [:]
        var mirror: Mirror? = Mirror(reflecting: model)
        while let current = mirror {
            for child in current.children {
                // Swift stores the wrapper of `name` as `_name`.
                guard let label = child.label, label.hasPrefix("_"),
                    let wrapper = child.value as? any PropertyDeclaration
                else { continue }
                found[String(label.dropFirst())] = wrapper
            }
            mirror = current.superclassMirror
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

    /// Reads the property and checks whether this set a value in the wrapper. Returns `true` for types without a sample value, for
    /// which this check is not possible.
    private func isKeyPath<Model: PersistentModel>(
        _ keyPath: PartialKeyPath<Model>, to name: String, _ wrapper: any PropertyDeclaration, in sample: Model
    ) -> Bool {
        guard let type = (wrapper as? any AttributeDeclaration)?.valueType,
            PropertyCodecs.codec(of: type)?.sample() != nil
        else { return true }
        // The initializer or another getter may have set or read the attribute.
        sample.persistentBackingData.discardWrapperValues()
        _ = sample[keyPath: keyPath]
        return Self.wrappers(of: sample)[name]?.isSet == true
    }
}

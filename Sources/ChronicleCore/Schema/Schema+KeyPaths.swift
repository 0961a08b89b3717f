extension Schema {
    /// Returns the source text of a key path, such as `\Item.trip?.name`, for messages. A component that is not a property of a
    /// model in the schema is replaced by `…` and the type of its value.
    ///
    /// - Parameters:
    ///   - keyPath: A key path of the model class.
    ///   - entity: The entity of the model class.
    /// - Returns: The source text of the key path.
    /// - Complexity: O(*n*), where *n* is the number of properties of the entities along the key path.
    public func text(of keyPath: AnyKeyPath, from entity: Entity) -> String {
        // Swift describes a property with a wrapper by the address of its getter, which is the same as in the
        // description of the key path in the schema.
        var text = "\\\(entity.type)"
        var rest = "\(keyPath)".dropFirst(text.count)
        var current: Entity? = entity
        while let entity = current, let (property, end) = entity.firstProperty(of: rest) {
            rest = rest[end...]
            let mark = rest.prefix { "?!".contains($0) }
            rest = rest.dropFirst(mark.count)
            // A mark at the end comes from a conversion to an optional and is not part of the source.
            text += ".\(property.name)" + (rest.isEmpty ? "" : mark)
            current = property.relationship.flatMap { entitiesByName[$0.destination] }
        }
        if rest.hasSuffix("?") { rest = rest.dropLast() }
        return rest.contains("<") ? "\(text).… (\(Swift.type(of: keyPath).valueType))" : text + rest
    }
}

extension Schema {
    /// Returns the properties along a key path, such as `\Item.trip?.name` or `\Trip.address.city`, to sort by the value at its
    /// end. A path is nil where one of its parts is nil.
    ///
    /// - Parameters:
    ///   - keyPath: A key path of the model class.
    ///   - entity: The entity of the model class.
    /// - Returns: To-one relationships, then a property, then the members of its `Codable` value. `nil` if a component is not a
    ///   stored property of a model.
    /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the JSON of a `Codable` value does not contain a member in a known place,
    ///   or if the getters of a key path of several properties are not known, which is possible in an optimized program. Sort the
    ///   fetched models instead.
    /// - Complexity: O(1) for a key path of one property; otherwise O(*n*), where *n* is the number of properties of the entities
    ///   along the key path.
    public func path(of keyPath: AnyKeyPath, from entity: Entity) throws -> [ModelProperty]? {
        if let property = ModelProperty(keyPath, of: entity) { return [property] }
        guard let (properties, rest) = describedPath(of: keyPath, from: entity), let last = properties.last else {
            let reader = KeyPathReader(keyPath, entity, self)
            guard reader.isRequired, reader.hasSeveralProperties else { return nil }
            guard let path = reader.path() else { throw unknownGetter(of: entity) }
            return path.map(ModelProperty.stored)
        }
        var path = properties.map(ModelProperty.stored)
        if ModelProperty.stored(last).isJSON {
            path += try CodableMember.members(rest, of: ModelProperty.stored(last).valueType).map { .member($0) }
        } else if rest.contains(where: { !"?!".contains($0) }) {
            return nil
        }
        // An unknown form of the description must not select another property.
        guard let found = path.last?.valueType, unwrapped(found) == unwrapped(Swift.type(of: keyPath).valueType) else {
            return nil
        }
        return path
    }

    private func unknownGetter(of entity: Entity) -> SwiftDataError {
        let advice =
            entity.superentityName == nil
            ? "move the key path to the file that declares the model"
            : "fetch the class that declares the property, with the predicate `$0 is \(entity.name)`"
        return .unsupportedKeyPath.with(
            detail: "it begins with a computed property, or with one whose getter is not known; in that case, \(advice)"
        )
    }

    /// Returns the same as ``path(of:from:)``, and `nil` for a key path that only models in memory can be sorted by.
    func storedPath(of keyPath: AnyKeyPath, from entity: Entity) -> [ModelProperty]? {
        do { return try path(of: keyPath, from: entity) } catch { return nil }
    }

    /// Returns the properties along a key path, and the rest of its description.
    private func describedPath(of keyPath: AnyKeyPath, from entity: Entity) -> (
        properties: [Property], rest: Substring
    )? {
        // Swift has no other access to the components of a key path than its description.
        var rest = "\(keyPath)".dropFirst("\\\(entity.type)".count)
        var current = entity
        var path: [Property] = []
        while let (property, end) = current.firstProperty(of: rest) {
            rest = rest[end...]
            path.append(property)
            guard let relationship = property.relationship else { break }
            guard !relationship.isToMany, let destination = entitiesByName[relationship.destination] else { return nil }
            rest = rest.drop { "?!".contains($0) }
            current = destination
        }
        guard let last = path.last else { return nil }
        // Values have computed properties, too.
        return ModelProperty.stored(last).isJSON || !rest.contains(Self.getter) ? (path, rest) : nil
    }

    /// The beginning of a getter in a description, before its address and the type of its value.
    static let getter = ".<computed "
}

extension Schema.Entity {
    /// Whether the description of a key path begins with the getter of a property.
    func hasGetter(of keyPath: AnyKeyPath) -> Bool {
        firstProperty(of: "\(keyPath)".dropFirst("\\\(type)".count)) != nil
    }

    /// Returns the property whose key path is a prefix of a description without its root, and the end of that prefix.
    fileprivate func firstProperty(of description: Substring) -> (Schema.Property, Substring.Index)? {
        for property in properties {
            guard let keyPath = property.keyPath else { continue }
            let own = "\(keyPath)".dropFirst("\\\(type)".count)
            if !own.isEmpty, description.hasPrefix(own) {
                return (property, description.index(description.startIndex, offsetBy: own.count))
            }
        }
        return nil
    }
}

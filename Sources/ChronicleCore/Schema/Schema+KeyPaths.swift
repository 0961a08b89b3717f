extension Schema {
    /// Returns the source text of a key path, such as `\Item.trip?.name`.
    ///
    /// Use it in messages about key paths that a store cannot sort by or compare. A component that is not a property of
    /// a model in the schema is replaced by `…` and the type of its value.
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

extension Schema.Entity {
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

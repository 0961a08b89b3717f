extension Schema {
    /// A key path as it stands in a source, `\Item.trip?.name`, as far as that can be found out: for what a store says about
    /// those that it cannot sort by or compare.
    ///
    /// What is no property of a model, nor of one that it has a relationship to, becomes `…` and a type.
    public func text(of keyPath: AnyKeyPath, from entity: Entity) -> String {
        // Swift describes a property that has a wrapper by the address of its getter, and so it does in the class's map.
        var text = "\\\(entity.type)"
        var rest = "\(keyPath)".dropFirst(text.count)
        var place: Entity? = entity
        while let here = place, let (property, end) = here.firstProperty(of: rest) {
            rest = rest[end...]
            let mark = rest.prefix { "?!".contains($0) }
            rest = rest.dropFirst(mark.count)
            // A mark at the end stands for what Swift makes of the one before.
            text += ".\(property.name)" + (rest.isEmpty ? "" : mark)
            place = property.relationship.flatMap { entitiesByName[$0.destination] }
        }
        if rest.hasSuffix("?") { rest = rest.dropLast() }
        return rest.contains("<") ? "\(text).… (\(Swift.type(of: keyPath).valueType))" : text + rest
    }
}

extension Schema.Entity {
    /// The property whose key path begins a description without its root, and where that goes on.
    fileprivate func firstProperty(of description: Substring) -> (Schema.Property, Substring.Index)? {
        for property in properties {
            let own = "\(property.keyPath)".dropFirst("\\\(type)".count)
            if !own.isEmpty, description.hasPrefix(own) {
                return (property, description.index(description.startIndex, offsetBy: own.count))
            }
        }
        return nil
    }
}

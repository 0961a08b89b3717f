// Descriptions for debugging, whose format may change.

extension Schema: CustomDebugStringConvertible {
    /// The names of the entities with their properties.
    public var debugDescription: String {
        "Schema(\(entities.map(\.debugDescription).sorted().joined(separator: ", ")))"
    }
}

extension Schema.Entity: CustomDebugStringConvertible {
    /// The name of the entity with its properties.
    public var debugDescription: String {
        "\(name)(\(properties.map { "\($0.name): \($0.typeDescription)" }.joined(separator: ", ")))"
    }
}

extension Schema.Attribute: CustomDebugStringConvertible {
    /// The name and the type of the attribute.
    public var debugDescription: String { "Attribute(\(name): \(valueType))" }
}

extension Schema.Relationship: CustomDebugStringConvertible {
    /// The name, the destination, the delete rule and the inverse of the relationship.
    public var debugDescription: String {
        "Relationship(\(name): \(isToMany ? "[\(destination)]" : destination), deleteRule: \(deleteRule), "
            + "inverse: \(inverseName ?? "none"))"
    }
}

extension Schema.Property {
    fileprivate var typeDescription: String {
        if let attribute { return "\(attribute.valueTypeName)" }
        guard let relationship else { return "?" }
        return relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination
    }
}

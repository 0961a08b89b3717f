// Descriptions for debugging, whose format may change.

extension Schema: CustomDebugStringConvertible {
    public var debugDescription: String {
        "Schema(\(entities.map(\.debugDescription).sorted().joined(separator: ", ")))"
    }
}

extension Schema.Entity: CustomDebugStringConvertible {
    public var debugDescription: String {
        "\(name)(\(properties.map { "\($0.name): \($0.typeDescription)" }.joined(separator: ", ")))"
    }
}

extension Schema.Attribute: CustomDebugStringConvertible {
    public var debugDescription: String { "Attribute(\(name): \(valueType))" }
}

extension Schema.Relationship: CustomDebugStringConvertible {
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

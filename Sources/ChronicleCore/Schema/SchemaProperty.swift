/// A property of a model class: an attribute or a relationship.
///
/// ``Schema/Attribute`` and ``Schema/Relationship`` describe the two kinds, and ``Schema/Property`` either of them.
public protocol SchemaProperty: Hashable, Sendable {
    /// The name of the property in its class, and in the store.
    var name: String { get }
    /// The name that the property had before it was renamed; ``name`` if it was not.
    var originalName: String { get }
    /// The Swift type of the property.
    var valueType: any Any.Type { get }
    /// Whether the property is an attribute.
    var isAttribute: Bool { get }
    /// Whether the property is a relationship.
    var isRelationship: Bool { get }
    /// Whether the property is not stored. A schema has stored properties only.
    var isTransient: Bool { get }
    /// Whether a model may have no value for the property.
    var isOptional: Bool { get }
    /// Whether no two models of the entity may have the same value, by the declaration of this property alone.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    public var isRelationship: Bool { !isAttribute }
    public var isTransient: Bool { false }
}

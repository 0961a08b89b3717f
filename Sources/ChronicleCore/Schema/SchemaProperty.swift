/// A property of a model class: an attribute or a relationship.
///
/// ``Schema/Property`` describes a property of either kind.
public protocol SchemaProperty: Hashable, Sendable {
    /// The name of the property in its class, and in the store.
    var name: String { get }
    /// The name of the property before it was renamed, or ``name`` if it was not renamed.
    var originalName: String { get }
    /// The Swift type of the property.
    var valueType: any Any.Type { get }
    /// Whether the property is an attribute.
    var isAttribute: Bool { get }
    /// Whether the property is a relationship.
    var isRelationship: Bool { get }
    /// Whether the property is not stored. Always `false`, because a schema contains only stored properties.
    var isTransient: Bool { get }
    /// Whether a model may have no value for the property.
    var isOptional: Bool { get }
    /// Whether the values must be unique because of the property's options, without ``PersistentModel/uniqueness``.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// ``originalName`` if the property was renamed.
    var previousName: String? { originalName == name ? nil : originalName }
    public var isRelationship: Bool { !isAttribute }
    public var isTransient: Bool { false }
}

public import Foundation

/// A property of a model in a predicate.
public enum ModelProperty: PredicateProperty {
    /// ``PersistentModel/persistentModelID``, also as `id`.
    case identifier
    /// An attribute or a relationship.
    case stored(Schema.Property)

    public var name: String {
        switch self {
        case .identifier: "persistentModelID"
        case .stored(let property): property.name
        }
    }

    public var isToMany: Bool {
        if case .stored(let property) = self { property.relationship?.isToMany == true } else { false }
    }

    public static func == (lhs: ModelProperty, rhs: ModelProperty) -> Bool {
        switch (lhs, rhs) {
        case (.identifier, .identifier): true
        case (.stored(let a), .stored(let b)): a === b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        if case .stored(let property) = self { hasher.combine(ObjectIdentifier(property)) }
    }
}

extension PredicateTree where Property == ModelProperty {
    /// The tree of a predicate on models.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for what no store can answer; the detail names the part.
    public init<Model: PersistentModel>(_ predicate: Predicate<Model>, schema: Schema) throws {
        self = try PredicateWalker.tree(of: predicate, ModelKeyPaths(schema: schema))
    }
}

/// The key paths of the models of a schema.
struct ModelKeyPaths: PredicateResolver {
    let schema: Schema

    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> ModelProperty? {
        guard let model = type as? any PersistentModel.Type, let entity = schema.entity(for: model) else { return nil }
        return ModelProperty(keyPath, of: entity)
    }
}

extension ModelProperty {
    /// The property of an entity that a key path leads to; `nil` for a key path through several properties, too.
    public init?(_ keyPath: AnyKeyPath, of entity: Schema.Entity) {
        if let property = entity.property(at: keyPath) {
            self = .stored(property)
        } else if entity.isIdentifier(keyPath) {
            self = .identifier
        } else {
            return nil
        }
    }
}

extension Schema.Property {
    /// Whether the stored values are in the order of the property's, so that a store can sort by them: numbers, text,
    /// dates and UUIDs, but neither `Decimal` nor a `Comparable` type of a program's own.
    public var hasStoredOrder: Bool {
        attribute.map { StoredOrder.isKnown($0.valueType) } ?? false
    }
}

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
        var walker = PredicateWalker(ModelKeyPaths(schema: schema), subject: predicate.variable)
        self = try walker.tree(predicate.expression)
    }
}

/// The key paths of the models of a schema.
struct ModelKeyPaths: PredicateResolver {
    let schema: Schema

    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> ModelProperty? {
        guard let model = type as? any PersistentModel.Type else { return nil }
        if let property = schema.entity(for: model)?.property(at: keyPath) { return .stored(property) }
        return model.isIdentifier(keyPath) ? .identifier : nil
    }
}

extension PersistentModel {
    static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
        keyPath == \Self.persistentModelID || keyPath == Self.idKeyPath
    }
}

import Foundation

extension FetchDescriptor: Equatable {
    /// Compares the predicates by their structure, properties and captured values, or by their descriptions if Chronicle cannot
    /// translate them.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the predicates, including captured collections.
    public static func == (lhs: FetchDescriptor, rhs: FetchDescriptor) -> Bool {
        lhs.fetchLimit == rhs.fetchLimit && lhs.fetchOffset == rhs.fetchOffset
            && lhs.includePendingChanges == rhs.includePendingChanges && lhs.sortBy == rhs.sortBy
            && lhs.relationshipKeyPathsForPrefetching as [AnyKeyPath] == rhs.relationshipKeyPathsForPrefetching
            && lhs.propertiesToFetch as [AnyKeyPath] == rhs.propertiesToFetch
            && isEqual(lhs.predicate, rhs.predicate)
    }

    private static func isEqual(_ lhs: Predicate<T>?, _ rhs: Predicate<T>?) -> Bool {
        guard let lhs, let rhs else { return lhs == nil && rhs == nil }
        // Predicates are not `Equatable`, and their descriptions omit the stores of captured identifiers.
        return switch (tree(of: lhs), tree(of: rhs)) {
        case (let left?, let right?): left == right
        case (nil, nil): lhs.description == rhs.description
        default: false
        }
    }

    private static func tree(of predicate: Predicate<T>) -> PredicateTree<PropertyMapKeyPaths.Property>? {
        // Not an error of a comparison: a fetch with the predicate throws it.
        do { return try PredicateWalker.tree(of: predicate, PropertyMapKeyPaths()) } catch { return nil }
    }
}

/// Resolves key paths with ``PersistentModel/properties``, because a descriptor has no schema.
private struct PropertyMapKeyPaths: PredicateResolver {
    struct Property: PredicateProperty {
        let name: String
        let isToMany: Bool
    }

    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> Property? {
        guard let model = type as? any PersistentModel.Type else { return nil }
        if model.identifierKeyPaths.contains(keyPath) { return Property(name: "persistentModelID", isToMany: false) }
        return stored(keyPath, model)
    }

    private func stored<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> Property? {
        Model.allProperties.name(of: keyPath).map { Property(name: $0, isToMany: Self.isToMany(keyPath)) }
    }

    private static func isToMany(_ keyPath: AnyKeyPath) -> Bool {
        let type = Swift.type(of: keyPath).valueType
        return type is any RelationshipCollection.Type || type is any OptionalRelationshipCollection.Type
    }
}

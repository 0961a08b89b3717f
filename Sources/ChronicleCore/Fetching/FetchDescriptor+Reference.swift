extension FetchDescriptor {
    /// Returns the property and the identifier that the predicate compares, if it is one of the two predicates that
    /// contexts create to resolve relationships.
    ///
    /// Contexts fetch the model with a given identifier, in `existingModel(for:)` and to read to-one relationships. The
    /// property is then ``ModelProperty/identifier``. They fetch the models whose to-one relationship references a
    /// given model to read to-many relationships. The property is then that to-one relationship.
    ///
    /// In a store that lets the context filter, handle these two predicates in the store. Otherwise, reading a
    /// relationship reads all rows.
    ///
    /// ```swift
    /// switch request.descriptor.reference(schema) {
    /// case (.identifier, let identifier)?:
    ///     // Return the row with the identifier, if it exists.
    /// case (.stored(let property), let identifier)?:
    ///     // Return the rows that have .reference(identifier) at property.slot.
    /// case nil: …
    /// }
    /// ```
    ///
    /// - Parameter schema: The schema of the store.
    /// - Returns: The property and the identifier, or `nil` for any other predicate.
    public func reference(_ schema: Schema) -> (property: ModelProperty, identifier: PersistentIdentifier)? {
        guard let predicate else { return nil }
        let tree: PredicateTree<ModelProperty>
        // An unsupported predicate is not one of the two.
        do { tree = try PredicateTree(predicate, schema: schema) } catch { return nil }
        guard case .equal(.path(let path), .constant(.reference(let identifier))) = tree,
            let first = path.properties.first
        else { return nil }
        switch (first, path.properties.count) {
        case (.identifier, 1): return (first, identifier)
        // Attributes can also have identifiers as values, but store them in a different form. The predicate compares
        // either `trip` or `trip?.persistentModelID`.
        case (.stored(let property), let count)
        where property.relationship != nil && (count == 1 || count == 2 && path.properties[1] == .identifier):
            return (first, identifier)
        default: return nil
        }
    }
}

extension FetchDescriptor {
    /// What the predicate asks for, when it is one of the two questions that contexts ask for themselves: for the model
    /// with an identifier (then the property is ``ModelProperty/identifier``), as `existingModel(for:)` and to-one relationships
    /// do, and for the models whose to-one relationship leads to a model, as to-many relationships do. `nil` for every
    /// other predicate.
    ///
    /// A store that leaves filtering to contexts does well to answer these two: otherwise reading a relationship reads
    /// all rows.
    ///
    /// ```swift
    /// switch request.descriptor.reference(schema) {
    /// case (.identifier, let identifier)?: …                 // this row, if it is there
    /// case (.stored(let property), let identifier)?: …       // the rows with .reference(identifier) in property.slot
    /// case nil: …
    /// }
    /// ```
    public func reference(_ schema: Schema) -> (property: ModelProperty, identifier: PersistentIdentifier)? {
        guard let predicate else { return nil }
        let tree: PredicateTree<ModelProperty>
        // What nobody can translate is neither of the two.
        do { tree = try PredicateTree(predicate, schema: schema) } catch { return nil }
        guard case .equal(.path(let path), .constant(.reference(let identifier))) = tree,
            let first = path.properties.first
        else { return nil }
        switch (first, path.properties.count) {
        case (.identifier, 1): return (first, identifier)
        // An attribute may hold an identifier too, in another form. `trip?.persistentModelID` is what `trip` is.
        case (.stored(let property), let count)
        where property.relationship != nil && (count == 1 || count == 2 && path.properties[1] == .identifier):
            return (first, identifier)
        default: return nil
        }
    }
}

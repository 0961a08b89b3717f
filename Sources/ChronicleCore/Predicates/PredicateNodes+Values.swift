import Foundation

extension PredicateExpressions.Value: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        try walker.constant(value)
    }

    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        throw walker.unsupported("a closure on the elements of a captured \(Output.self)")
    }
}

extension PredicateExpressions.NilLiteral: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .constant(.null)
    }
}

extension PredicateExpressions.Variable: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        guard !isToMany(Output.self) else { throw walker.unsupported("models as a single value") }
        return try walker.value(of: self)
    }

    /// Of `trip.items` in `trip.items?.isEmpty`.
    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        guard isToMany(Output.self), case .path(let path) = try walker.value(of: self) else {
            throw walker.unsupported("Variable as a collection")
        }
        return PredicateTree.Elements(path: path, variable: walker.newVariable())
    }
}

extension PredicateExpressions.Conditional: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .conditional(try walker.tree(test), then: try walker.tree(trueBranch), else: try walker.tree(falseBranch))
    }
}

// MARK: Optionals

/// Whether it is the type of a to-many relationship. One that is optional is never nil in a context, so that
/// `trip.items?.isEmpty` says what `trip.items.isEmpty` does.
func isToMany<Value>(_ type: Value.Type) -> Bool { RelationshipShape<Value>.known?.isToMany == true }

extension PredicateWalker {
    /// Whether there are models at all, if only none: whether there is an object that has them.
    mutating func presence(ofModels models: some PredicateExpression) throws -> Tree {
        var owner = try elements(models).path
        owner.properties.removeLast()
        return owner.properties.isEmpty ? .constant(.integer(1)) : .not(.equal(.path(owner), .constant(.null)))
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        if isToMany(Wrapped.self) { return try treeOfModels(&walker) }
        let value = try walker.tree(wrapped)
        let result = try walker.tree(transform, with: variable, being: value.whenPresent)
        // A path is nil wherever one of its parts is, which is what `trip.livingAccommodation?.name` says.
        if case .path(let start) = value, case .path(let end) = result, end.begins(with: start) { return result }
        return .ifPresent(value, then: result)
    }

    /// The models themselves are never nil; the object that has them may be.
    private func treeOfModels<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let models = try walker.elements(wrapped)
        guard models.filter == nil else { throw walker.unsupported("OptionalFlatMap of a Filter") }
        let result = try walker.tree(transform, with: variable, being: .path(models.path))
        var owner = models.path
        owner.properties.removeLast()
        return owner.properties.isEmpty ? result : .ifPresent(.path(owner), then: result)
    }

    /// Of `item.trip?.items`.
    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        guard !isToMany(Wrapped.self) else { throw walker.unsupported("OptionalFlatMap as a collection") }
        let value = try walker.tree(wrapped)
        return try walker.elements(transform, with: variable, being: value.whenPresent)
    }
}

extension PredicateExpressions.NilCoalesce: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .coalesce(try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .unwrapped(try walker.tree(inner))
    }

    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        try walker.elements(inner)
    }
}

extension PredicateTree {
    /// The value where it is known not to be nil.
    fileprivate var whenPresent: PredicateTree {
        if case .ifPresent(_, let result) = self { result.whenPresent } else { self }
    }
}

extension PredicateTree.Path {
    fileprivate func begins(with start: PredicateTree.Path) -> Bool {
        variable == start.variable && properties.starts(with: start.properties)
    }
}

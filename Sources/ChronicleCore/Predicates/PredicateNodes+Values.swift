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
        try walker.value(of: self)
    }
}

extension PredicateExpressions.Conditional: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .conditional(try walker.tree(test), then: try walker.tree(trueBranch), else: try walker.tree(falseBranch))
    }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        let value = try walker.tree(wrapped)
        let result = try walker.tree(transform, with: variable, being: value.whenPresent)
        // A path is nil wherever one of its parts is, which is what `trip.livingAccommodation?.name` says.
        if case .path(let start) = value, case .path(let end) = result, end.begins(with: start) { return result }
        return .ifPresent(value, then: result)
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

import Foundation

// MARK: Captured collections

extension PredicateExpressions.SequenceContains: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        if let range = sequence as? any PredicateRange, let bounds = try range.bounds(&walker) {
            return try walker.condition(that: walker.tree(element), isIn: bounds, of: RHS.Output.self)
        }
        if let captured = sequence as? any CapturedValue {
            // What is no collection may be endless.
            guard let collection = captured.captured as? any Collection else {
                throw walker.unsupported("SequenceContains in a captured \(LHS.Output.self)")
            }
            return .isOneOf(try walker.tree(element), try walker.constants(collection))
        }
        let elements = try walker.elements(sequence)
        let each = PredicateTree<Resolver.Property>.Path(variable: elements.variable, properties: [])
        return .exists(elements.and(.equal(.path(each), try walker.tree(element))))
    }
}

/// A node that knows its value.
private protocol CapturedValue {
    var captured: Any { get }
}

extension PredicateExpressions.Value: CapturedValue {
    fileprivate var captured: Any { value }
}

// MARK: To-many properties

extension PredicateExpressions.SequenceContainsWhere: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .exists(try walker.elements(sequence, variable, where: test))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .not(.exists(try walker.elements(sequence, variable, where: test, negated: true)))
    }
}

extension PredicateExpressions.Filter: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        throw walker.unsupported("Filter as a single value")
    }

    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        try walker.elements(sequence, variable, where: filter)
    }
}

// MARK: Text

extension PredicateExpressions.CollectionContainsCollection: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        guard Base.Output.self == String.self, Other.Output.self == String.self else {
            throw walker.unsupported("CollectionContainsCollection of \(Base.Output.self)")
        }
        return .contains(try walker.tree(base), try walker.tree(other))
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
            throw walker.unsupported("SequenceStartsWith of \(Base.Output.self)")
        }
        return .starts(try walker.tree(base), with: try walker.tree(prefix))
    }
}

import Foundation

// MARK: Captured collections

extension PredicateExpressions.SequenceContains: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (sequence, element) = node.pair
        if let bounds = try walker.bounds(sequence) {
            return try walker.condition(that: walker.tree(element), isIn: bounds, of: RHS.Output.self)
        }
        if let captured = sequence.captured {
            // A sequence that is not a collection may be infinite.
            guard let collection = captured as? any Collection else {
                throw walker.unsupported(
                    "SequenceContains in a captured \(LHS.Output.self), which is not a Collection,")
            }
            return .isOneOf(try walker.tree(element), try walker.constants(collection))
        }
        var elements = try walker.elements(sequence)
        let each = PredicateTree<Resolver.Property>.Path(variable: elements.variable, properties: [])
        let value = try walker.tree(element)
        // The value is evaluated even if there are no elements.
        if value.mayBeUndefined { elements.assertions.append(.definition(of: value)) }
        return elements.and(.equal(.path(each), value)).asserted { .exists($0) }
    }
}

extension PredicateTree {
    /// A value that is never nil, and is undefined if another one is, which may be nil.
    static func definition(of value: PredicateTree) -> PredicateTree {
        let yes = PredicateTree.constant(.integer(1))
        return .conditional(.equal(value, .constant(.null)), then: yes, else: yes)
    }
}

/// A node whose value is captured.
private protocol CapturedValue {
    static func captured(_ node: BorrowedNode) -> Any
}

extension PredicateExpressions.Value: CapturedValue {
    fileprivate static func captured(_ node: BorrowedNode) -> Any { node.pointer(as: Self.self).pointee.value }
}

extension BorrowedNode {
    /// The captured value of the node, if it has one.
    var captured: Any? {
        guard let type = type.type as? any CapturedValue.Type else { return nil }
        func open<Node: CapturedValue>(_ type: Node.Type) -> Any { Node.captured(self) }
        return open(type)
    }
}

// MARK: To-many properties

extension PredicateExpressions.SequenceContainsWhere: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.elements(node.pair, node.pointer(as: Self.self).pointee.variable).asserted { .exists($0) }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.elements(node.pair, node.pointer(as: Self.self).pointee.variable, negated: true)
            .asserted { .not(.exists($0)) }
    }
}

extension PredicateExpressions.Filter: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        throw walker.unsupported("Filter as a single value")
    }

    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        try walker.elements(node.pair, node.pointer(as: Self.self).pointee.variable)
    }
}

// MARK: Text

extension PredicateExpressions.CollectionContainsCollection: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        guard Base.Output.self == String.self, Other.Output.self == String.self else {
            throw walker.unsupported("CollectionContainsCollection of \(Base.Output.self)")
        }
        let (base, other) = node.pair
        return .contains(try walker.tree(base), try walker.tree(other))
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
            throw walker.unsupported("SequenceStartsWith of \(Base.Output.self)")
        }
        let (base, prefix) = node.pair
        return .starts(try walker.tree(base), with: try walker.tree(prefix))
    }
}

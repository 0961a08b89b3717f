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
        let (isCaptured, captured) = try walker.captured(sequence)
        if isCaptured {
            guard let captured else { return .undefined }
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

// MARK: To-many properties

extension PredicateExpressions.SequenceContainsWhere: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let variable = node.pointer(as: Self.self).pointee.variable
        if let tree = try walker.tree(node.pair, of: LHS.Output.self, variable, .or) { return tree }
        return try walker.elements(node.pair, variable).asserted { .exists($0) }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let variable = node.pointer(as: Self.self).pointee.variable
        if let tree = try walker.tree(node.pair, of: LHS.Output.self, variable, .and) { return tree }
        return try walker.elements(node.pair, variable, negated: true).asserted { .not(.exists($0)) }
    }
}

extension PredicateWalker {
    /// `nil` if the collection is not captured.
    ///
    /// - Parameter operands: The collection and the body of the closure.
    fileprivate mutating func tree<Elements: Sequence>(
        _ operands: (BorrowedNode, BorrowedNode), of type: Elements.Type,
        _ variable: PredicateExpressions.Variable<Elements.Element>, _ operation: LogicOperation
    ) throws -> Tree? {
        let (isCaptured, captured) = try captured(operands.0)
        guard isCaptured else { return nil }
        guard let captured = captured as? Elements else { return .undefined }
        // A sequence that is not a collection may be infinite.
        guard captured is any Collection else {
            throw unsupported("a closure over a captured \(type), which is not a Collection,")
        }
        let elements = Array(captured)
        func condition(_ walker: inout PredicateWalker, _ index: Int) throws -> Tree {
            try walker.with(variable, capturing: elements[index]) { try $0.tree(operands.1) }
        }
        switch elements.count {
        case 0: return .constant(.integer(operation == .and ? 1 : 0))
        case 1: return try condition(&self, 0)
        default: return try join(elements.indices, operation, condition)
        }
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

import Foundation

extension PredicateExpressions.Conjunction: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .and(try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.Disjunction: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .or(try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.Negation: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .not(try walker.tree(wrapped))
    }
}

// MARK: Comparison

extension PredicateExpressions.Equal: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        try walker.equality(lhs, rhs)
    }
}

extension PredicateExpressions.NotEqual: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .not(try walker.equality(lhs, rhs))
    }
}

extension PredicateWalker {
    fileprivate mutating func equality<Left: PredicateExpression, Right: PredicateExpression>(
        _ left: Left, _ right: Right
    ) throws -> Tree {
        if isToMany(Left.Output.self) {
            if right is any PredicateNil { return .not(try presence(ofModels: left)) }
            if left is any PredicateNil { return .not(try presence(ofModels: right)) }
        }
        return .equal(try tree(left), try tree(right))
    }
}

/// The literal `nil`.
private protocol PredicateNil {}

extension PredicateExpressions.NilLiteral: PredicateNil {}

extension PredicateExpressions.Comparison: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        try walker.comparison(
            walker.tree(lhs), order(walker), walker.tree(rhs), of: LHS.Output.self, "Comparison")
    }

    private func order<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Order {
        switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: throw walker.unsupported("Comparison.\(op)")
        }
    }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "Arithmetic")
        return .arithmetic(try operation(walker), number, try walker.tree(lhs), try walker.tree(rhs))
    }

    private func operation<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Arithmetic {
        switch op {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        @unknown default: throw walker.unsupported("Arithmetic.\(op)")
        }
    }
}

extension PredicateExpressions.IntDivision: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "IntDivision")
        return .arithmetic(.divide, number, try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.IntRemainder: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "IntRemainder")
        return .arithmetic(.remainder, number, try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.FloatDivision: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "FloatDivision")
        return .arithmetic(.divide, number, try walker.tree(lhs), try walker.tree(rhs))
    }
}

extension PredicateExpressions.UnaryMinus: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        .negative(try walker.number(Output.self, "UnaryMinus"), try walker.tree(wrapped))
    }
}

import Foundation

extension PredicateExpressions.Conjunction: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.chain(node, of: .and)
    }
}

extension PredicateExpressions.Disjunction: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.chain(node, of: .or)
    }
}

extension PredicateExpressions.Negation: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (condition, isNegated) = node.withoutNegations
        let tree = try walker.tree(condition)
        return isNegated ? .not(tree) : tree
    }
}

// MARK: Comparison

extension PredicateExpressions.Equal: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.equality(node.pair, of: LHS.Output.self)
    }
}

extension PredicateExpressions.NotEqual: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .not(try walker.equality(node.pair, of: LHS.Output.self))
    }
}

extension PredicateWalker {
    fileprivate mutating func equality<Value>(
        _ operands: (BorrowedNode, BorrowedNode), of type: Value.Type
    ) throws -> Tree {
        let (left, right) = operands
        if isToMany(type) {
            if right.type.type is any PredicateNil.Type { return try absence(ofModels: left) }
            if left.type.type is any PredicateNil.Type { return try absence(ofModels: right) }
        }
        return .equal(try tree(left), try tree(right))
    }
}

/// A `nil` literal.
protocol PredicateNil {}

extension PredicateExpressions.NilLiteral: PredicateNil {}

extension PredicateExpressions.Comparison: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (left, right) = node.pair
        return try walker.comparison(
            walker.tree(left), order(node.pointer(as: Self.self).pointee.op, walker), walker.tree(right),
            of: LHS.Output.self,
            "Comparison")
    }

    private static func order<Resolver>(
        _ operation: PredicateExpressions.ComparisonOperator, _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Order {
        switch operation {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: throw walker.unsupported("Comparison.\(operation)")
        }
    }
}

// MARK: Arithmetic

extension PredicateWalker {
    fileprivate mutating func arithmetic(
        _ operation: Tree.Arithmetic, _ number: Tree.Number, _ operands: (BorrowedNode, BorrowedNode)
    ) throws -> Tree {
        .arithmetic(operation, number, try tree(operands.0), try tree(operands.1))
    }
}

extension PredicateExpressions.Arithmetic: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "Arithmetic")
        let operation = try operation(node.pointer(as: Self.self).pointee.op, walker)
        return try walker.arithmetic(operation, number, node.pair)
    }

    private static func operation<Resolver>(
        _ operation: PredicateExpressions.ArithmeticOperator, _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Arithmetic {
        switch operation {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        @unknown default: throw walker.unsupported("Arithmetic.\(operation)")
        }
    }
}

extension PredicateExpressions.IntDivision: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "IntDivision")
        return try walker.arithmetic(.divide, number, node.pair)
    }
}

extension PredicateExpressions.IntRemainder: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "IntRemainder")
        return try walker.arithmetic(.remainder, number, node.pair)
    }
}

extension PredicateExpressions.FloatDivision: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let number = try walker.number(Output.self, "FloatDivision")
        return try walker.arithmetic(.divide, number, node.pair)
    }
}

extension PredicateExpressions.UnaryMinus: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .negative(try walker.number(Output.self, "UnaryMinus"), try walker.tree(node.operand))
    }
}

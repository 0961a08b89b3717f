import Foundation

extension PredicateExpressions.RangeExpressionContains: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (range, element) = node.pair
        if let text = try walker.wholeText(range) {
            return .localizedStandardContains(text, try walker.tree(element))
        }
        guard let bounds = try walker.bounds(range) else {
            if try walker.isUndefined(range) { return .undefined }
            throw walker.unsupported("RangeExpressionContains in a \(RangeExpression.Output.self)")
        }
        return try walker.condition(that: walker.tree(element), isIn: bounds, of: Element.Output.self)
    }
}

extension PredicateWalker {
    struct Bounds {
        var lower: Tree?
        var upper: Tree?
        var includesUpper = false
    }

    /// Returns `nil` for other nodes.
    mutating func bounds(_ node: BorrowedNode) throws -> Bounds? {
        guard let type = node.type.type as? any PredicateRange.Type else {
            return try (captured(node).value as? any CapturedRange)?.bounds(self)
        }
        func open<Range: PredicateRange>(_ type: Range.Type) throws -> Bounds? {
            try Range.bounds(node, &self)
        }
        return try open(type)
    }

    func condition(that value: Tree, isIn bounds: Bounds, of type: any Any.Type) throws -> Tree {
        let above = try bounds.lower.map { try comparison(value, .greaterOrEqual, $0, of: type, "Range") }
        let order: Tree.Order = bounds.includesUpper ? .lessOrEqual : .less
        let below = try bounds.upper.map { try comparison(value, order, $0, of: type, "Range") }
        guard let above, let below else { return above ?? below ?? .constant(.integer(1)) }
        let condition = Tree.and(above, below)
        // Swift creates the range first, so it evaluates the upper bound even if the value is below the lower one.
        guard let upper = bounds.upper, upper.mayBeUndefined else { return condition }
        return .ifPresent(.unwrapped(.definition(of: upper)), then: condition)
    }
}

/// A node whose value is a range.
protocol PredicateRange {
    /// Returns `nil` for a captured value that is not a range.
    static func bounds<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateWalker<Resolver>.Bounds?
}

extension PredicateExpressions.ClosedRange: PredicateRange {
    static func bounds<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateWalker<Resolver>.Bounds? {
        let (lower, upper) = node.pair
        return PredicateWalker.Bounds(
            lower: try walker.tree(lower), upper: try walker.tree(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Range: PredicateRange {
    static func bounds<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateWalker<Resolver>.Bounds? {
        let (lower, upper) = node.pair
        return PredicateWalker.Bounds(lower: try walker.tree(lower), upper: try walker.tree(upper))
    }
}

extension PredicateExpressions.Value: PredicateRange {
    static func bounds<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateWalker<Resolver>.Bounds? {
        try (node.pointer(as: Self.self).pointee.value as? any CapturedRange)?.bounds(walker)
    }
}

// MARK: Captured ranges

private protocol CapturedRange {
    func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds
}

extension ClosedRange: CapturedRange {
    fileprivate func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds {
        PredicateWalker.Bounds(
            lower: try walker.constant(lowerBound), upper: try walker.constant(upperBound), includesUpper: true)
    }
}

extension Range: CapturedRange {
    fileprivate func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds {
        PredicateWalker.Bounds(lower: try walker.constant(lowerBound), upper: try walker.constant(upperBound))
    }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds {
        PredicateWalker.Bounds(lower: try walker.constant(lowerBound))
    }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds {
        PredicateWalker.Bounds(upper: try walker.constant(upperBound), includesUpper: true)
    }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate func bounds<Resolver>(_ walker: PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds {
        PredicateWalker.Bounds(upper: try walker.constant(upperBound))
    }
}

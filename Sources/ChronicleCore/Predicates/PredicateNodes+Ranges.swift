import Foundation

extension PredicateExpressions.RangeExpressionContains: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        if let parts = range as? any PredicateParts, let text = try parts.wholeText(&walker) {
            return .localizedStandardContains(text, try walker.tree(element))
        }
        guard let range = range as? any PredicateRange, let bounds = try range.bounds(&walker) else {
            throw walker.unsupported("RangeExpressionContains in a \(RangeExpression.Output.self)")
        }
        return try walker.condition(that: walker.tree(element), isIn: bounds, of: Element.Output.self)
    }
}

extension PredicateWalker {
    /// Where a range begins and ends.
    struct Bounds {
        var lower: Tree?
        var upper: Tree?
        var includesUpper = false
    }

    /// The condition that a value lies between bounds.
    func condition(that value: Tree, isIn bounds: Bounds, of type: any Any.Type) throws -> Tree {
        let above = try bounds.lower.map { try comparison(value, .greaterOrEqual, $0, of: type, "Range") }
        let order: Tree.Order = bounds.includesUpper ? .lessOrEqual : .less
        let below = try bounds.upper.map { try comparison(value, order, $0, of: type, "Range") }
        guard let above, let below else { return above ?? below ?? .constant(.integer(1)) }
        return .and(above, below)
    }
}

/// A node whose value is a range.
protocol PredicateRange {
    /// The bounds, or `nil` for a captured value that is no range.
    func bounds<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds?
}

extension PredicateExpressions.ClosedRange: PredicateRange {
    func bounds<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds? {
        PredicateWalker.Bounds(lower: try walker.tree(lower), upper: try walker.tree(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Range: PredicateRange {
    func bounds<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds? {
        PredicateWalker.Bounds(lower: try walker.tree(lower), upper: try walker.tree(upper))
    }
}

extension PredicateExpressions.Value: PredicateRange {
    func bounds<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateWalker<Resolver>.Bounds? {
        try (value as? any CapturedRange)?.bounds(walker)
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

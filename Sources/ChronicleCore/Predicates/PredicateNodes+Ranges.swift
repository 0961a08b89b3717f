import Foundation

extension PredicateExpressions.RangeExpressionContains: PredicateNode {
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property> {
        guard let range = range as? any PredicateRange, let bounds = try range.bounds(&walker) else {
            throw walker.unsupported("RangeExpressionContains in a \(RangeExpression.Output.self)")
        }
        return try bounds.contain(try walker.tree(element), Element.Output.self, walker)
    }
}

/// Where a range begins and ends.
struct PredicateBounds<Property: PredicateProperty> {
    var lower: PredicateTree<Property>?
    var upper: PredicateTree<Property>?
    var includesUpper = false

    /// The condition that a value lies between the bounds.
    func contain<Resolver: PredicateResolver>(
        _ value: PredicateTree<Property>, _ type: any Any.Type, _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateTree<Property> where Resolver.Property == Property {
        func compare(_ order: PredicateTree<Property>.Order, _ bound: PredicateTree<Property>) throws -> PredicateTree<Property> {
            try walker.comparison(value, order, bound, of: type, "Range")
        }
        let above = try lower.map { try compare(.greaterOrEqual, $0) }
        let below = try upper.map { try compare(includesUpper ? .lessOrEqual : .less, $0) }
        guard let above, let below else { return above ?? below ?? .constant(.integer(1)) }
        return .and(above, below)
    }
}

/// A node whose value is a range.
protocol PredicateRange {
    /// The bounds, or `nil` for a captured value that is no range.
    func bounds<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property>?
}

extension PredicateExpressions.ClosedRange: PredicateRange {
    func bounds<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property>? {
        PredicateBounds(lower: try walker.tree(lower), upper: try walker.tree(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Range: PredicateRange {
    func bounds<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property>? {
        PredicateBounds(lower: try walker.tree(lower), upper: try walker.tree(upper))
    }
}

extension PredicateExpressions.Value: PredicateRange {
    func bounds<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property>? {
        try (value as? any CapturedRange)?.bounds(walker)
    }
}

// MARK: Captured ranges

private protocol CapturedRange {
    func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property>
}

extension ClosedRange: CapturedRange {
    fileprivate func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property> {
        PredicateBounds(
            lower: try walker.constant(lowerBound), upper: try walker.constant(upperBound), includesUpper: true)
    }
}

extension Range: CapturedRange {
    fileprivate func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property> {
        PredicateBounds(lower: try walker.constant(lowerBound), upper: try walker.constant(upperBound))
    }
}

extension PartialRangeFrom: CapturedRange {
    fileprivate func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property> {
        PredicateBounds(lower: try walker.constant(lowerBound))
    }
}

extension PartialRangeThrough: CapturedRange {
    fileprivate func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property> {
        PredicateBounds(upper: try walker.constant(upperBound), includesUpper: true)
    }
}

extension PartialRangeUpTo: CapturedRange {
    fileprivate func bounds<Resolver>(
        _ walker: PredicateWalker<Resolver>
    ) throws -> PredicateBounds<Resolver.Property> {
        PredicateBounds(upper: try walker.constant(upperBound))
    }
}

import Foundation

/// Evaluates a predicate for models in memory, with the same results as Foundation's `evaluate`.
///
/// Foundation evaluates recursively, and a chain of conditions that was created at run time may be deeper than the
/// stack allows. This type splits such chains and evaluates the single conditions with Foundation.
struct PredicateEvaluator<Model> {
    private let predicate: Predicate<Model>
    /// Whether Foundation can evaluate the whole predicate at once.
    private let isShallow: Bool

    /// Creates an evaluator.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the predicate is nested too deeply.
    init(_ predicate: Predicate<Model>) throws {
        func check(_ expression: borrowing some PredicateExpression) throws -> Bool {
            try withNode(of: expression) { node in
                guard !node.type.isTooDeep else { throw TreeExtent.tooDeep }
                if node.isEvaluable() { return true }
                try node.requireEvaluableConditions(TreeExtent.maximumDepth)
                return false
            }
        }
        self.predicate = predicate
        isShallow = try check(predicate.expression)
    }

    /// Returns whether a model satisfies the predicate. A model for which the predicate force-unwraps nil does not
    /// satisfy it, as in a store's query.
    func matches(_ model: Model) throws -> Bool {
        do {
            if isShallow { return try predicate.evaluate(model) }
            return try matches(predicate.expression, PredicateBindings((predicate.variable, model)))
        } catch let error as PredicateError where error == .forceUnwrapFailure {
            return false
        }
    }

    private func matches(_ expression: borrowing some PredicateExpression, _ bindings: PredicateBindings) throws -> Bool
    {
        try withNode(of: expression) { try $0.evaluate(bindings) }
    }
}

extension BorrowedNode {
    /// Whether Foundation can evaluate the node on a stack of 512 KB. Foundation needs up to 500 bytes for each level.
    fileprivate func isEvaluable(_ levels: Int = 200) -> Bool {
        levels > 0 && operands.allSatisfy { $0.isEvaluable(levels - 1) }
    }

    /// Throws an error if a single condition cannot be evaluated.
    ///
    /// - Parameter levels: The number of levels by which chains of different operations may still be nested.
    fileprivate func requireEvaluableConditions(_ levels: Int) throws {
        guard levels > 0 else { throw TreeExtent.tooDeep }
        switch type.operation {
        case .not: try withoutNegations.node.requireEvaluableConditions(levels - 1)
        case let operation?:
            for operand in operands(ofChain: operation) { try operand.requireEvaluableConditions(levels - 1) }
        case nil: if !isEvaluable() { throw TreeExtent.tooDeep }
        }
    }

    fileprivate func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        switch type.operation {
        case .and: return try operands(ofChain: .and).allSatisfy { try $0.evaluate(bindings) }
        case .or: return try operands(ofChain: .or).contains { try $0.evaluate(bindings) }
        case .not:
            let (condition, isNegated) = withoutNegations
            return try condition.evaluate(bindings) != isNegated
        case nil:
            guard let type = type.type as? any PredicateExpression.Type else { return false }
            func open<Node: PredicateExpression>(_ type: Node.Type) throws -> Bool {
                try pointer(as: type).pointee.evaluate(bindings) as? Bool ?? false
            }
            return try open(type)
        }
    }
}

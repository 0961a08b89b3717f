import Foundation

/// Evaluates a predicate for models in memory, with the results of the SQL that stores execute.
///
/// Foundation evaluates a predicate that stores cannot translate. It does so recursively, and a chain of conditions that was
/// created at run time may be deeper than the stack allows. This type splits such chains and evaluates the single conditions with
/// Foundation.
struct PredicateEvaluator<Model: PersistentModel> {
    private typealias Evaluator = TreeEvaluator<ModelObjects>

    private let predicate: Predicate<Model>
    /// `nil` if stores cannot translate the predicate.
    private let condition: Evaluator.Condition?
    private var containsTrappingNode: Bool { withNode(of: predicate.expression) { $0.type.containsTrappingNode } }

    /// Throws ``SwiftDataError/unsupportedPredicate`` if the predicate is nested too deeply.
    init(_ predicate: Predicate<Model>, _ schema: Schema) throws {
        func check(_ expression: borrowing some PredicateExpression) throws {
            try withNode(of: expression) { node in
                guard !node.type.isTooDeep else { throw TreeExtent.tooDeep }
                if !node.isEvaluable() { try node.requireEvaluableConditions(TreeExtent.maximumDepth) }
            }
        }
        self.predicate = predicate
        do {
            condition = Evaluator(objects: ModelObjects()).condition(try PredicateTree(predicate, schema: schema))
        } catch let error as SwiftDataError where SwiftDataError.unsupportedPredicate ~= error {
            try check(predicate.expression)
            condition = nil
        }
    }

    /// A model for which the predicate is undefined does not satisfy it, as in a store's query: if it force-unwraps nil, divides an
    /// integer by zero, or a calculation with integers overflows.
    ///
    /// Throws ``SwiftDataError/valueOutOfRange``, or another error of a value that cannot be stored, if the predicate calculates
    /// with integers.
    func matches(_ model: Model) throws -> Bool {
        if let condition {
            do {
                return try condition(Evaluator.Frame(.object(model)))
            } catch is UndefinedValue {
                return false
            } catch let incomplete as IncompleteModel {
                throw incomplete.error
            } catch {
                // The model has a value that cannot be stored, which Foundation can compare. Its calculations stop the program
                // where the result is undefined.
                if containsTrappingNode { throw error }
            }
        }
        do { return try matches(predicate.expression, PredicateBindings((predicate.variable, model))) } catch let error
            as PredicateError where error == .forceUnwrapFailure
        {
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

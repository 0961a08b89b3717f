import Foundation

/// A node that joins conditions.
protocol LogicNode: CompositeNode {
    static var operation: LogicOperation { get }
}

enum LogicOperation {
    case and, or, not
}

extension PredicateExpressions.Conjunction: LogicNode {
    static var operation: LogicOperation { .and }
}

extension PredicateExpressions.Disjunction: LogicNode {
    static var operation: LogicOperation { .or }
}

extension PredicateExpressions.Negation: LogicNode {
    static var operation: LogicOperation { .not }
}

extension BorrowedNode {
    /// The conditions that a chain of `&&`, or of `||`, joins, in their order and whichever way the chain leans. No recursion:
    /// such a chain may have been made at run time and be longer than the stack.
    func operands(ofChain operation: LogicOperation) -> [BorrowedNode] {
        var operands: [BorrowedNode] = []
        var rest = [self]
        while let node = rest.popLast() {
            if node.type.operation == operation {
                rest += node.operands.reversed()
            } else {
                operands.append(node)
            }
        }
        return operands
    }

    /// The condition below any number of `!`, and whether their number is odd.
    var withoutNegations: (node: BorrowedNode, isNegated: Bool) {
        var (node, isNegated) = (self, false)
        while node.type.operation == .not, let operand = node.operands.first {
            node = operand
            isNegated.toggle()
        }
        return (node, isNegated)
    }
}

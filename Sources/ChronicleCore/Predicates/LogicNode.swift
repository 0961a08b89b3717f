import Foundation

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
    /// Returns the conditions that a chain of `&&` or of `||` combines, in order, however the chain is nested. The method is not
    /// recursive, because a chain that was created at run time may be deeper than the stack allows.
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

import Foundation

// Calculations with captured values, such as `filter.minimum` and `names ?? []`. Foundation evaluates them before the rest of
// the predicate is translated, so that stores see only the result.

enum NodeRole {
    /// A node that Chronicle does not know.
    case other
    /// A node that may stop the program when it is evaluated, as integer arithmetic does if it overflows.
    case trapping
    /// A node with operands.
    case operation
    /// A comparison, which follows the rules of stores for values, even if both values are captured.
    case comparison
    /// A node with a closure, which has a variable.
    case closure
    case variable
    /// A captured value or `nil`.
    case value

    init(of type: any Any.Type) {
        self =
            switch type {
            case is any CapturedValue.Type, is any PredicateNil.Type: .value
            case is any VariableNode.Type: .variable
            case is any ClosureNode.Type: .closure
            case is any TrappingNode.Type: .trapping
            case is any ComparisonNode.Type: .comparison
            case is any CompositeNode.Type: .operation
            default: .other
            }
    }
}

extension NodeType {
    /// Whether nodes of a type consist of captured values.
    enum Captures {
        /// They do not, or Chronicle does not evaluate them.
        case none
        /// They contain variables. They consist of captured values if all of these belong to closures over captured values,
        /// which are part of the nodes or contain them.
        case withVariables(hasClosures: Bool)
        /// They contain no variables.
        case all
    }

    func makeCaptures() -> Captures {
        // A value needs no evaluation. Combinations of conditions and comparisons are translated operand by operand.
        guard operation == nil, role != .value, role != .comparison,
            !isNested(deeperThan: Self.maximumLevels, where: { _ in true })
        else { return .none }
        var (hasVariables, hasClosures) = (false, false)
        var rest = [self]
        while let type = rest.popLast() {
            switch type.role {
            case .other, .trapping: return .none
            case .variable: hasVariables = true
            case .closure: hasClosures = true
            case .operation, .comparison, .value: break
            }
            rest += type.parts.map(\.type)
        }
        return hasVariables ? .withVariables(hasClosures: hasClosures) : .all
    }

    /// Whether Foundation may stop the program when it evaluates a node of the type: calculations with integers, and ranges.
    var containsTrappingNode: Bool {
        var rest = [self]
        while let type = rest.popLast() {
            if type.role == .trapping, !type.hasFloatingPointResult { return true }
            rest += type.parts.map(\.type)
        }
        return false
    }

    private var hasFloatingPointResult: Bool {
        func isFloatingPoint<Node: PredicateExpression>(_: Node.Type) -> Bool {
            Node.Output.self is any FloatingPoint.Type
        }
        return (type as? any PredicateExpression.Type).map { isFloatingPoint($0) } ?? false
    }

    /// Foundation needs up to 500 bytes of the stack for each level of a node that it evaluates.
    private static let maximumLevels = 200
}

private protocol TrappingNode {}

extension PredicateExpressions.Arithmetic: TrappingNode {}
extension PredicateExpressions.IntDivision: TrappingNode {}
extension PredicateExpressions.IntRemainder: TrappingNode {}
extension PredicateExpressions.FloatDivision: TrappingNode {}
extension PredicateExpressions.UnaryMinus: TrappingNode {}
extension PredicateExpressions.Range: TrappingNode {}
extension PredicateExpressions.ClosedRange: TrappingNode {}

private protocol ComparisonNode {}

extension PredicateExpressions.Equal: ComparisonNode {}
extension PredicateExpressions.NotEqual: ComparisonNode {}
extension PredicateExpressions.Comparison: ComparisonNode {}
extension PredicateExpressions.RangeExpressionContains: ComparisonNode {}
extension PredicateExpressions.SequenceContains: ComparisonNode {}
extension PredicateExpressions.CollectionContainsCollection: ComparisonNode {}
extension PredicateExpressions.SequenceStartsWith: ComparisonNode {}
#if canImport(Darwin)
    extension PredicateExpressions.StringLocalizedStandardContains: ComparisonNode {}
#endif

private protocol ClosureNode {}

extension PredicateExpressions.OptionalFlatMap: ClosureNode {}
extension PredicateExpressions.Filter: ClosureNode {}
extension PredicateExpressions.SequenceContainsWhere: ClosureNode {}
extension PredicateExpressions.SequenceAllSatisfy: ClosureNode {}

private protocol VariableNode {
    static func key(_ node: BorrowedNode) -> PredicateExpressions.VariableID
}

extension PredicateExpressions.Variable: VariableNode {
    fileprivate static func key(_ node: BorrowedNode) -> PredicateExpressions.VariableID {
        node.pointer(as: Self.self).pointee.key
    }
}

private protocol CapturedValue {
    static func captured(_ node: BorrowedNode) -> Any
}

extension PredicateExpressions.Value: CapturedValue {
    fileprivate static func captured(_ node: BorrowedNode) -> Any { node.pointer(as: Self.self).pointee.value }
}

extension BorrowedNode {
    /// `nil` for calculations with captured values.
    fileprivate var captured: Any? {
        guard type.role == .value, let type = type.type as? any CapturedValue.Type else { return nil }
        func open<Node: CapturedValue>(_ type: Node.Type) -> Any { Node.captured(self) }
        return open(type)
    }

    func containsVariable(where isIncluded: (PredicateExpressions.VariableID) -> Bool) -> Bool {
        var rest = [self]
        while let node = rest.popLast() {
            if node.type.role == .variable, let type = node.type.type as? any VariableNode.Type,
                isIncluded(type.key(node))
            {
                return true
            }
            rest += node.operands.reversed()
        }
        return false
    }
}

extension PredicateWalker {
    /// The value of a node that ``isCaptured(_:)`` is encoded like a property of its type.
    mutating func tree(ofCaptured node: BorrowedNode) throws -> Tree {
        func open<Node: PredicateExpression>(_ type: Node.Type) throws -> Tree {
            let value = try ifDefined { try node.pointer(as: type).pointee.evaluate(captures ?? PredicateBindings()) }
            return try value.map(constant) ?? .undefined
        }
        guard let type = node.type.type as? any PredicateExpression.Type else { throw unsupported(node.type) }
        return try open(type)
    }

    /// Returns a value that is captured or calculated from captured values, and whether the node has such a value. The value is
    /// `nil` if the calculation fails.
    func captured(_ node: BorrowedNode) throws -> (isCaptured: Bool, value: Any?) {
        if let value = node.captured { return (true, value) }
        guard isCaptured(node), let type = node.type.type as? any PredicateExpression.Type else { return (false, nil) }
        func open<Node: PredicateExpression>(_ type: Node.Type) throws -> Any? {
            try ifDefined { try node.pointer(as: type).pointee.evaluate(captures ?? PredicateBindings()) }
        }
        return (true, try open(type))
    }

    func isUndefined(_ node: BorrowedNode) throws -> Bool {
        let (isCaptured, value) = try captured(node)
        return isCaptured && value == nil
    }

    /// Returns the result of a calculation, or `nil` if Foundation throws an error for it, for example because it unwraps nil.
    private func ifDefined<Value>(_ calculation: () throws -> Value) throws -> Value? {
        do { return try calculation() } catch let error as PredicateError
            where error == .undefinedVariable
        {
            throw unsupported("a variable of another predicate")
        } catch is PredicateError {
            return nil
        }
    }
}

extension PredicateTree {
    /// The tree of a calculation for which Foundation throws an error.
    static var undefined: PredicateTree { .unwrapped(.constant(.null)) }
}

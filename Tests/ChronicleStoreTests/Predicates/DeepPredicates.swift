import Chronicle
import Foundation

/// Expressions of any length and depth, created at run time.
enum Deep {
    typealias Node<Output> = Nodes.Node<Output>

    enum Lean: CaseIterable { case left, right, both }

    /// `term || term || …`, or the same with `&&`.
    static func chain(_ count: Int, _ lean: Lean, isAnd: Bool = false, _ term: (Int) -> Node<Bool>) -> Node<Bool> {
        (1..<count).reduce(term(0)) { chain, index in
            let isLeft = lean == .left || lean == .both && index % 2 == 0
            let (a, b) = isLeft ? (chain, term(index)) : (term(index), chain)
            if isAnd { return Nodes.and(a, b) }
            return Nodes.or(a, b)
        }
    }

    static func nest<Output>(
        _ levels: Int, _ start: Node<Output>, _ wrap: (Node<Output>) -> Node<Output>
    ) -> Node<Output> {
        (0..<levels).reduce(start) { node, _ in wrap(node) }
    }

    static func isEqual<Root, Value: Codable & Equatable & Sendable>(
        _ root: PredicateExpressions.Variable<Root>, _ keyPath: any KeyPath<Root, Value> & Sendable, _ value: Value
    ) -> Node<Bool> {
        PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(root: root, keyPath: keyPath),
            rhs: PredicateExpressions.build_Arg(value))
    }
}

/// Other nodes that can be nested to any depth.
enum DeepShape: CaseIterable {
    case alternation, sum, reversedSum, ternary, coalescing, optionalChain, closure, comparison, minus, castedChain

    func predicate(_ levels: Int) -> Predicate<Sight> {
        Predicate<Sight> { condition($0, levels) }
    }

    private func condition(_ sight: PredicateExpressions.Variable<Sight>, _ levels: Int) -> Deep.Node<Bool> {
        typealias Node<Output> = Deep.Node<Output>
        let rank: Node<Int> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.rank)
        let cost: Node<Double> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.cost)
        let score: Node<Int?> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.score)
        let visits: Node<[Visit]> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.visits)
        let isOpen: Node<Bool> = PredicateExpressions.build_KeyPath(root: sight, keyPath: \.isOpen)
        switch self {
        case .alternation:
            return Deep.nest(levels / 2, isOpen) { (node: Node<Bool>) -> Node<Bool> in
                let either = Nodes.or(isOpen, node)
                return Nodes.and(isOpen, either)
            }
        case .sum:
            let sum = Deep.nest(levels, rank) { (node: Node<Int>) -> Node<Int> in Nodes.arithmetic(node, rank, .add) }
            return Nodes.compare(sum, rank, .lessThan)
        case .reversedSum:
            let sum = Deep.nest(levels, rank) { (node: Node<Int>) -> Node<Int> in Nodes.arithmetic(rank, node, .add) }
            return Nodes.compare(sum, rank, .lessThan)
        case .ternary:
            return Deep.nest(levels, isOpen) { (node: Node<Bool>) -> Node<Bool> in Nodes.choice(isOpen, isOpen, node) }
        case .coalescing:
            let value = Deep.nest(levels, rank) { (node: Node<Int>) -> Node<Int> in Nodes.coalesce(score, node) }
            return Nodes.compare(value, rank, .lessThan)
        case .optionalChain:
            let value = Deep.nest(levels, score) { (node: Node<Int?>) -> Node<Int?> in Nodes.ifPresent(node, plus: rank)
            }
            return Nodes.equal(value, score, true)
        case .closure:
            return Deep.nest(levels, isOpen) { (node: Node<Bool>) -> Node<Bool> in Nodes.exists(visits, rank, node) }
        case .comparison:
            return Deep.nest(levels, isOpen) { (node: Node<Bool>) -> Node<Bool> in Nodes.equal(node, isOpen, true) }
        case .minus:
            let value = Deep.nest(levels, cost) { (node: Node<Double>) -> Node<Double> in Nodes.minus(node) }
            return Nodes.compare(value, cost, .lessThan)
        case .castedChain:
            let chain = Deep.chain(levels, .left) { Deep.isEqual(sight, \.rank, $0) }
            func cast(_ chain: some StandardPredicateExpression<Bool>) -> Node<Bool> {
                PredicateExpressions.TypeCheck<_, String>(chain)
            }
            return cast(chain)
        }
    }
}

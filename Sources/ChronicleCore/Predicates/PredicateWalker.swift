import Foundation

/// Translates a Foundation expression into a ``PredicateTree``.
///
/// Foundation's nodes are generic over their operands, so the type of an expression contains its whole structure. Each supported
/// node type conforms to ``PredicateNode`` unconditionally and passes its operands to the walker, which throws an error for
/// operands of unsupported types.
struct PredicateWalker<Resolver: PredicateResolver> {
    typealias Tree = PredicateTree<Resolver.Property>

    let resolver: Resolver
    private var variables: [PredicateExpressions.VariableID: Tree]
    /// The sizes of values that are more than a path.
    private var variableSizes: [PredicateExpressions.VariableID: TreeExtent.Size] = [:]
    /// `nil` if no variable represents a captured value.
    private(set) var captures: PredicateBindings?
    private var lastVariable = 0
    private var extent = TreeExtent()
    private var latestResultSize = TreeExtent.Size.one

    /// Throws ``SwiftDataError/unsupportedPredicate``.
    static func tree<Subject>(of predicate: Predicate<Subject>, _ resolver: Resolver) throws -> Tree {
        var walker = PredicateWalker(resolver, subject: predicate.variable)
        return try walker.tree(ofExpression: predicate.expression)
    }

    /// Throws ``SwiftDataError/unsupportedPredicate``.
    static func tree<Subject, Output>(of expression: Expression<Subject, Output>, _ resolver: Resolver) throws -> Tree {
        var walker = PredicateWalker(resolver, subject: expression.variable)
        return try walker.tree(ofExpression: expression.expression)
    }

    private init<Subject>(_ resolver: Resolver, subject: PredicateExpressions.Variable<Subject>) {
        self.resolver = resolver
        variables = [subject.key: .path(Tree.Path(variable: .subject, properties: []))]
    }

    private mutating func tree(ofExpression expression: borrowing some PredicateExpression) throws -> Tree {
        try withNode(of: expression) { node in
            guard !node.type.isTooDeep else { throw TreeExtent.tooDeep }
            return try tree(node)
        }
    }

    mutating func tree(_ node: BorrowedNode) throws -> Tree {
        let outer = try extent.begin()
        let tree = isCaptured(node) ? try tree(ofCaptured: node) : try translation(of: node)
        extent.end(outer)
        return tree
    }

    private mutating func translation(of node: BorrowedNode) throws -> Tree {
        guard let type = node.type.translatable else { throw unsupported(node.type) }
        func open<Node: PredicateNode>(_ type: Node.Type) throws -> Tree { try Node.tree(node, &self) }
        return try open(type)
    }

    mutating func elements(_ node: BorrowedNode) throws -> Tree.Elements {
        guard let type = node.type.translatable else { throw unsupported(node.type) }
        func open<Node: PredicateNode>(_ type: Node.Type) throws -> Tree.Elements {
            try Node.elements(node, &self)
        }
        let outer = try extent.begin()
        let elements = try open(type)
        extent.end(outer)
        return elements
    }

    mutating func chain(_ node: BorrowedNode, of operation: LogicOperation) throws -> Tree {
        let operands = node.operands(ofChain: operation)
        return try join(0..<operands.count, operation) { try $0.tree(operands[$1]) }
    }

    /// Returns a balanced tree.
    ///
    /// - Parameters:
    ///   - indices: The indices, at least two.
    ///   - condition: A closure that returns the condition with an index.
    mutating func join(
        _ indices: Range<Int>, _ operation: LogicOperation,
        _ condition: (inout PredicateWalker, Int) throws -> Tree
    ) throws -> Tree {
        // Three conditions associate to the left, as they are written.
        let middle = indices.lowerBound + (indices.count + 1) / 2
        let first = try part(indices.lowerBound..<middle, operation, condition)
        let second = try part(middle..<indices.upperBound, operation, condition)
        return operation == .and ? .and(first, second) : .or(first, second)
    }

    private mutating func part(
        _ indices: Range<Int>, _ operation: LogicOperation, _ condition: (inout PredicateWalker, Int) throws -> Tree
    ) throws -> Tree {
        if indices.count == 1 { return try condition(&self, indices.lowerBound) }
        try extent.descend()
        defer { extent.ascend() }
        return try join(indices, operation, condition)
    }
}

// MARK: Closures and variables

extension PredicateWalker {
    /// - Parameter operands: The collection and the body of the closure.
    mutating func elements<Element>(
        _ operands: (BorrowedNode, BorrowedNode), _ variable: PredicateExpressions.Variable<Element>,
        negated: Bool = false
    ) throws -> Tree.Elements {
        let elements = try elements(operands.0)
        let each = Tree.path(Tree.Path(variable: elements.variable, properties: []))
        let condition = try with(variable, being: each) { try $0.tree(operands.1) }
        return elements.and(negated ? .not(condition) : condition)
    }

    /// - Parameter size: The size of the value, if it is more than a path.
    mutating func with<Bound, Result>(
        _ variable: PredicateExpressions.Variable<Bound>, being value: Tree, _ size: TreeExtent.Size? = nil,
        _ body: (inout PredicateWalker) throws -> Result
    ) throws -> Result {
        let outer = (variables.updateValue(value, forKey: variable.key), variableSizes[variable.key])
        variableSizes[variable.key] = size
        defer { (variables[variable.key], variableSizes[variable.key]) = outer }
        return try body(&self)
    }

    /// For a variable that represents a captured value.
    mutating func with<Bound, Result>(
        _ variable: PredicateExpressions.Variable<Bound>, capturing value: Bound,
        _ body: (inout PredicateWalker) throws -> Result
    ) throws -> Result {
        let outer = captures
        captures = captures ?? PredicateBindings()
        captures?[variable] = value
        defer { captures = outer }
        return try body(&self)
    }

    /// Returns whether a node is a captured value, or a calculation with captured values only.
    func isCaptured(_ node: BorrowedNode) -> Bool {
        switch node.type.captures {
        case .none: return false
        case .all: return true
        case .withVariables(false) where captures == nil: return false
        // A variable that the walker does not know belongs to a closure inside the node, or is one of the captures.
        case .withVariables: return !node.containsVariable { variables[$0] != nil }
        }
    }

    mutating func value<Bound>(of variable: PredicateExpressions.Variable<Bound>) throws -> Tree {
        guard let tree = variables[variable.key] else { throw unsupported("a variable of another predicate") }
        if let size = variableSizes[variable.key] { try extent.add(size) }
        return tree
    }

    /// Records the size of the last tree as the result of an ``PredicateTree/ifPresent(_:then:)``.
    mutating func endResult() { latestResultSize = extent.latest }

    /// Returns the value of the last tree where it is known not to be nil.
    func whenPresent(_ tree: Tree) -> (Tree, TreeExtent.Size) {
        guard case .ifPresent(_, var result) = tree else { return (tree, extent.latest) }
        while case .ifPresent(_, let inner) = result { result = inner }
        return (result, latestResultSize)
    }

    mutating func newVariable() -> Tree.Variable {
        lastVariable += 1
        return Tree.Variable(number: lastVariable)
    }
}

// MARK: Nodes

protocol PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements
}

extension PredicateNode {
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        throw walker.unsupported("using \(node.type.name) as a collection")
    }
}

extension PredicateWalker {
    /// - Parameter suggestion: What the caller can do instead.
    func unsupported(
        _ part: String, _ suggestion: String = "rewrite the predicate or filter the fetched results"
    ) -> SwiftDataError {
        .unsupportedPredicate.with(detail: "\(part) is not supported; \(suggestion)")
    }

    func unsupported(_ node: NodeType) -> SwiftDataError { unsupported(node.name) }
}

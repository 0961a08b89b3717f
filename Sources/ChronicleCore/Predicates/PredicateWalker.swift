import Foundation

/// Turns Foundation's expression into a ``PredicateTree``.
///
/// Foundation's nodes are generic over their operands, so that an expression's type spells it out in full. Each node type
/// conforms to ``PredicateNode`` without conditions and passes its operands to the walker, which reports the ones that do not
/// conform.
struct PredicateWalker<Resolver: PredicateResolver> {
    typealias Tree = PredicateTree<Resolver.Property>

    let resolver: Resolver
    /// What each of Foundation's variables stands for at this point.
    private var variables: [PredicateExpressions.VariableID: Tree]
    /// How large that is, for those that are more than a path.
    private var variableSizes: [PredicateExpressions.VariableID: TreeExtent.Size] = [:]
    private var lastVariable = 0
    private var extent = TreeExtent()
    private var latestResultSize = TreeExtent.Size.one

    /// The tree of a whole predicate.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate``.
    static func tree<Subject>(of predicate: Predicate<Subject>, _ resolver: Resolver) throws -> Tree {
        var walker = PredicateWalker(resolver, subject: predicate.variable)
        return try walker.tree(ofExpression: predicate.expression)
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
        guard let type = node.type.translatable else { throw unsupported(node.type) }
        func open<Node: PredicateNode>(_ type: Node.Type) throws -> Tree { try Node.tree(node, &self) }
        let outer = try extent.begin()
        let tree = try open(type)
        extent.end(outer)
        return tree
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

    /// A chain of `&&` or of `||`, however long, as a tree that is as low as it can be.
    mutating func chain(_ node: BorrowedNode, of operation: LogicOperation) throws -> Tree {
        let operands = node.operands(ofChain: operation)
        return try join(operands, from: 0, to: operands.count, operation)
    }

    private mutating func join(
        _ operands: [BorrowedNode], from start: Int, to end: Int, _ operation: LogicOperation
    ) throws -> Tree {
        // Three conditions lean to the left, as they are written.
        let middle = start + (end - start + 1) / 2
        let first = try part(operands, from: start, to: middle, operation)
        let second = try part(operands, from: middle, to: end, operation)
        return operation == .and ? .and(first, second) : .or(first, second)
    }

    private mutating func part(
        _ operands: [BorrowedNode], from start: Int, to end: Int, _ operation: LogicOperation
    ) throws -> Tree {
        if end - start == 1 { return try tree(operands[start]) }
        try extent.descend()
        defer { extent.ascend() }
        return try join(operands, from: start, to: end, operation)
    }
}

// MARK: Closures and variables

extension PredicateWalker {
    /// The elements that satisfy a closure.
    ///
    /// - Parameter operands: The elements, and the closure's body.
    mutating func elements<Element>(
        _ operands: (BorrowedNode, BorrowedNode), _ variable: PredicateExpressions.Variable<Element>,
        negated: Bool = false
    ) throws -> Tree.Elements {
        let elements = try elements(operands.0)
        let each = Tree.path(Tree.Path(variable: elements.variable, properties: []))
        let condition = try with(variable, being: each) { try $0.tree(operands.1) }
        return elements.and(negated ? .not(condition) : condition)
    }

    /// Translates a closure's body.
    ///
    /// - Parameter size: That of the value, where it is more than a path.
    mutating func with<Bound, Result>(
        _ variable: PredicateExpressions.Variable<Bound>, being value: Tree, _ size: TreeExtent.Size? = nil,
        _ body: (inout PredicateWalker) throws -> Result
    ) throws -> Result {
        let outer = (variables.updateValue(value, forKey: variable.key), variableSizes[variable.key])
        variableSizes[variable.key] = size
        defer { (variables[variable.key], variableSizes[variable.key]) = outer }
        return try body(&self)
    }

    mutating func value<Bound>(of variable: PredicateExpressions.Variable<Bound>) throws -> Tree {
        guard let tree = variables[variable.key] else { throw unsupported("a variable of another predicate") }
        if let size = variableSizes[variable.key] { try extent.add(size) }
        return tree
    }

    /// Remembers the tree that was made last as the result of an ``PredicateTree/ifPresent(_:then:)``.
    mutating func endResult() { latestResultSize = extent.latest }

    /// The value of the tree that was made last where it is known not to be nil, and the size of that.
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

/// A node of Foundation's expression that can be translated.
protocol PredicateNode {
    /// The node as a condition or a single value.
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>
    /// The node as the elements of a to-many property.
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements
}

extension PredicateNode {
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        throw walker.unsupported("\(node.type.name) as a collection")
    }
}

extension PredicateWalker {
    func unsupported(_ detail: String) -> SwiftDataError {
        .unsupportedPredicate.with(detail: detail)
    }

    func unsupported(_ node: NodeType) -> SwiftDataError { unsupported(node.name) }
}

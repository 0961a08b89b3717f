import Foundation

/// Turns Foundation's expression into a ``PredicateTree``.
///
/// Foundation's nodes are generic over what they contain, so that an expression's type spells it out in full. Each node
/// type conforms to ``PredicateNode`` without conditions and asks the walker for the trees of its parts; a part that does
/// not conform is then found where it stands, and named.
struct PredicateWalker<Resolver: PredicateResolver> {
    typealias Tree = PredicateTree<Resolver.Property>

    let resolver: Resolver
    /// What each of Foundation's variables stands for at this point.
    private var variables: [PredicateExpressions.VariableID: Tree]
    private var lastVariable = 0

    init<Subject>(_ resolver: Resolver, subject: PredicateExpressions.Variable<Subject>) {
        self.resolver = resolver
        variables = [subject.key: .path(Tree.Path(variable: .subject, properties: []))]
    }

    mutating func tree(_ expression: some PredicateExpression) throws -> Tree {
        guard let node = expression as? any PredicateNode else { throw unsupported(type(of: expression)) }
        return try node.tree(&self)
    }

    mutating func elements(_ expression: some PredicateExpression) throws -> Tree.Elements {
        guard let node = expression as? any PredicateNode else { throw unsupported(type(of: expression)) }
        return try node.elements(&self)
    }

    /// The elements that satisfy a closure.
    mutating func elements<Element>(
        _ sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
        where test: some PredicateExpression<Bool>, negated: Bool = false
    ) throws -> Tree.Elements {
        let elements = try elements(sequence)
        let condition = try tree(
            test, with: variable, being: .path(Tree.Path(variable: elements.variable, properties: [])))
        return elements.and(negated ? .not(condition) : condition)
    }

    /// The tree of a closure's body.
    mutating func tree<Bound>(
        _ body: some PredicateExpression, with variable: PredicateExpressions.Variable<Bound>, being value: Tree
    ) throws -> Tree {
        let outer = variables.updateValue(value, forKey: variable.key)
        defer { variables[variable.key] = outer }
        return try tree(body)
    }

    /// The elements that a closure's body leads to.
    mutating func elements<Bound>(
        _ body: some PredicateExpression, with variable: PredicateExpressions.Variable<Bound>, being value: Tree
    ) throws -> Tree.Elements {
        let outer = variables.updateValue(value, forKey: variable.key)
        defer { variables[variable.key] = outer }
        return try elements(body)
    }

    func value<Bound>(of variable: PredicateExpressions.Variable<Bound>) throws -> Tree {
        guard let value = variables[variable.key] else { throw unsupported("a variable of another predicate") }
        return value
    }

    mutating func newVariable() -> Tree.Variable {
        lastVariable += 1
        return Tree.Variable(number: lastVariable)
    }
}

/// A node of Foundation's expression that can be translated.
protocol PredicateNode {
    /// The node as a condition or a single value.
    func tree<Resolver>(_ walker: inout PredicateWalker<Resolver>) throws -> PredicateTree<Resolver.Property>
    /// The node as the elements of a to-many property.
    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements
}

extension PredicateNode {
    func elements<Resolver>(
        _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        throw walker.unsupported("\(name(ofNode: Self.self)) as a collection")
    }
}

extension PredicateWalker {
    func unsupported(_ detail: String) -> SwiftDataError {
        .unsupportedPredicate.adding(detail: detail)
    }

    func unsupported(_ node: any Any.Type) -> SwiftDataError {
        unsupported(name(ofNode: node))
    }
}

/// `TypeCheck` for `PredicateExpressions.TypeCheck<Value<Int>, String>`.
func name(ofNode type: any Any.Type) -> String {
    String(String(describing: type).prefix { $0 != "<" })
}

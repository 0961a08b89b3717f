import Foundation

// `is`, `as?` and `as!` for models that inherit from models.

extension PredicateExpressions.TypeCheck: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        guard let (property, names) = walker.resolver.kinds(of: Desired.self) else {
            throw walker.unsupported("TypeCheck: is \(Desired.self)")
        }
        let (path, assertion) = try walker.path(node.operand, to: property)
        let isKind = PredicateTree.isOneOf(.path(path), names)
        return assertion.map { .ifPresent(.unwrapped(.path($0)), then: isKind) } ?? isKind
    }
}

extension PredicateExpressions.ConditionalCast: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (path, assertion) = try walker.cast(node.operand, to: Desired.self)
        return walker.value(of: path, after: assertion, isOptional: true)
    }
}

extension PredicateExpressions.ForceCast: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .unwrapped(.path(try walker.cast(node.operand, to: Desired.self).path))
    }
}

extension PredicateWalker {
    fileprivate mutating func cast(
        _ node: BorrowedNode, to type: Any.Type
    ) throws -> (path: Tree.Path, assertion: Tree.Path?) {
        guard let property = resolver.cast(to: type) else { throw unsupported("a cast to \(type)") }
        return try path(node, to: property)
    }

    fileprivate mutating func path(
        _ node: BorrowedNode, to property: Resolver.Property
    ) throws -> (path: Tree.Path, assertion: Tree.Path?) {
        let tree = try tree(node)
        guard var found = path(of: tree) else { throw unsupported("a type check of \(tree.nameOfResult(of: node))") }
        found.path.properties.append(property)
        return found
    }
}

extension PredicateTree {
    /// The name of a value that is not a property, for messages.
    func nameOfResult(of node: BorrowedNode) -> String {
        switch self {
        // The node may be a variable that the program has not written.
        case .conditional: "a conditional value"
        case .coalesce: "the result of ??"
        default: "the result of \(node.type.name)"
        }
    }
}

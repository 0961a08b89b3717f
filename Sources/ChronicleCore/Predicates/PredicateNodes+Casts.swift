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
        guard var found = path(of: try tree(node)) else {
            throw unsupported("a type check of the result of \(node.type.name)")
        }
        found.path.properties.append(property)
        return found
    }
}

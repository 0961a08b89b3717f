import Foundation

// `is`, `as?` and `as!` for models that inherit from models.

extension PredicateExpressions.TypeCheck: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        guard let (property, names) = walker.resolver.kinds(of: Desired.self) else {
            throw walker.unsupported("TypeCheck: is \(Desired.self)")
        }
        return .isOneOf(.path(try walker.path(node.operand, to: property)), names)
    }
}

extension PredicateExpressions.ConditionalCast: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .path(try walker.cast(node.operand, to: Desired.self))
    }
}

extension PredicateExpressions.ForceCast: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .unwrapped(.path(try walker.cast(node.operand, to: Desired.self)))
    }
}

extension PredicateWalker {
    fileprivate mutating func cast(_ node: BorrowedNode, to type: Any.Type) throws -> Tree.Path {
        guard let property = resolver.cast(to: type) else { throw unsupported("a cast to \(type)") }
        return try path(node, to: property)
    }

    /// Returns the path of a model, continued by a property.
    fileprivate mutating func path(_ node: BorrowedNode, to property: Resolver.Property) throws -> Tree.Path {
        switch try tree(node) {
        case .path(var path), .unwrapped(.path(var path)):
            path.properties.append(property)
            return path
        default: throw unsupported("a type check of the result of \(node.type.name)")
        }
    }
}

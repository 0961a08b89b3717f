import Foundation

extension PredicateExpressions.DictionaryKeySubscript: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (dictionary, key) = node.pair
        return try walker.element(of: dictionary, at: key, node.type)
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let parts = node.operands
        let element = try walker.element(of: parts[0], at: parts[1], node.type)
        return .coalesce(element, try walker.tree(parts[2]))
    }
}

extension PredicateWalker {
    /// - Parameter node: The type of the node that accesses the value.
    fileprivate mutating func element(
        of dictionary: BorrowedNode, at key: BorrowedNode, _ node: NodeType
    ) throws -> Tree {
        guard let keyPath = dictionary.keyPath else { throw unsupported(node) }
        guard let key = try captured(key).value else {
            if try isUndefined(key) { return .undefined }
            throw unsupported("\(node.name) with a key that is not a constant", "capture the key in a variable")
        }
        guard let property = resolver.element(of: keyPath, at: key),
            case .path(var path) = try tree(dictionary.operand)
        else { throw unsupported(node) }
        path.properties.append(property)
        return .path(path)
    }
}

private protocol KeyPathNode {
    static func keyPath(_ node: BorrowedNode) -> AnyKeyPath
}

extension PredicateExpressions.KeyPath: KeyPathNode {
    fileprivate static func keyPath(_ node: BorrowedNode) -> AnyKeyPath { node.pointer(as: Self.self).pointee.keyPath }
}

extension BorrowedNode {
    fileprivate var keyPath: AnyKeyPath? {
        guard let type = type.type as? any KeyPathNode.Type else { return nil }
        func open<Node: KeyPathNode>(_ type: Node.Type) -> AnyKeyPath { Node.keyPath(self) }
        return open(type)
    }
}

import Foundation
import Synchronization

/// What is known of one type of nodes. There is one for each type that ever occurred in a predicate; the runtime keeps the
/// types themselves for ever, too.
///
/// Casts and key paths of these types would cost more than the rest of the translation of a short predicate.
///
/// `@unchecked Sendable`: types are immutable, what is not is in a mutex.
final class NodeType: @unchecked Sendable {
    let type: any Any.Type
    /// The same, of one that can be translated.
    let translatable: (any PredicateNode.Type)?
    /// What it does to its operands, when it joins conditions.
    let operation: LogicOperation?
    private let size: Int
    private let later = Mutex(Later())

    /// What is found out when it is needed: going down a type at once might take more than the stack.
    private struct Later {
        var parts: [NodePart]?
        var offsets: [Int?]?
        var isTooDeep: Bool?
    }

    private init<Node>(_ type: Node.Type) {
        self.type = type
        size = MemoryLayout<Node>.size
        translatable = type as? any PredicateNode.Type
        operation = (type as? any LogicNode.Type)?.operation
    }

    private static let known = Mutex<[ObjectIdentifier: NodeType]>([:])

    static func of<Node>(_ type: Node.Type) -> NodeType {
        known.withLock { known in
            if let known = known[ObjectIdentifier(type)] { return known }
            let new = NodeType(type)
            known[ObjectIdentifier(type)] = new
            return new
        }
    }

    /// The operands of a node.
    var parts: [NodePart] {
        if let known = later.withLock({ $0.parts }) { return known }
        let parts = (type as? any CompositeNode.Type)?.parts ?? []
        later.withLock { $0.parts = parts }
        return parts
    }

    /// Where the operands are in a node; `nil` where Foundation computes one, which it does not today. Not to be used of a
    /// type that ``isTooDeep``.
    var offsets: [Int?] {
        if let known = later.withLock({ $0.offsets }) { return known }
        let offsets = parts.map { $0.offset() }
        later.withLock { $0.offsets = offsets }
        return offsets
    }
}

// MARK: Depth

extension NodeType {
    /// Whether others than `&&`, `||` and `!` are nested deeper than ``TreeExtent/maximumDepth``. Nothing may then use a key
    /// path of the type, or the type of the node's value: the runtime finds that by recursion through the operands' types.
    var isTooDeep: Bool {
        if let known = later.withLock({ $0.isTooDeep }) { return known }
        let isTooDeep = isNested(deeperThan: TreeExtent.maximumDepth) { $0.operation == nil }
        later.withLock { $0.isTooDeep = isTooDeep }
        return isTooDeep
    }

    /// `TypeCheck` for `PredicateExpressions.TypeCheck<Value<Int>, String>`.
    var name: String {
        // The runtime spells out the whole type, by recursion without a limit. What is inside of a type that is not
        // Foundation's takes at least a byte for each level, with few exceptions.
        let isKnown = translatable != nil || type is any CompositeNode.Type
        guard isKnown || size <= TreeExtent.maximumDepth,
            !isNested(deeperThan: TreeExtent.maximumDepth, where: { _ in true })
        else { return "a node with more than \(TreeExtent.maximumDepth) levels of others in it" }
        return String(String(describing: type).prefix { $0 != "<" })
    }

    private func isNested(deeperThan maximum: Int, where counts: (NodeType) -> Bool) -> Bool {
        var rest = [(type: self, depth: 1)]
        while let (type, depth) = rest.popLast() {
            if depth > maximum { return true }
            for part in type.parts { rest.append((part.type, counts(part.type) ? depth + 1 : depth)) }
        }
        return false
    }
}

/// An operand of a node type.
///
/// `@unchecked Sendable`: the functions capture types, and make key paths without captures of their own.
struct NodePart: @unchecked Sendable {
    let type: NodeType
    fileprivate let offset: () -> Int?
    let copy: (UnsafeRawPointer) -> NodeCopy
}

extension CompositeNode {
    static func part<Operand: PredicateExpression>(
        _ keyPath: @autoclosure @escaping () -> KeyPath<Self, Operand>
    ) -> NodePart {
        NodePart(type: .of(Operand.self), offset: { MemoryLayout<Self>.offset(of: keyPath()) }) { node in
            NodeCopy(node.assumingMemoryBound(to: Self.self).pointee[keyPath: keyPath()])
        }
    }
}

/// An operand in memory of its own.
final class NodeCopy {
    let start: UnsafeMutableRawPointer
    private let destroy: () -> Void

    init<Operand>(_ operand: Operand) {
        let pointer = UnsafeMutablePointer<Operand>.allocate(capacity: 1)
        pointer.initialize(to: operand)
        start = UnsafeMutableRawPointer(pointer)
        destroy = {
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }
    }

    deinit { destroy() }
}

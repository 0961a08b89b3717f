import Foundation
import Synchronization

/// Cached information about a node type that has occurred in a predicate, because casts and key paths of these types would cost
/// more than the rest of the translation of a short predicate. The runtime never releases the types either.
///
/// `@unchecked Sendable`: metatypes are immutable, and the mutable state is protected by a mutex.
final class NodeType: @unchecked Sendable {
    let type: any Any.Type
    /// The type, if it can be translated.
    let translatable: (any PredicateNode.Type)?
    let operation: LogicOperation?
    private let size: Int
    private let lazyState = Mutex(LazyState())

    /// Computed when needed, because inspecting a whole nested type at once may overflow the stack.
    private struct LazyState {
        var parts: [NodePart]?
        var offsets: [Int?]?
        var isTooDeep: Bool?
        var role: NodeRole?
        var captures: Captures?
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

    var parts: [NodePart] {
        if let known = lazyState.withLock({ $0.parts }) { return known }
        let parts = (type as? any CompositeNode.Type)?.parts ?? []
        lazyState.withLock { $0.parts = parts }
        return parts
    }

    /// `nil` where Foundation computes an operand, which current versions do not. Must not be used for a type that ``isTooDeep``.
    var offsets: [Int?] {
        if let known = lazyState.withLock({ $0.offsets }) { return known }
        let offsets = parts.map { $0.offset() }
        lazyState.withLock { $0.offsets = offsets }
        return offsets
    }

    var role: NodeRole {
        if let known = lazyState.withLock({ $0.role }) { return known }
        let role = NodeRole(of: type)
        lazyState.withLock { $0.role = role }
        return role
    }

    var captures: Captures {
        if let known = lazyState.withLock({ $0.captures }) { return known }
        let captures = makeCaptures()
        lazyState.withLock { $0.captures = captures }
        return captures
    }
}

// MARK: Depth

extension NodeType {
    /// Whether nodes other than `&&`, `||` and `!` are nested deeper than ``TreeExtent/maximumDepth``. The key paths of such a type
    /// and the type of its value must not be used, because the runtime resolves them by recursion through the operands' types.
    var isTooDeep: Bool {
        if let known = lazyState.withLock({ $0.isTooDeep }) { return known }
        let isTooDeep = isNested(deeperThan: TreeExtent.maximumDepth) { $0.operation == nil }
        lazyState.withLock { $0.isTooDeep = isTooDeep }
        return isTooDeep
    }

    /// The name without generic arguments: `TypeCheck` for `PredicateExpressions.TypeCheck<Value<Int>, String>`.
    var name: String {
        // The runtime prints the whole type by unlimited recursion. A nested type that is not from Foundation takes at
        // least a byte for each level, with few exceptions.
        let isKnown = translatable != nil || type is any CompositeNode.Type
        guard isKnown || size <= TreeExtent.maximumDepth,
            !isNested(deeperThan: TreeExtent.maximumDepth, where: { _ in true })
        else { return "a node with more than \(TreeExtent.maximumDepth) nested levels" }
        return String(String(describing: type).prefix { $0 != "<" })
    }

    func isNested(deeperThan maximum: Int, where counts: (NodeType) -> Bool) -> Bool {
        var rest = [(type: self, depth: 1)]
        while let (type, depth) = rest.popLast() {
            if depth > maximum { return true }
            for part in type.parts { rest.append((part.type, counts(part.type) ? depth + 1 : depth)) }
        }
        return false
    }
}

/// `@unchecked Sendable`: the functions capture only types and create key paths without captures.
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

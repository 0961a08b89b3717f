import Foundation

/// A node of a Foundation expression, in the place where it is stored.
///
/// Foundation's nodes are structures that contain their operands, so that a node's value is as large as everything below it.
/// A copy of a node, also one that a cast makes, copies all of that, and copies on the way down take stack space in
/// proportion to the square of the expression's size. Operands are therefore reached by address, with ``operands``.
///
/// Valid only inside of ``withNode(of:_:)``.
struct BorrowedNode {
    fileprivate let pointer: UnsafeRawPointer
    let type: NodeType
    /// The operands that have no address of their own; owned by ``withNode(of:_:)``.
    fileprivate let copies: UnsafeMutablePointer<[AnyObject]>

    /// The node as a value of its type, to read what is not an operand.
    ///
    /// - Parameter type: ``type``, opened.
    func pointer<Node>(as type: Node.Type) -> UnsafePointer<Node> { pointer.assumingMemoryBound(to: type) }

    /// The operands; none of a node that has none, or of a type that is not known.
    var operands: NodeOperands { NodeOperands(node: self, offsets: type.offsets) }

    /// The operand of a node that has one.
    var operand: BorrowedNode { operands[0] }

    /// The operands of a node that has two.
    var pair: (BorrowedNode, BorrowedNode) {
        let operands = operands
        return (operands[0], operands[1])
    }
}

/// Calls a closure with an expression where it is stored.
func withNode<Node: PredicateExpression, Result>(
    of expression: borrowing Node, _ body: (BorrowedNode) throws -> Result
) rethrows -> Result {
    try withUnsafePointer(to: expression) { pointer in
        var copies: [AnyObject] = []
        return try withUnsafeMutablePointer(to: &copies) { copies in
            try body(BorrowedNode(pointer: pointer, type: .of(Node.self), copies: copies))
        }
    }
}

/// The operands of a node, in their order.
struct NodeOperands: RandomAccessCollection {
    fileprivate let node: BorrowedNode
    fileprivate let offsets: [Int?]

    var startIndex: Int { 0 }
    var endIndex: Int { offsets.count }

    subscript(index: Int) -> BorrowedNode {
        let part = node.type.parts[index]
        if let offset = offsets[index] {
            return BorrowedNode(pointer: node.pointer + offset, type: part.type, copies: node.copies)
        }
        let copy = part.copy(node.pointer)
        node.copies.pointee.append(copy)
        return BorrowedNode(pointer: copy.start, type: part.type, copies: node.copies)
    }
}

import Foundation

/// A node of a Foundation expression, referenced where it is stored.
///
/// Foundation's nodes are structures that contain their operands, so a node is as large as its whole subtree. Copying or casting a
/// node copies the subtree, and copies made during a recursive descent take stack space proportional to the square of the
/// expression's size. Operands are therefore accessed by address, with ``operands``. A node is valid only inside
/// ``withNode(of:_:)``.
struct BorrowedNode {
    fileprivate let pointer: UnsafeRawPointer
    let type: NodeType
    /// The operands that have no address in the predicate, owned by ``withNode(of:_:)``.
    fileprivate let copies: UnsafeMutablePointer<[AnyObject]>

    /// - Parameter type: The opened ``type``.
    func pointer<Node>(as type: Node.Type) -> UnsafePointer<Node> { pointer.assumingMemoryBound(to: type) }

    /// Empty for a node without operands or of an unknown type.
    var operands: NodeOperands { NodeOperands(node: self, offsets: type.offsets) }

    var operand: BorrowedNode { operands[0] }

    var pair: (BorrowedNode, BorrowedNode) {
        let operands = operands
        return (operands[0], operands[1])
    }
}

/// The node is not copied.
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

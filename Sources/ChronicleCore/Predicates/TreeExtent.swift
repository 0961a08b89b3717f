/// How deep and how large a ``PredicateTree`` becomes while it is made.
///
/// Trees are walked by recursion, here, in stores and by SQLite, on threads with as little as 512 KB of stack. One that is
/// too deep is an error before anything walks it; so is one that is too large, which a short expression may come to where a
/// closure uses its value twice.
struct TreeExtent {
    /// The size of a tree, in which a value that closures use counts each time.
    struct Size {
        var height: Int
        var nodes: Int

        static let one = Size(height: 1, nodes: 1)
    }

    private var depth = 0
    /// The greatest depth in the tree that is being made.
    private var deepest = 0
    private var nodes = 0
    /// The size of the tree that was made last.
    private(set) var latest = Size.one

    /// What ``end(_:)`` needs of the surrounding tree.
    struct Outer {
        fileprivate let deepest: Int
        fileprivate let nodes: Int
    }

    /// Goes down to a node.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` where that is too deep.
    mutating func begin() throws -> Outer {
        let outer = Outer(deepest: deepest, nodes: nodes)
        try descend()
        deepest = depth
        nodes += 1
        return outer
    }

    /// Comes back from it.
    mutating func end(_ outer: Outer) {
        latest = Size(height: deepest - depth + 1, nodes: nodes - outer.nodes)
        deepest = max(outer.deepest, deepest)
        ascend()
    }

    mutating func descend() throws {
        depth += 1
        try requireDepth(depth)
    }

    mutating func ascend() { depth -= 1 }

    /// Counts a tree that is used in the place of a variable.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` where all together is too deep or too large.
    mutating func add(_ size: Size) throws {
        // The variable's own node counts already.
        let bottom = depth + size.height - 1
        try requireDepth(bottom)
        deepest = max(deepest, bottom)
        nodes += size.nodes - 1
        guard nodes <= Self.maximumNodes else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the closures in it repeat their values to more than \(Self.maximumNodes) nodes")
        }
    }

    private func requireDepth(_ depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw Self.tooDeep }
    }

    static var tooDeep: SwiftDataError {
        .unsupportedPredicate.with(
            detail: "it is nested more than \(maximumDepth) levels deep; chains of && and of || may have any length")
    }

    static let maximumDepth = 50
    static let maximumNodes = 1_000_000
}

/// The depth and the size of a ``PredicateTree`` while it is created.
///
/// Trees are processed recursively, by this module, by stores and by SQLite, on threads with as little as 512 KB of stack. A tree
/// that is too deep is rejected before it is processed. So is a tree that is too large; a short expression can become large if its
/// closures use their values several times.
struct TreeExtent {
    /// The size of a tree, in which a value that closures use is counted for each use.
    struct Size {
        var height: Int
        var nodes: Int

        static let one = Size(height: 1, nodes: 1)
    }

    private var depth = 0
    private var deepest = 0
    private var nodes = 0
    private(set) var latest = Size.one

    /// The state of the surrounding tree, which ``end(_:)`` restores.
    struct Outer {
        fileprivate let deepest: Int
        fileprivate let nodes: Int
    }

    /// Throws ``SwiftDataError/unsupportedPredicate`` if the node is too deep.
    mutating func begin() throws -> Outer {
        let outer = Outer(deepest: deepest, nodes: nodes)
        try descend()
        deepest = depth
        nodes += 1
        return outer
    }

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

    /// Counts a tree that replaces a variable. Throws ``SwiftDataError/unsupportedPredicate`` if the whole tree becomes too deep or
    /// too large.
    mutating func add(_ size: Size) throws {
        // The node of the variable has already been counted.
        let bottom = depth + size.height - 1
        try requireDepth(bottom)
        deepest = max(deepest, bottom)
        nodes += size.nodes - 1
        guard nodes <= Self.maximumNodes else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "the predicate expands to more than \(Self.maximumNodes) nodes; "
                    + "use the parameters of closures less often")
        }
    }

    private func requireDepth(_ depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw Self.tooDeep }
    }

    static var tooDeep: SwiftDataError {
        .unsupportedPredicate.with(
            detail: "the predicate is nested more than \(maximumDepth) levels deep; "
                + "simplify it (only chains of && or || may be longer)")
    }

    static let maximumDepth = 50
    static let maximumNodes = 1_000_000
}

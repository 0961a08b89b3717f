import Foundation

extension PredicateExpressions.Value: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        try walker.constant(node.pointer(as: Self.self).pointee.value)
    }

    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        throw walker.unsupported("a closure over the elements of a captured \(Output.self)")
    }
}

extension PredicateExpressions.NilLiteral: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .constant(.null)
    }
}

extension PredicateExpressions.Variable: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        guard !isToMany(Output.self) else { throw walker.unsupported("using a to-many relationship as a single value") }
        return try walker.value(of: node.pointer(as: Self.self).pointee)
    }

    /// Returns the elements of `trip.items` in `trip.items?.isEmpty`, or of `trip.tags` in `trip.tags?.contains("x")`.
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        guard case .path(let path) = try walker.value(of: node.pointer(as: Self.self).pointee),
            let last = path.properties.last,
            isToMany(Output.self) || walker.isValueCollection(Output.self, last)
        else {
            throw walker.unsupported("using Variable as a collection")
        }
        return PredicateTree.Elements(path: path, variable: walker.newVariable())
    }
}

extension PredicateExpressions.Conditional: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let parts = node.operands
        return .conditional(
            try walker.tree(parts[0]), then: try walker.tree(parts[1]), else: try walker.tree(parts[2]))
    }
}

// MARK: Optionals

/// Returns whether a type is that of a to-many relationship. An optional to-many relationship is never nil in a
/// context, so `trip.items?.isEmpty` is equivalent to `trip.items.isEmpty`.
func isToMany<Value>(_ type: Value.Type) -> Bool {
    type is any RelationshipCollection.Type || type is any OptionalRelationshipCollection.Type
}

extension PredicateWalker {
    /// Returns whether a property contains an array or a set of values whose elements the store can access.
    func isValueCollection<Value>(_ type: Value.Type, _ property: Resolver.Property) -> Bool {
        unwrapped(type) is any ValueCollection.Type && resolver.isJSON(property)
    }

    /// Returns the condition that a to-many relationship exists, even if it is empty: that the object it belongs to
    /// exists.
    mutating func presence(ofModels models: BorrowedNode) throws -> Tree {
        var owner = try elements(models).path
        owner.properties.removeLast()
        return owner.properties.isEmpty ? .constant(.integer(1)) : .not(.equal(.path(owner), .constant(.null)))
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        if isToMany(Wrapped.self) { return try treeOfModels(node, &walker) }
        let (wrapped, transform) = node.pair
        let value = try walker.tree(wrapped)
        let (present, size) = walker.whenPresent(value)
        let variable = node.pointer(as: Self.self).pointee.variable
        let result = try walker.with(variable, being: present, size) { try $0.tree(transform) }
        walker.endResult()
        // A path is nil if one of its parts is nil, which is the meaning of `trip.livingAccommodation?.name`.
        if case .path(let start) = value, case .path(let end) = result, end.begins(with: start) { return result }
        return .ifPresent(value, then: result)
    }

    /// Translates a closure on a to-many relationship, which is never nil itself; the object it belongs to can be nil.
    private static func treeOfModels<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (wrapped, transform) = node.pair
        let models = try walker.elements(wrapped)
        guard models.filter == nil else { throw walker.unsupported("OptionalFlatMap of a Filter") }
        let variable = node.pointer(as: Self.self).pointee.variable
        let result = try walker.with(variable, being: .path(models.path)) { try $0.tree(transform) }
        walker.endResult()
        var owner = models.path
        owner.properties.removeLast()
        return owner.properties.isEmpty ? result : .ifPresent(.path(owner), then: result)
    }

    /// Returns the elements of `item.trip?.items`.
    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        guard !isToMany(Wrapped.self) else { throw walker.unsupported("using OptionalFlatMap as a collection") }
        let (wrapped, transform) = node.pair
        let value = try walker.tree(wrapped)
        let (present, size) = walker.whenPresent(value)
        let variable = node.pointer(as: Self.self).pointee.variable
        return try walker.with(variable, being: present, size) { try $0.elements(transform) }
    }
}

extension PredicateExpressions.NilCoalesce: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (value, other) = node.pair
        return .coalesce(try walker.tree(value), try walker.tree(other))
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        .unwrapped(try walker.tree(node.operand))
    }

    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        try walker.elements(node.operand)
    }
}

extension PredicateTree.Path {
    fileprivate func begins(with start: PredicateTree.Path) -> Bool {
        variable == start.variable && properties.starts(with: start.properties)
    }
}

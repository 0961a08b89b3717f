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

/// An optional to-many relationship is never nil in a context, so `trip.items?.isEmpty` is equivalent to `trip.items.isEmpty`.
func isToMany<Value>(_ type: Value.Type) -> Bool {
    type is any RelationshipCollection.Type || type is any OptionalRelationshipCollection.Type
}

extension PredicateWalker {
    func isValueCollection<Value>(_ type: Value.Type, _ property: Resolver.Property) -> Bool {
        unwrapped(type) is any ValueCollection.Type && resolver.isJSON(property)
    }

    /// A to-many relationship is not nil, even if it is empty, if the object that it belongs to exists.
    mutating func absence(ofModels models: BorrowedNode) throws -> Tree {
        try elements(models).asserted { elements in
            elements.path.owner.map { .equal(.path($0), .constant(.null)) } ?? .constant(.integer(0))
        }
    }

    /// Returns the path of a tree that is the value of a path, and the value that the tree asserts to exist before; `nil` for other
    /// trees.
    func path(of tree: Tree) -> (path: Tree.Path, assertion: Tree.Path?)? {
        switch tree {
        case .path(let path): (path, nil)
        case .unwrapped(.path(let path)): (path, path)
        case .ifPresent(.unwrapped(.path(let assertion)), then: .path(let path)): (path, assertion)
        default: nil
        }
    }

    /// - Parameter assertion: The value that has to exist for the path to be defined.
    func value(of path: Tree.Path, after assertion: Tree.Path?, isOptional: Bool) -> Tree {
        guard let assertion else { return .path(path) }
        // A value that is not optional is nil only if one before it is.
        return isOptional ? .ifPresent(.unwrapped(.path(assertion)), then: .path(path)) : .unwrapped(.path(path))
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (wrapped, transform) = node.pair
        let variable = node.pointer(as: Self.self).pointee.variable
        let (isCaptured, captured) = try walker.captured(wrapped)
        if isCaptured {
            guard let captured else { return .undefined }
            guard let present = captured as? Wrapped else { return .constant(.null) }
            return try walker.with(variable, capturing: present) { try $0.tree(transform) }
        }
        if isToMany(Wrapped.self) { return try treeOfModels(node, &walker) }
        let value = try walker.tree(wrapped)
        let (present, size) = walker.whenPresent(value)
        let result = try walker.with(variable, being: present, size) { try $0.tree(transform) }
        walker.endResult()
        // A path is nil if one of its parts is nil, which is the meaning of `trip.livingAccommodation?.name`.
        if case .path(let end) = result, let (start, assertion) = walker.path(of: value), end.begins(with: start) {
            return walker.value(of: end, after: assertion, isOptional: true)
        }
        return .ifPresent(value, then: result)
    }

    /// A to-many relationship is never nil itself; the object it belongs to can be nil.
    private static func treeOfModels<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let (wrapped, transform) = node.pair
        let models = try walker.elements(wrapped)
        guard models.filter == nil else { throw walker.unsupported("OptionalFlatMap of a Filter") }
        let variable = node.pointer(as: Self.self).pointee.variable
        let result = try walker.with(variable, being: .path(models.path)) { try $0.tree(transform) }
        walker.endResult()
        return models.asserted { models in models.path.owner.map { .ifPresent(.path($0), then: result) } ?? result }
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
        var elements = try walker.with(variable, being: present, size) { try $0.elements(transform) }
        if let assertion = walker.path(of: value)?.assertion { elements.assertions.insert(.path(assertion), at: 0) }
        return elements
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
        let value = try walker.tree(node.operand)
        // A path that is not nil has no nil before.
        if let (path, assertion) = walker.path(of: value), let assertion, path.begins(with: assertion) {
            return .unwrapped(.path(path))
        }
        return .unwrapped(value)
    }

    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        var elements = try walker.elements(node.operand)
        // A to-many relationship is nil only if the object that it belongs to does not exist.
        let unwrapped = elements.path.properties.last?.isToMany == true ? elements.path.owner : elements.path
        if let unwrapped { elements.assertions.append(.path(unwrapped)) }
        return elements
    }
}

extension PredicateTree.Path {
    /// The path of the object that the last property belongs to, or `nil` if it is that of the variable, which exists.
    fileprivate var owner: PredicateTree.Path? {
        properties.count < 2 ? nil : PredicateTree.Path(variable: variable, properties: properties.dropLast())
    }

    fileprivate func begins(with start: PredicateTree.Path) -> Bool {
        variable == start.variable && properties.starts(with: start.properties)
    }
}

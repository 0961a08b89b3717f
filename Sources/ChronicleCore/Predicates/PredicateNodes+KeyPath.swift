import Foundation

extension PredicateExpressions.KeyPath: PredicateNode {
    static func tree<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        let keyPath = node.pointer(as: Self.self).pointee.keyPath
        if let property = walker.resolver.property(at: keyPath, of: Root.Output.self) {
            guard !property.isToMany else {
                throw walker.unsupported("KeyPath: using the to-many property \(property.name) as a single value")
            }
            return try path([property], node, &walker)
        }
        if let tree = try partOfCollection(node, &walker) ?? partOfValue(node, &walker) { return tree }
        if let members = try members(at: keyPath, walker) { return try path(members, node, &walker) }
        throw unknown(keyPath, walker)
    }

    /// Returns `nil` if the value is not stored as JSON.
    private static func members<Resolver>(
        at keyPath: Swift.KeyPath<Root.Output, Output>, _ walker: PredicateWalker<Resolver>
    ) throws -> [Resolver.Property]? {
        do {
            return try walker.resolver.members(at: keyPath, of: Root.Output.self)
        } catch let error as SwiftDataError where SwiftDataError.unsupportedKeyPath ~= error {
            throw walker.unsupported("KeyPath: \(text(keyPath)), because \(error.detail ?? ""),")
        }
    }

    static func elements<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>.Elements {
        let keyPath = node.pointer(as: Self.self).pointee.keyPath
        let property = walker.resolver.property(at: keyPath, of: Root.Output.self)
        guard let properties = try property.map({ [$0] }) ?? members(at: keyPath, walker), let last = properties.last
        else {
            throw unknown(keyPath, walker)
        }
        guard last.isToMany || walker.isValueCollection(Output.self, last) else {
            throw walker.unsupported(
                "KeyPath: accessing the contents of \(last.name), which is stored as a single value,")
        }
        var root = try root(of: properties, node, &walker)
        root.path.properties += properties
        return PredicateTree.Elements(
            path: root.path, variable: walker.newVariable(), assertions: root.assertion.map { [.path($0)] } ?? [])
    }

    private static func path<Resolver>(
        _ properties: [Resolver.Property], _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property> {
        var root = try root(of: properties, node, &walker)
        root.path.properties += properties
        return walker.value(of: root.path, after: root.assertion, isOptional: Output.self is any OptionalValue.Type)
    }

    private static func root<Resolver>(
        of properties: [Resolver.Property], _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> (path: PredicateTree<Resolver.Property>.Path, assertion: PredicateTree<Resolver.Property>.Path?) {
        let tree = try walker.tree(node.operand)
        guard let root = walker.path(of: tree) else {
            throw walker.unsupported(
                "the property \(properties.last?.name ?? "") of \(tree.nameOfResult(of: node.operand))")
        }
        return root
    }

    /// Translates `isEmpty` and `count`.
    private static func partOfCollection<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>? {
        // Uses a node without its operands: the result does not depend on them, and the call would copy them.
        let root = PredicateExpressions.Variable<Root.Output>()
        let bare = PredicateExpressions.KeyPath(root: root, keyPath: node.pointer(as: Self.self).pointee.keyPath)
        guard let kind = bare.kind else { return nil }
        if Root.Output.self == String.self {
            switch kind {
            case .collectionIsEmpty: return .equal(try walker.tree(node.operand), .constant(.text("")))
            case .collectionCount: return .characterCount(try walker.tree(node.operand))
            default: throw walker.unsupported("\(name(of: "\(kind)")) of a String")
            }
        }
        switch kind {
        case .collectionIsEmpty: return try walker.elements(node.operand).asserted { .not(.exists($0)) }
        case .collectionCount: return try walker.elements(node.operand).asserted { .count($0) }
        default: throw walker.unsupported("\(name(of: "\(kind)")) of a collection")
        }
    }

    private static func name(of kind: String) -> String {
        switch kind {
        case "collectionFirst": "`first`"
        case "bidirectionalCollectionLast": "`last`"
        default: kind
        }
    }

    /// Translates key paths that reference the value itself, such as `rawValue`.
    private static func partOfValue<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>? {
        let keyPath = node.pointer(as: Self.self).pointee.keyPath
        let isSame =
            keyPath == \Date.timeIntervalSinceReferenceDate || keyPath == \PersistentIdentifier.id
            || (Root.Output.self as? any CaseIterable.Type).map { isRawValue(keyPath, $0) } == true
        return isSame ? try walker.tree(node.operand) : nil
    }

    /// The key path of a concrete type's `rawValue` differs from that of the protocol requirement, so the values of all cases have
    /// to be compared.
    private static func isRawValue<Cases: CaseIterable>(
        _ keyPath: Swift.KeyPath<Root.Output, Output>, _ type: Cases.Type
    ) -> Bool {
        func agrees<Raw: RawRepresentable>(_ value: Raw) -> Bool {
            guard let root = value as? Root.Output, let raw = value.rawValue as? any Equatable else { return false }
            return isEqual(raw, root[keyPath: keyPath])
        }
        func isEqual<Raw: Equatable>(_ raw: Raw, _ other: Any) -> Bool { other as? Raw == raw }
        return Cases.allCases.allSatisfy { ($0 as? any RawRepresentable).map { agrees($0) } == true }
    }

    private static func unknown<Resolver>(
        _ keyPath: Swift.KeyPath<Root.Output, Output>, _ walker: PredicateWalker<Resolver>
    ) -> SwiftDataError {
        if let raw = Root.Output.self as? any RawRepresentable.Type, isRawValueType(of: raw) {
            return walker.unsupported(
                "`rawValue`, whose type \(Root.Output.self) is not CaseIterable,", "compare the value itself")
        }
        if walker.resolver.element(of: keyPath, at: "") != nil {
            return walker.unsupported(
                "\(text(keyPath)) without a key", "use the value of a key or filter the fetched results")
        }
        return walker.unsupported("\(text(keyPath)), which is not a stored property,")
    }

    private static func text(_ keyPath: Swift.KeyPath<Root.Output, Output>) -> String {
        // Swift prints a key path as `\Trip.name`, and for a computed property only an address.
        let path = "\(keyPath)".dropFirst()
        return path.contains("<")
            ? "a computed property of \(Root.Output.self) with a value of type \(Output.self)" : "the property \(path)"
    }

    private static func isRawValueType<Raw: RawRepresentable>(of type: Raw.Type) -> Bool {
        Raw.RawValue.self == Output.self && !(type is any CaseIterable.Type)
    }
}

// A property whose type leads to models is a relationship, whatever its wrapper is called: with the delete rule *nullify*,
// and with the inverse that the other side names, or that is the only one. That is how a macro, which sees the type as
// written and not what it is, can give every property the same wrapper: Swift picks the initialiser that fits the type.
extension Attribute where Value: RelationshipValue {
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: Value.related(to: []), options: .relationship, originalName: originalName)
    }

    /// - Parameter wrappedValue: The destinations of a new model; after the insert it has the destinations of its row.
    @inlinable
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: RelationshipValue & ExpressibleByNilLiteral {
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: Value.related(to: []), options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: OptionalRelationshipCollection {
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: .some(nil), options: .relationship, originalName: originalName)
    }

    @inlinable
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: PersistentModel {
    public init(originalName: StaticString? = nil) {
        self.init(value: nil, options: .relationship, originalName: originalName)
    }

    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Schema.Attribute.Option {
    /// What the wrapper of a relationship has instead of options: the initialisers above say so.
    @inlinable static var relationship: Self { Self(rawValue: 128) }
}

extension Attribute {
    @inlinable @inline(__always)
    var isRelationship: Bool { options == .relationship }

    var relationship: (any RelationshipDeclaration)? {
        DeclaredRelationship<Value>(hasOptionsOfAttribute: !isRelationship)
    }
}

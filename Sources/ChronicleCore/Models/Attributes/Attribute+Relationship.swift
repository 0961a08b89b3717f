// A property whose type is a model or a collection of models is a relationship even if it is declared with `@Attribute`. Its delete
// rule is `nullify`, and its inverse is the one that the other side names or the only possible one. A macro does not see the type,
// so it adds `@Attribute` to every property; Swift then selects the initializer that matches the type.
extension Attribute where Value: RelationshipValue {
    /// Creates a relationship without destinations.
    ///
    /// - Parameter originalName: The previous name of the property, if it was renamed.
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: Value.related(to: []), options: .relationship, originalName: originalName)
    }

    /// Creates a relationship with initial destinations.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destinations of a new model. After the insert, the context keeps the destinations.
    ///   - originalName: The previous name of the property, if it was renamed.
    @inlinable
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: RelationshipValue & ExpressibleByNilLiteral {
    /// Creates a to-one relationship whose initial value is `nil`.
    ///
    /// - Parameter originalName: The previous name of the property, if it was renamed.
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: Value.related(to: []), options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: OptionalRelationshipCollection {
    /// Creates an optional to-many relationship whose initial value is `nil`.
    ///
    /// - Parameter originalName: The previous name of the property, if it was renamed.
    @inlinable
    public init(originalName: StaticString? = nil) {
        self.init(value: .some(nil), options: .relationship, originalName: originalName)
    }

    /// Creates an optional to-many relationship with initial destinations.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destinations of a new model. After the insert, the context keeps the destinations.
    ///   - originalName: The previous name of the property, if it was renamed.
    @inlinable
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Attribute where Value: PersistentModel {
    /// Creates a required to-one relationship without a destination, which must be set before a save.
    ///
    /// - Parameter originalName: The previous name of the property, if it was renamed.
    public init(originalName: StaticString? = nil) {
        self.init(value: nil, options: .relationship, originalName: originalName)
    }

    /// Creates a required to-one relationship with an initial destination.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destination of a new model. After the insert, the context keeps the destination.
    ///   - originalName: The previous name of the property, if it was renamed.
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Schema.Attribute.Option {
    /// The value that the initializers above store instead of options, to mark the wrapper as a relationship.
    @inlinable static var relationship: Self { Self(rawValue: 128) }
}

extension Attribute {
    @inlinable @inline(__always)
    var isRelationship: Bool { options == .relationship }

    var relationship: (any RelationshipDeclaration)? {
        DeclaredRelationship<Value>(hasOptionsOfAttribute: !isRelationship)
    }
}

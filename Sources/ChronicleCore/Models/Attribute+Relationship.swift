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

/// A schema refuses these. The compiler can only warn: without them it would take a more general initialiser.
extension Attribute where Value: PersistentModel {
    @available(*, deprecated, message: "a relationship to one model is optional: write a question mark behind the type")
    public init(originalName: StaticString? = nil) {
        self.init(value: nil, options: .relationship, originalName: originalName)
    }

    @available(*, deprecated, message: "a relationship to one model is optional: write a question mark behind the type")
    public init(wrappedValue: Value, originalName: StaticString? = nil) {
        self.init(value: wrappedValue, options: .relationship, originalName: originalName)
    }
}

extension Schema.Attribute.Options {
    /// What the wrapper of a relationship has instead of options: the initialisers above say so.
    @inlinable static var relationship: Self { Self(rawValue: 128) }
}

extension Attribute {
    @inlinable @inline(__always)
    var isRelationship: Bool { options == .relationship }
}

// Here `Value` is known to be a `RelationshipValue` to the schema's property alone, which has the conformance at hand.
extension Attribute {
    @usableFromInline
    static func relationship<Model: PersistentModel>(
        _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model,
        _ storage: ReferenceWritableKeyPath<Model, Attribute<Value>>
    ) -> Value {
        guard let managed = model.persistentBackingData.managedRelationship(keyPath),
            let value = managed.property.access.value(leadingTo: managed.read(), as: Value.self)
        else { return declaredDefault(model[keyPath: storage].value, in: model) }
        return value
    }

    @usableFromInline
    static func setRelationship<Model: PersistentModel>(
        _ keyPath: ReferenceWritableKeyPath<Model, Value>, of model: Model,
        _ storage: ReferenceWritableKeyPath<Model, Attribute<Value>>, to value: Value
    ) {
        guard let managed = model.persistentBackingData.managedRelationship(keyPath) else {
            model[keyPath: storage].value = value
            return
        }
        // From now on the context knows the destinations: holding them here too would make cycles.
        model[keyPath: storage].value = managed.property.access.value(leadingTo: [], as: Value.self)
        managed.write(managed.property.access.destinations(in: value))
    }
}

extension Attribute: RelationshipDeclaration where Value: RelationshipValue {
    var deleteRule: Schema.Relationship.DeleteRule { .nullify }
    var inverse: AnyKeyPath? { nil }
    var destinationType: any PersistentModel.Type { Value.relationshipDestination }
    var isToMany: Bool { Value.relationshipIsToMany }
    /// Another initialiser than those above was chosen: one with options.
    var mistake: String? {
        isRelationship ? Self.requiredMistake(Value.self) : "it is a relationship, which has no options of an attribute"
    }

    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { RelationshipAccess(keyPath: $0) }
    }
}

/// Marks a property of a model as a relationship: `Destination?` for one, `[Destination]` for many.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]
/// ```
///
/// One side of a pair names the inverse. From the insert of a model on, both sides agree at every moment: setting
/// `item.trip` moves the item between the `bucketList`s. Before the insert a relationship is a plain property; inserting
/// a model inserts what it is related to. Destinations are loaded when they are first read.
///
/// A getter cannot throw. When a destination cannot be loaded (a locked or damaged file), the property reads as `nil` or
/// empty and the next `fetch` or `save` of the context throws the error. A model whose context is gone has no way to
/// load destinations either: hold the context as long as its models.
@propertyWrapper
public struct Relationship<Value: RelationshipValue> {
    /// The value of a model that is in no context, if it was set.
    var value: Value?
    let deleteRule: Schema.Relationship.DeleteRule
    let inverse: AnyKeyPath?
    let originalNamePointer: UnsafePointer<UInt8>?

    /// - Parameters:
    ///   - deleteRule: What a delete of this model does to its destinations.
    ///   - originalName: The name that the property had before it was renamed.
    ///   - inverse: The property of the destination that leads back.
    ///   - hashModifier: Allowed, and without effect: a store compares what it keeps, and no hashes of it.
    public init(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: nil, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }

    /// - Parameter wrappedValue: The destinations of a new model; after the insert it has the destinations of its row.
    public init(
        wrappedValue: Value, deleteRule: Schema.Relationship.DeleteRule = .nullify,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: wrappedValue, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }

    private init(
        value: Value?, deleteRule: Schema.Relationship.DeleteRule, originalName: StaticString?, inverse: AnyKeyPath?
    ) {
        self.value = value
        self.deleteRule = deleteRule
        self.inverse = inverse
        originalNamePointer = originalName.map(\.utf8Start)
    }

    /// Not used: Swift reads and writes the property through the model that it stands in.
    @available(*, unavailable, message: "@Relationship belongs into a class that conforms to PersistentModel")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    public static subscript<Model: PersistentModel>(
        _enclosingInstance model: Model,
        wrapped keyPath: ReferenceWritableKeyPath<Model, Value>,
        storage storage: ReferenceWritableKeyPath<Model, Relationship<Value>>
    ) -> Value {
        get {
            guard let managed = model.persistentBackingData.managedRelationship(keyPath) else {
                return model[keyPath: storage].value ?? Value.related(to: []).unsafelyUnwrapped
            }
            return Value.related(to: managed.read()).unsafelyUnwrapped
        }
        set {
            guard let managed = model.persistentBackingData.managedRelationship(keyPath) else {
                model[keyPath: storage].value = newValue
                return
            }
            // From now on the context knows the destinations: holding them here too would make cycles.
            model[keyPath: storage].value = nil
            managed.write(newValue.relatedModels)
        }
    }
}

extension Relationship: PropertyDeclaration {
    var originalName: String? { Self.name(originalNamePointer) }
    var isUnset: Bool { false }
    var isSet: Bool { false }
}

protocol RelationshipDeclaration: PropertyDeclaration {
    var deleteRule: Schema.Relationship.DeleteRule { get }
    var inverse: AnyKeyPath? { get }
    var destinationType: any PersistentModel.Type { get }
    var isToMany: Bool { get }
    var valueType: Any.Type { get }
    /// What is wrong with the declaration itself.
    var mistake: String? { get }
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)?
}

extension RelationshipDeclaration {
    /// Any destination may be deleted, also by other programs: there has to be a value without one.
    static func requiredMistake<Value: RelationshipValue>(_ type: Value.Type) -> String? {
        Value.related(to: []) == nil ? "a relationship to one model is optional: declare it as \(Value.self)?" : nil
    }
}

extension Relationship: RelationshipDeclaration {
    var destinationType: any PersistentModel.Type { Value.relationshipDestination }
    var isToMany: Bool { Value.relationshipIsToMany }
    var valueType: Any.Type { Value.self }
    var mistake: String? { Self.requiredMistake(Value.self) }
}

extension Relationship {
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { RelationshipAccess(keyPath: $0) }
    }
}

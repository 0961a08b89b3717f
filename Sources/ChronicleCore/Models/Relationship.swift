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
public struct Relationship<Value> {
    /// The value of a model that is in no context.
    var value: Value
    let deleteRule: Schema.Relationship.DeleteRule
    let inverse: AnyKeyPath?
    let originalNamePointer: UnsafePointer<UInt8>?

    private init(
        value: Value, deleteRule: Schema.Relationship.DeleteRule, originalName: StaticString?, inverse: AnyKeyPath?
    ) {
        self.value = value
        self.deleteRule = deleteRule
        self.inverse = inverse
        originalNamePointer = originalName.map(\.utf8Start)
    }

    /// For no type: that there is one tells Swift that wrappers without arguments need no value.
    @available(*, unavailable, message: "a relationship is an optional model, or an array or set of models")
    public init(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        fatalError("unavailable")
    }

    /// For no type, as the one above.
    @available(*, unavailable, message: "a relationship is an optional model, or an array or set of models")
    public init(
        wrappedValue: Value, deleteRule: Schema.Relationship.DeleteRule = .nullify,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        fatalError("unavailable")
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
            model.persistentBackingData.managedRelationship(keyPath)?.read(as: Value.self)
                ?? model[keyPath: storage].value
        }
        set {
            let managed = model.persistentBackingData.managedRelationship(keyPath)
            // From the insert on the context knows the destinations: holding them here too would make cycles.
            model[keyPath: storage].value = managed?.value([], as: Value.self) ?? newValue
            managed?.write(newValue)
        }
    }
}

extension Relationship where Value: RelationshipValue {
    /// - Parameters:
    ///   - deleteRule: What a delete of this model does to its destinations.
    ///   - originalName: The name that the property had before it was renamed.
    ///   - inverse: The property of the destination that leads back.
    ///   - hashModifier: Allowed, and without effect: a store compares what it keeps, and no hashes of it.
    public init(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: Value.related(to: []), deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }

    /// - Parameter wrappedValue: The destinations of a new model; after the insert it has the destinations of its row.
    public init(
        wrappedValue: Value, deleteRule: Schema.Relationship.DeleteRule = .nullify,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: wrappedValue, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }
}

extension Relationship where Value: OptionalRelationshipCollection {
    public init(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: nil, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }

    public init(
        wrappedValue: Value, deleteRule: Schema.Relationship.DeleteRule = .nullify,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: wrappedValue, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }
}

extension Relationship: PropertyDeclaration {
    var originalName: String? { Self.name(originalNamePointer) }
    var isUnset: Bool { false }
    var isSet: Bool { false }
    var relationship: (any RelationshipDeclaration)? {
        DeclaredRelationship<Value>(deleteRule: deleteRule, inverse: inverse, mistake: nil)
    }
}

/// A relationship as its wrapper declares it.
protocol RelationshipDeclaration {
    var deleteRule: Schema.Relationship.DeleteRule { get }
    var inverse: AnyKeyPath? { get }
    /// What is wrong with the declaration itself.
    var mistake: String? { get }
    var destinationType: any PersistentModel.Type { get }
    var isToMany: Bool { get }
    var valueType: Any.Type { get }
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)?
}

struct DeclaredRelationship<Value>: RelationshipDeclaration {
    let deleteRule: Schema.Relationship.DeleteRule
    let inverse: AnyKeyPath?
    let mistake: String?
    private let shape: RelationshipShape<Value>

    /// `nil` when the type leads to no models.
    init?(deleteRule: Schema.Relationship.DeleteRule, inverse: AnyKeyPath?, mistake: String?) {
        guard let shape = RelationshipShape<Value>.known else { return nil }
        self.deleteRule = deleteRule
        self.inverse = inverse
        self.mistake = mistake
        self.shape = shape
    }

    var destinationType: any PersistentModel.Type { shape.destination }
    var isToMany: Bool { shape.isToMany }
    var valueType: Any.Type { Value.self }

    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { RelationshipAccess(keyPath: $0, shape: shape) }
    }
}

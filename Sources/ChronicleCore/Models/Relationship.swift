/// Marks a property of a model as a relationship: `Destination?` or `Destination` for one, `[Destination]` for many.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]
/// ```
///
/// One side of a pair names the inverse. From the insert of a model on, both sides agree at every moment: setting
/// `item.trip` moves the item between the `bucketList`s. Before the insert a relationship is a plain property; inserting
/// a model inserts what it is related to. Destinations are loaded when they are first read.
///
/// A to-many relationship may do without an inverse, or have one that leads to many as well: see ``Schema/Links``. One that
/// is its own inverse names itself by way of a static property, since Swift finds a circle otherwise.
///
/// A getter cannot throw. When destinations cannot be loaded (a locked or damaged file), the property reads as `nil` or
/// empty. The next `fetch` throws the error once, and every `save` throws it until the relationship was read again, which
/// loads it if it can, or ``ModelContext/retryFailedLoads()`` has loaded it, or ``ModelContext/rollback()`` was called:
/// what a program did because it found a list empty is not saved before it has seen the list. A value assigned to a
/// relationship that cannot be loaded is not stored; `save` throws the error until one is.
///
/// A property that is not optional has no `nil`. If its destination is not loaded, because that fails or because the row
/// is gone, it reads as that model all the same, see ``ModelContext/model(for:)``. If it was never set, it reads as
/// a *placeholder*, a model with empty values that belongs to no context; a save throws
/// ``SwiftDataError/modelValidationFailure`` until a destination is set.
///
/// To-many relationships that are arrays are changed in place: `trip.items.append(item)` and `removeLast()` take constant
/// time. Assigning an array, inserting and removing elsewhere, and every change of a `Set`, take time in proportion to
/// the number of destinations; so does the first change after the relationship was loaded.
@propertyWrapper
public struct Relationship<Value> {
    // In every model again, as ``Attribute`` is.

    /// The value of a model that is in no context; `nil` when the type has no value that leads nowhere.
    var value: Value?
    let deleteRule: Schema.Relationship.DeleteRule
    let options: Schema.Relationship.Option
    private let originalNameNumber: UInt16
    private let minimum: Int32
    private let maximum: Int32
    let inverse: AnyKeyPath?

    /// The destinations of a model that is in no context.
    var held: Value {
        get { value ?? RelationshipShape.placeholder }
        _modify {
            if value == nil { value = RelationshipShape.placeholder }
            // It has a value now, which is changed where it is: a copy would take time for every model in it.
            yield &value!
        }
    }

    private init(
        value: Value?, _ options: Schema.Relationship.Option, _ deleteRule: Schema.Relationship.DeleteRule,
        _ minimum: Int?, _ maximum: Int?, _ originalName: StaticString?, _ inverse: AnyKeyPath?
    ) {
        self.value = value
        self.options = options
        self.deleteRule = deleteRule
        self.minimum = Int32(clamping: minimum ?? 0)
        self.maximum = Int32(clamping: maximum ?? 0)
        originalNameNumber = originalName.map(OriginalNames.number) ?? 0
        self.inverse = inverse
    }

    /// For no type: that there is one tells Swift that wrappers without arguments need no value.
    @available(*, unavailable, message: "a relationship is a model or an optional one, or an array or set of models")
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        fatalError("unavailable")
    }

    /// For no type, as the one above.
    @available(*, unavailable, message: "a relationship is a model or an optional one, or an array or set of models")
    public init(
        wrappedValue: Value, _ options: Schema.Relationship.Option = [],
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        fatalError("unavailable")
    }

    /// Not used: Swift reads and writes the property through the model that it stands in.
    /// Swift says this as well where a reference is circular, because both sides name their inverse.
    @available(
        *, unavailable,
        message:
            "@Relationship belongs into a class that conforms to PersistentModel, and beside no other wrapper; only one of two sides names the inverse"
    )
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    public static subscript<Model: PersistentModel>(
        _enclosingInstance model: Model,
        wrapped keyPath: ReferenceWritableKeyPath<Model, Value>,
        storage storage: ReferenceWritableKeyPath<Model, Relationship<Value>>
    ) -> Value {
        get { model.persistentBackingData.relationship(keyPath, held: model[keyPath: storage].value) }
        set { model[keyPath: storage].value = model.persistentBackingData.setRelationship(keyPath, newValue) }
        _modify {
            if var change: RelationshipChange<Value> = model.persistentBackingData.beginChange(of: keyPath) {
                defer { model.persistentBackingData.endChange(change) }
                yield &change.value
            } else {
                yield &model[keyPath: storage].held
            }
        }
    }
}

extension Relationship where Value: RelationshipValue {
    /// - Parameters:
    ///   - options: ``Schema/Relationship/Option/unique``, of a relationship to one model.
    ///   - deleteRule: What a delete of this model does to its destinations.
    ///   - minimumModelCount: How many destinations a save asks for at least; 0 and `nil` for any number.
    ///   - maximumModelCount: How many destinations a save allows; 0 and `nil` for any number.
    ///   - originalName: The name that the property had before it was renamed.
    ///   - inverse: The property of the destination that leads back.
    ///   - hashModifier: Allowed, and without effect: a store compares what it keeps, and no hashes of it.
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: Value.related(to: []), options, deleteRule, minimumModelCount, maximumModelCount, originalName,
            inverse)
    }

    /// - Parameter wrappedValue: The destinations of a new model; after the insert it has the destinations of its row.
    public init(
        wrappedValue: Value, _ options: Schema.Relationship.Option = [],
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: wrappedValue, options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }
}

extension Relationship where Value: OptionalRelationshipCollection {
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: .some(nil), options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }

    public init(
        wrappedValue: Value, _ options: Schema.Relationship.Option = [],
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: wrappedValue, options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }
}

extension Relationship where Value: PersistentModel {
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: nil, options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }

    public init(
        wrappedValue: Value, _ options: Schema.Relationship.Option = [],
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: wrappedValue, options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }
}

extension Relationship: PropertyDeclaration {
    var originalName: String? { OriginalNames.name(originalNameNumber) }
    var isUnset: Bool { false }
    var isSet: Bool { false }
    var relationship: (any RelationshipDeclaration)? {
        DeclaredRelationship<Value>(
            deleteRule: deleteRule, options: options, counts: (Int(minimum), Int(maximum)), inverse: inverse)
    }
}

/// A relationship as its wrapper declares it.
protocol RelationshipDeclaration {
    var deleteRule: Schema.Relationship.DeleteRule { get }
    var options: Schema.Relationship.Option { get }
    var counts: (minimum: Int, maximum: Int) { get }
    var inverse: AnyKeyPath? { get }
    /// What is wrong with the declaration itself.
    var mistake: String? { get }
    var destinationType: any PersistentModel.Type { get }
    var isToMany: Bool { get }
    var isOptional: Bool { get }
    var valueType: Any.Type { get }
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)?
}

struct DeclaredRelationship<Value>: RelationshipDeclaration {
    let deleteRule: Schema.Relationship.DeleteRule
    let options: Schema.Relationship.Option
    let counts: (minimum: Int, maximum: Int)
    let inverse: AnyKeyPath?
    private let hasOptionsOfAttribute: Bool
    private let shape: RelationshipShape<Value>

    /// `nil` when the type leads to no models.
    init?(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, options: Schema.Relationship.Option = [],
        counts: (minimum: Int, maximum: Int) = (0, 0), inverse: AnyKeyPath? = nil, hasOptionsOfAttribute: Bool = false
    ) {
        guard let shape = RelationshipShape<Value>.known else { return nil }
        self.deleteRule = deleteRule
        self.options = options
        self.counts = counts
        self.inverse = inverse
        self.hasOptionsOfAttribute = hasOptionsOfAttribute
        self.shape = shape
    }

    var mistake: String? {
        if hasOptionsOfAttribute { return "it is a relationship, which has no options of an attribute" }
        if isToMany, options.contains(.unique) { return "only a relationship to one model can be unique" }
        if counts.minimum < 0 || counts.maximum < 0 { return "a model count cannot be negative" }
        if !isToMany, counts.minimum > 1 { return "it leads to one model, and never to \(counts.minimum)" }
        if counts.maximum > 0, counts.minimum > counts.maximum {
            return "it cannot lead to \(counts.minimum) models at least and \(counts.maximum) at most"
        }
        return nil
    }

    var destinationType: any PersistentModel.Type { shape.destination }
    var isToMany: Bool { shape.isToMany }
    var isOptional: Bool { shape.isOptional }
    var valueType: Any.Type { Value.self }

    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { RelationshipAccess(keyPath: $0, shape: shape) }
    }
}

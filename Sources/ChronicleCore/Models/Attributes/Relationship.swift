/// A property wrapper that marks a property of a model as a relationship.
///
/// Declare the property as `Destination?` or `Destination` for a to-one relationship, and as `[Destination]` or `Set<Destination>`
/// for a to-many relationship:
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]
/// ```
///
/// ## Inverses
///
/// Name the inverse on one side of a pair. Once a model is inserted, Chronicle keeps both sides consistent: setting `item.trip`
/// moves the item from one `bucketList` to another. Before the insert, a relationship is a plain property. Inserting a model also
/// inserts the models it references. Destinations are loaded when they are first read.
///
/// A to-many relationship can have no inverse or a to-many inverse; see ``Schema/Links``. A relationship that is its own inverse
/// has to name itself through a static property, because Swift rejects a direct circular reference.
///
/// ## Loading errors
///
/// A getter cannot throw. When destinations cannot be loaded, for example because the file is locked or damaged, the property reads
/// as `nil` or empty. The next `fetch` throws the error once, and every `save` throws it until the relationship is read again
/// successfully, ``ModelContext/retryFailedLoads()`` loads it, or you call ``ModelContext/rollback()``. This prevents a save of
/// changes that were made because a list appeared to be empty. A value that you assign to such a relationship is not stored; `save`
/// throws the error until an assignment succeeds.
///
/// ## Required relationships
///
/// A required relationship has a type that is not optional. If its destination cannot be loaded or its row no longer exists, the
/// property returns a model for the destination's identifier; see ``ModelContext/model(for:)``. If it was never set, the property
/// returns a placeholder model with empty values that belongs to no context, and a save throws
/// ``SwiftDataError/modelValidationFailure`` until you set a destination.
///
/// ## Performance
///
/// Arrays are changed in place: `trip.items.append(item)` and `removeLast()` take constant time. Assigning an array, inserting or
/// removing elsewhere, every change of a `Set`, and the first change after the relationship was loaded take time proportional to
/// the number of destinations.
@propertyWrapper
public struct Relationship<Value> {
    // Every model stores its wrappers' options, so they have to be small.

    /// The value before the property is set; `nil` if the type has no empty value. After that, the model's backing data or its
    /// context keeps the destinations, and this value has none.
    @usableFromInline var value: Value?
    let deleteRule: Schema.Relationship.DeleteRule
    let options: Schema.Relationship.Option
    private let originalNameNumber: UInt16
    private let minimum: Int32
    private let maximum: Int32
    let inverse: AnyKeyPath?

    /// The destinations of the relationship before its model is inserted.
    ///
    /// An initializer can set `_items.initialValue` instead of `items`. Swift then does not call the observers of the property, and
    /// allows it before `super.init`; `@Model` uses this for properties with observers. Do not set it after the model was inserted:
    /// the context does not learn of the change.
    public var initialValue: Value {
        get { value ?? RelationshipShape.initialValue }
        set { value = newValue }
        _modify {
            if value == nil { value = RelationshipShape.initialValue }
            // Changes the value in place: a copy would take time proportional to the number of models.
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

    /// Unavailable; without this initializer, Swift would require a default value for wrappers without arguments.
    @available(
        *, unavailable, message: "@Relationship requires a model type, an optional model, or an array or set of models"
    )
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        // Never called: the compiler rejects every use.
        fatalError("unavailable")
    }

    /// Unavailable; the type is not a relationship type.
    @available(
        *, unavailable, message: "@Relationship requires a model type, an optional model, or an array or set of models"
    )
    public init(
        wrappedValue: Value, _ options: Schema.Relationship.Option = [],
        deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        // Never called: the compiler rejects every use.
        fatalError("unavailable")
    }

    /// Unavailable; Swift accesses the property through its enclosing model.
    ///
    /// Swift also reports this declaration when a reference is circular because both sides name their inverse.
    @available(
        *, unavailable,
        message:
            "@Relationship requires a PersistentModel class and no other wrapper; name the inverse on only one side"
    )
    public var wrappedValue: Value {
        // Never called: a property wrapper has to declare `wrappedValue`, but models use the subscript.
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// Accesses the destinations of the relationship in its enclosing model, for Swift.
    ///
    /// Reading loads the destinations if necessary; the next fetch or save throws an error.
    ///
    /// - Parameters:
    ///   - model: The model that declares the property.
    ///   - keyPath: The key path of the property.
    ///   - storage: The key path of the wrapper.
    /// - Returns: The destinations of the relationship.
    @inlinable
    public static subscript<Model: PersistentModel>(
        _enclosingInstance model: Model,
        wrapped keyPath: ReferenceWritableKeyPath<Model, Value>,
        storage storage: ReferenceWritableKeyPath<Model, Relationship<Value>>
    ) -> Value {
        get { model.persistentBackingData.readRelationship(keyPath, declared: model[keyPath: storage].value) }
        set {
            let backing = model.persistentBackingData
            if backing.isObserved { backing.willSet(keyPath) }
            model[keyPath: storage].value = backing.setRelationship(keyPath, newValue)
            if backing.isObserved { backing.didSet(keyPath) }
        }
        _modify {
            let backing = model.persistentBackingData
            if backing.isAccessTracked() { backing.access(keyPath) }
            if backing.isObserved { backing.willSet(keyPath) }
            defer { if backing.isObserved { backing.didSet(keyPath) } }
            if var change: RelationshipModification<Value> = backing.beginChange(of: keyPath) {
                defer { backing.endChange(change) }
                yield &change.value
            } else {
                yield &backing.heldDestinations(at: keyPath, declared: &model[keyPath: storage].value).value
            }
        }
    }
}

extension Relationship where Value: RelationshipValue {
    /// Creates a relationship without destinations.
    ///
    /// - Parameters:
    ///   - options: The options. ``Schema/Relationship/Option/unique`` is available for to-one relationships.
    ///   - deleteRule: The effect that deleting this model has on its destinations.
    ///   - minimumModelCount: The minimum number of destinations when the model is saved; 0 or `nil` for no minimum.
    ///   - maximumModelCount: The maximum number of destinations when the model is saved; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored, because Chronicle does not compare versions of a property by hash.
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: Value.related(to: []), options, deleteRule, minimumModelCount, maximumModelCount, originalName,
            inverse)
    }

    /// Creates a relationship with initial destinations.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destinations of a new model. After the insert, the context keeps the destinations.
    ///   - options: The options. ``Schema/Relationship/Option/unique`` is available for to-one relationships.
    ///   - deleteRule: The effect that deleting this model has on its destinations.
    ///   - minimumModelCount: The minimum number of destinations when the model is saved; 0 or `nil` for no minimum.
    ///   - maximumModelCount: The maximum number of destinations when the model is saved; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
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
    /// Creates an optional to-many relationship whose initial value is `nil`.
    ///
    /// - Parameters:
    ///   - options: The options of the relationship.
    ///   - deleteRule: The effect that deleting this model has on its destinations.
    ///   - minimumModelCount: The minimum number of destinations when the model is saved; 0 or `nil` for no minimum.
    ///   - maximumModelCount: The maximum number of destinations when the model is saved; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: .some(nil), options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }

    /// Creates an optional to-many relationship with initial destinations.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destinations of a new model. After the insert, the context keeps the destinations.
    ///   - options: The options of the relationship.
    ///   - deleteRule: The effect that deleting this model has on its destinations.
    ///   - minimumModelCount: The minimum number of destinations when the model is saved; 0 or `nil` for no minimum.
    ///   - maximumModelCount: The maximum number of destinations when the model is saved; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
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
    /// Creates a required to-one relationship without a destination, which must be set before a save.
    ///
    /// - Parameters:
    ///   - options: The options of the relationship, such as ``Schema/Relationship/Option/unique``.
    ///   - deleteRule: The effect that deleting this model has on its destination.
    ///   - minimumModelCount: 0, 1 or `nil`; a required relationship always has one destination.
    ///   - maximumModelCount: The maximum number of destinations; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
    public init(
        _ options: Schema.Relationship.Option = [], deleteRule: Schema.Relationship.DeleteRule = .nullify,
        minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(
            value: nil, options, deleteRule, minimumModelCount, maximumModelCount, originalName, inverse)
    }

    /// Creates a required to-one relationship with an initial destination.
    ///
    /// - Parameters:
    ///   - wrappedValue: The destination of a new model. After the insert, the context keeps the destination.
    ///   - options: The options of the relationship, such as ``Schema/Relationship/Option/unique``.
    ///   - deleteRule: The effect that deleting this model has on its destination.
    ///   - minimumModelCount: 0, 1 or `nil`; a required relationship always has one destination.
    ///   - maximumModelCount: The maximum number of destinations; 0 or `nil` for no maximum.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - inverse: The key path of the destination's property that references this model.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
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

protocol RelationshipDeclaration {
    var deleteRule: Schema.Relationship.DeleteRule { get }
    var options: Schema.Relationship.Option { get }
    var counts: (minimum: Int, maximum: Int) { get }
    var inverse: AnyKeyPath? { get }
    /// What is invalid in the declaration itself; `nil` if it is valid.
    var validationError: String? { get }
    var destinationType: any PersistentModel.Type { get }
    var isToMany: Bool { get }
    var isOptional: Bool { get }
    var valueType: Any.Type { get }
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any RelationshipAccess)?
}

struct DeclaredRelationship<Value>: RelationshipDeclaration {
    let deleteRule: Schema.Relationship.DeleteRule
    let options: Schema.Relationship.Option
    let counts: (minimum: Int, maximum: Int)
    let inverse: AnyKeyPath?
    private let hasOptionsOfAttribute: Bool
    private let shape: RelationshipShape<Value>

    /// Returns `nil` when the type does not reference models.
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

    var validationError: String? {
        if hasOptionsOfAttribute { return "a relationship cannot have attribute options" }
        return Schema.Relationship.validationError(isToMany: isToMany, options: options, counts: counts)
    }

    var destinationType: any PersistentModel.Type { shape.destination }
    var isToMany: Bool { shape.isToMany }
    var isOptional: Bool { shape.isOptional }
    var valueType: Any.Type { Value.self }

    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any RelationshipAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { TypedRelationshipAccess($0, shape) }
    }
}

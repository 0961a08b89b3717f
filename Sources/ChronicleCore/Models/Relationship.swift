public import Foundation

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
    /// The value of a model that is in no context.
    @usableFromInline var value: Value
    let deleteRule: Schema.Relationship.DeleteRule
    let inverse: AnyKeyPath?
    let originalNamePointer: UnsafePointer<UInt8>?

    /// - Parameters:
    ///   - deleteRule: What a delete of this model does to its destinations.
    ///   - originalName: The name that the property had before it was renamed.
    ///   - inverse: The property of the destination that leads back.
    public init(
        deleteRule: Schema.Relationship.DeleteRule = .nullify, originalName: StaticString? = nil,
        inverse: AnyKeyPath? = nil
    ) {
        self.init(wrappedValue: .none, deleteRule: deleteRule, originalName: originalName, inverse: inverse)
    }

    public init(
        wrappedValue: Value, deleteRule: Schema.Relationship.DeleteRule = .nullify,
        originalName: StaticString? = nil, inverse: AnyKeyPath? = nil
    ) {
        value = wrappedValue
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
                return model[keyPath: storage].value
            }
            return Value(destinations: managed.read())
        }
        set {
            guard let managed = model.persistentBackingData.managedRelationship(keyPath) else {
                model[keyPath: storage].value = newValue
                return
            }
            // From now on the context knows the destinations: holding them here too would make cycles.
            model[keyPath: storage].value = .none
            managed.write(newValue.destinations)
        }
    }
}

/// What a relationship's property may be: an optional model or an array of models.
public protocol RelationshipValue {
    static var destinationType: any PersistentModel.Type { get }
    static var isToMany: Bool { get }
    /// Without destinations.
    static var none: Self { get }
    var destinations: [any PersistentModel] { get }
    init(destinations: [any PersistentModel])
    /// The models whose relationship leads to a model; `nil` for a to-many relationship.
    static func predicate<Model: PersistentModel>(
        _ keyPath: KeyPath<Model, Self>, leadingTo identifier: PersistentIdentifier
    ) -> Predicate<Model>?
}

extension Optional: RelationshipValue where Wrapped: PersistentModel {
    public static var destinationType: any PersistentModel.Type { Wrapped.self }
    public static var isToMany: Bool { false }
    public var destinations: [any PersistentModel] { map { [$0] } ?? [] }
    public init(destinations: [any PersistentModel]) { self = destinations.first as? Wrapped }

    public static func predicate<Model: PersistentModel>(
        _ keyPath: KeyPath<Model, Self>, leadingTo identifier: PersistentIdentifier
    ) -> Predicate<Model>? {
        // { $0[keyPath: keyPath]?.persistentModelID == identifier }
        let sought: PersistentIdentifier? = identifier
        // A key path of a stored property has no captures and is immutable, whatever its static type says.
        let keyPath = unsafeBitCast(keyPath, to: (any KeyPath<Model, Self> & Sendable).self)
        return Predicate<Model> { model in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: model, keyPath: keyPath)
                ) { destination in
                    PredicateExpressions.build_KeyPath(root: destination, keyPath: \Wrapped.persistentModelID)
                },
                rhs: PredicateExpressions.build_Arg(sought))
        }
    }
}

extension Array: RelationshipValue where Element: PersistentModel {
    public static var destinationType: any PersistentModel.Type { Element.self }
    public static var isToMany: Bool { true }
    public static var none: [Element] { [] }
    public var destinations: [any PersistentModel] { self }
    public init(destinations: [any PersistentModel]) { self = destinations.compactMap { $0 as? Element } }

    public static func predicate<Model: PersistentModel>(
        _ keyPath: KeyPath<Model, Self>, leadingTo identifier: PersistentIdentifier
    ) -> Predicate<Model>? { nil }
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
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)?
}

extension Relationship: RelationshipDeclaration {
    var destinationType: any PersistentModel.Type { Value.destinationType }
    var isToMany: Bool { Value.isToMany }
    var valueType: Any.Type { Value.self }
}

extension Relationship {
    func access<Model: PersistentModel>(_ keyPath: AnyKeyPath, _ model: Model.Type) -> (any PropertyAccess)? {
        (keyPath as? ReferenceWritableKeyPath<Model, Value>).map { RelationshipAccess(keyPath: $0) }
    }
}

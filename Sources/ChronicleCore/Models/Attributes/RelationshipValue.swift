/// A type that a relationship property can have: an optional model, or an array or set of models.
///
/// Do not conform other types to this protocol. ``OptionalRelationshipCollection`` supports optional arrays and sets, which are
/// never `nil` in a context; without destinations they read as empty.
public protocol RelationshipValue {
    /// The model class of the destinations.
    static var relationshipDestination: any PersistentModel.Type { get }
    /// Whether a value can contain more than one model.
    static var relationshipIsToMany: Bool { get }
    /// Returns the value that contains the given models.
    ///
    /// - Parameter models: The destinations. Models of other classes are ignored.
    /// - Returns: The value of the relationship.
    static func related(to models: [any PersistentModel]) -> Self
    /// The destinations that the value contains.
    var relatedModels: [any PersistentModel] { get }
}

/// The type of a to-many relationship: an array or set of models.
public protocol RelationshipCollection: RelationshipValue {}

// The constraint is `PersistentModel`, which the macro declares. With a protocol that it inherits from, Swift may find
// the conformance too late, depending on the order of the files.
extension Optional: RelationshipValue where Wrapped: PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Wrapped.self }
    public static var relationshipIsToMany: Bool { false }
    public static func related(to models: [any PersistentModel]) -> Wrapped? { models.first as? Wrapped }
    public var relatedModels: [any PersistentModel] { map { [$0] } ?? [] }
}

extension Array: RelationshipValue, RelationshipCollection where Element: PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Element.self }
    public static var relationshipIsToMany: Bool { true }
    public static func related(to models: [any PersistentModel]) -> [Element] { models.compactMap { $0 as? Element } }
    public var relatedModels: [any PersistentModel] { self }
}

extension Set: RelationshipValue, RelationshipCollection where Element: PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Element.self }
    public static var relationshipIsToMany: Bool { true }
    public static func related(to models: [any PersistentModel]) -> Set {
        Set(models.lazy.compactMap { $0 as? Element })
    }
    public var relatedModels: [any PersistentModel] { Array(self) }
}

/// An optional ``RelationshipCollection``. Do not conform other types to this protocol.
///
/// It is separate because `Optional` can conform to ``RelationshipValue`` only once.
public protocol OptionalRelationshipCollection: ExpressibleByNilLiteral {
    /// The wrapped collection type.
    associatedtype Content: RelationshipCollection
    /// Creates an optional that contains a collection.
    ///
    /// - Parameter content: The collection.
    init(_ content: Content)
    /// The wrapped collection, if any.
    var content: Content? { get }
}

extension Optional: OptionalRelationshipCollection where Wrapped: RelationshipCollection {
    public var content: Wrapped? { self }
}

private protocol ModelArray {}
extension Array: ModelArray where Element: PersistentModel {}

/// The conversion between the values of a relationship's type and models.
struct RelationshipShape<Value> {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    /// Whether the type has an empty value.
    let isOptional: Bool
    /// Whether a value is represented as an array or an optional array and needs no conversion.
    let isArray: Bool
    let model: @Sendable (AnyObject) -> any PersistentModel
    /// Returns `nil` when there are no models and the type has no empty value.
    private let convert: ([any PersistentModel]) -> Value?
    private let models: (Value) -> [any PersistentModel]

    /// The shape of `Value`; `nil` when the type does not reference models.
    static var known: RelationshipShape? {
        if let type = Value.self as? any RelationshipValue.Type { return shape(type) as? RelationshipShape }
        if let type = Value.self as? any PersistentModel.Type { return shape(type) as? RelationshipShape }
        return (Value.self as? any OptionalRelationshipCollection.Type).flatMap { shape($0) as? RelationshipShape }
    }

    /// Returns `nil` if there are no destinations and the type has no empty value.
    ///
    /// - Complexity: O(1) for arrays.
    func value(_ destinations: [AnyObject]) -> Value? {
        // All arrays of class instances have the same layout, and an optional array has the size of an array.
        isArray ? unsafeBitCast(destinations, to: Value.self) : convert(destinations.map(model))
    }

    /// - Complexity: O(1) for arrays.
    func destinations(_ value: Value) -> [AnyObject] {
        isArray ? unsafeBitCast(value, to: [AnyObject]?.self) ?? [] : models(value)
    }

    /// The value of a required relationship that was never set.
    static var placeholder: Value {
        guard let shape = known, let value = shape.value([shape.destination.placeholder()]) else {
            // Unreachable: the wrappers' initializers accept relationship types only.
            fatalError("\(Value.self) is not a relationship type")
        }
        return value
    }

    /// The value without destinations, or the placeholder if the type has none.
    static var initialValue: Value { known?.value([]) ?? placeholder }

    private static func shape<Known: RelationshipValue>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.relationshipDestination, isToMany: Known.relationshipIsToMany, isOptional: true,
            isArray: Known.self is any ModelArray.Type, model: model(Known.relationshipDestination),
            convert: { Known.related(to: $0) }, models: { $0.relatedModels })
    }

    private static func shape<Known: OptionalRelationshipCollection>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.Content.relationshipDestination, isToMany: true, isOptional: true,
            isArray: Known.Content.self is any ModelArray.Type, model: model(Known.Content.relationshipDestination),
            convert: { Known(Known.Content.related(to: $0)) }, models: { $0.content?.relatedModels ?? [] })
    }

    private static func shape<Known: PersistentModel>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.self, isToMany: false, isOptional: false, isArray: false, model: model(Known.self),
            convert: { $0.first as? Known }, models: { $0.persistentBackingData.isProbe ? [] : [$0] })
    }

    private static func model<Destination: PersistentModel>(
        _: Destination.Type
    ) -> @Sendable (AnyObject) -> any PersistentModel {
        { unsafeDowncast($0, to: Destination.self) }
    }
}

/// What a relationship's property may be: an optional model, or an array or set of models. These may be optional too; they
/// have no `nil` then, and one that leads to no model reads as empty once it is in a context.
public protocol RelationshipValue {
    static var relationshipDestination: any PersistentModel.Type { get }
    static var relationshipIsToMany: Bool { get }
    /// The value of a relationship that leads to these models.
    static func related(to models: [any PersistentModel]) -> Self
    var relatedModels: [any PersistentModel] { get }
}

/// A to-many relationship's value.
public protocol RelationshipCollection: RelationshipValue {}

// Of models it is asked what the macro declares, `PersistentModel`: of a protocol above that, Swift may find the conformance
// too late, depending on the order of the files.
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

/// An optional ``RelationshipCollection``, for which `Optional` cannot be a ``RelationshipValue`` once more.
public protocol OptionalRelationshipCollection: ExpressibleByNilLiteral {
    associatedtype Content: RelationshipCollection
    init(_ content: Content)
    var content: Content? { get }
}

extension Optional: OptionalRelationshipCollection where Wrapped: RelationshipCollection {
    public var content: Wrapped? { self }
}

/// A collection that is an array of class instances in memory.
private protocol ModelArray {}
extension Array: ModelArray where Element: PersistentModel {}

/// What leads from the values of a relationship's type to models and back, as the schema keeps it.
struct RelationshipShape<Value> {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    /// Whether there is a value that leads nowhere.
    let isOptional: Bool
    /// Whether a value is an array in memory, or an optional one, and needs no conversion.
    let isArray: Bool
    /// A destination as a model.
    let model: @Sendable (AnyObject) -> any PersistentModel
    /// The value that leads to these models; `nil` where there is none that leads nowhere.
    private let convert: ([any PersistentModel]) -> Value?
    private let models: (Value) -> [any PersistentModel]

    /// `nil` for a type that leads to no models.
    static var known: RelationshipShape? {
        if let type = Value.self as? any RelationshipValue.Type { return shape(type) as? RelationshipShape }
        if let type = Value.self as? any PersistentModel.Type { return shape(type) as? RelationshipShape }
        return (Value.self as? any OptionalRelationshipCollection.Type).flatMap { shape($0) as? RelationshipShape }
    }

    /// The value for these destinations; `nil` if there are none and the type has no empty value. Constant time for arrays.
    func value(_ destinations: [AnyObject]) -> Value? {
        // Arrays of class instances have one layout, and an optional array is as large as an array.
        isArray ? unsafeBitCast(destinations, to: Value.self) : convert(destinations.map(model))
    }

    /// The destinations of a value. Constant time for arrays.
    func destinations(_ value: Value) -> [AnyObject] {
        isArray ? unsafeBitCast(value, to: [AnyObject]?.self) ?? [] : models(value)
    }

    /// What a property reads as that is not optional and was never set.
    static var placeholder: Value {
        guard let shape = known, let value = shape.value([shape.destination.placeholder()]) else {
            // A wrapper has no other values: its initialisers ask for it.
            fatalError("\(Value.self) leads to no models")
        }
        return value
    }

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

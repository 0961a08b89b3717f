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

/// What leads from the values of a relationship's type to models and back, as the schema keeps it.
struct RelationshipShape<Value> {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    /// Whether there is a value that leads nowhere.
    let isOptional: Bool
    /// The value that leads to these models; `nil` where there is none that leads nowhere.
    let value: ([any PersistentModel]) -> Value?
    let models: (Value) -> [any PersistentModel]

    /// `nil` for a type that leads to no models.
    static var known: RelationshipShape? {
        if let type = Value.self as? any RelationshipValue.Type { return shape(type) as? RelationshipShape }
        if let type = Value.self as? any PersistentModel.Type { return shape(type) as? RelationshipShape }
        return (Value.self as? any OptionalRelationshipCollection.Type).flatMap { shape($0) as? RelationshipShape }
    }

    /// What a property reads as that is not optional and leads nowhere.
    static var standIn: Value {
        guard let shape = known, let value = shape.value([shape.destination.standIn(for: nil)]) else {
            // A wrapper has no other values: its initialisers ask for it.
            fatalError("\(Value.self) leads to no models")
        }
        return value
    }

    private static func shape<Known: RelationshipValue>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.relationshipDestination, isToMany: Known.relationshipIsToMany, isOptional: true,
            value: { Known.related(to: $0) }, models: { $0.relatedModels })
    }

    private static func shape<Known: OptionalRelationshipCollection>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.Content.relationshipDestination, isToMany: true, isOptional: true,
            value: { Known(Known.Content.related(to: $0)) }, models: { $0.content?.relatedModels ?? [] })
    }

    private static func shape<Known: PersistentModel>(_: Known.Type) -> Any {
        RelationshipShape<Known>(
            destination: Known.self, isToMany: false, isOptional: false,
            value: { $0.first as? Known }, models: { $0.persistentBackingData.isProbe ? [] : [$0] })
    }
}

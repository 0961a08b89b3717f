/// What a relationship's property may be: an optional model, or an array or set of models, which may be optional too.
///
/// To-many relationships have no `nil`: an optional one that leads to no model reads as empty once it is in a context.
public protocol RelationshipValue {
    static var relationshipDestination: any PersistentModel.Type { get }
    static var relationshipIsToMany: Bool { get }
    /// The value of a relationship that leads to these models; `nil` when there is none, which only a model says that is
    /// not optional.
    static func related(to models: [any PersistentModel]) -> Self?
    var relatedModels: [any PersistentModel] { get }
}

extension PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Self.self }
    public static var relationshipIsToMany: Bool { false }
    public static func related(to models: [any PersistentModel]) -> Self? { models.first as? Self }
    public var relatedModels: [any PersistentModel] { [self] }
}

extension Optional: RelationshipValue where Wrapped: RelationshipValue {
    public static var relationshipDestination: any PersistentModel.Type { Wrapped.relationshipDestination }
    public static var relationshipIsToMany: Bool { Wrapped.relationshipIsToMany }
    public static func related(to models: [any PersistentModel]) -> Wrapped?? { .some(Wrapped.related(to: models)) }
    public var relatedModels: [any PersistentModel] { map(\.relatedModels) ?? [] }
}

extension Array: RelationshipValue where Element: PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Element.self }
    public static var relationshipIsToMany: Bool { true }
    public static func related(to models: [any PersistentModel]) -> [Element]? { models.compactMap { $0 as? Element } }
    public var relatedModels: [any PersistentModel] { self }
}

extension Set: RelationshipValue where Element: PersistentModel {
    public static var relationshipDestination: any PersistentModel.Type { Element.self }
    public static var relationshipIsToMany: Bool { true }
    public static func related(to models: [any PersistentModel]) -> Set? {
        Set(models.lazy.compactMap { $0 as? Element })
    }
    public var relatedModels: [any PersistentModel] { Array(self) }
}

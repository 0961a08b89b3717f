/// The part of ``PersistentModel`` that provides `id`. Do not conform to this protocol directly.
///
/// It is separate because of key paths: in code that is generic over ``PersistentModel``, `\Model.id` would reference the
/// requirement of `Identifiable` and would not equal `\Trip.id` in a predicate. In this protocol, the type of the `Identifiable`
/// requirement is not fixed yet, so that both key paths reference the property below.
public protocol IdentifiableModel: AnyObject, Identifiable {
    /// The name of the entity; see ``PersistentModel/entityName``.
    static var entityName: String { get }
    /// The backing data of the model, independent of its class; see ``PersistentModel/persistentBackingData``.
    var anyBackingData: AnyBackingData { get }
}

extension IdentifiableModel {
    /// The identifier of the model, the same as ``PersistentModel/persistentModelID``.
    public var id: PersistentIdentifier { anyBackingData.identifier(entityName: Self.entityName) }

    fileprivate static var idKeyPath: KeyPath<Self, PersistentIdentifier> { \Self.id }
}

extension PersistentModel {
    public var anyBackingData: AnyBackingData { persistentBackingData }

    static var identifierKeyPaths: [AnyKeyPath] { [\Self.persistentModelID, idKeyPath] }
}

/// Gives models their `id`.
///
/// A protocol of its own because of key paths: in generic code on ``PersistentModel`` a `\Model.id` is that of
/// `Identifiable`, which does not equal the `\Trip.id` in a user's predicate. Here the type of `Identifiable`'s is still
/// open, so that both mean the property below.
public protocol IdentifiableModel: AnyObject, Identifiable {
    static var entityName: String { get }
    var persistentBackingData: BackingData { get }
}

extension IdentifiableModel {
    /// The same as ``PersistentModel/persistentModelID``.
    public var id: PersistentIdentifier { persistentBackingData.identifier(entityName: Self.entityName) }

    fileprivate static var idKeyPath: KeyPath<Self, PersistentIdentifier> { \Self.id }
}

extension PersistentModel {
    /// The key paths that lead to a model's identifier.
    static var identifierKeyPaths: [AnyKeyPath] { [\Self.persistentModelID, idKeyPath] }
}

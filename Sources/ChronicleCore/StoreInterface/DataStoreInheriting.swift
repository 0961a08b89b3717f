/// A store that supports models that inherit from models.
///
/// A container throws ``SwiftDataError/unsupportedFeature`` for such a model if its store does not conform. A store that
/// conforms must do the following:
///
/// - Return the rows of all ``Schema/kinds(of:)`` of the entity from a fetch, a count, a fetch of identifiers and a batch
///   delete. ``DataStoreBatchDeleteRequest/includeSubclasses`` can exclude those of subentities.
/// - Create the identifiers of a row with the row's own entity, which the identifier of the inserted snapshot names;
///   see ``PersistentIdentifier/Origin/init(storeIdentifier:entityName:rootEntityName:)``. Their keys are distinct
///   among all entities that have the same ``Schema/Entity/rootName``.
/// - Return as many values as the row's own entity has stored properties. The inherited ones come first.
/// - Record changes in the history with the row's own entity.
public protocol DataStoreInheriting: DataStore {}

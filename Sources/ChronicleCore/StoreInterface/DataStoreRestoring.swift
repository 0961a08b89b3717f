/// A store that can insert rows with primary keys that the request chooses.
///
/// Deleted models are restored with their original identifiers, and replicas copy the identifiers of their source. Both
/// save requests whose ``DataStoreSaveChangesRequest/inserted`` snapshots have permanent identifiers. A container makes
/// such requests only to stores that conform to this protocol. A conforming store must meet these requirements:
///
/// - Insert a snapshot with a permanent identifier of the store as a row with that primary key, and record the insert in
///   the history like any other. Assign keys to snapshots with temporary identifiers as usual. One request can contain
///   both, with references and links between them.
/// - Throw ``SwiftDataError/uniquenessViolation`` if a row with the key exists, unless the same request deletes it, and
///   ``SwiftDataError/modelNotFound`` if the identifier belongs to another store. Nothing is saved in either case.
/// - Never assign the key of an earlier row to another one: if a restored key is higher than all others, the rows that
///   are inserted later have higher keys.
/// - Return the permanent identifiers of all inserted snapshots in the ``DataStoreSaveChangesResult``, also those that
///   the request chose.
public protocol DataStoreRestoring: DataStore {}

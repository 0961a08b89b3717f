/// A store that leaves out rows by their identifiers when it fetches.
///
/// A context with unsaved changes judges the models that it has changed itself, and needs the other rows from the store.
/// Adopt this protocol where the store can leave out ``DataStoreFetchRequest/excludedIdentifiers`` before it counts or
/// applies limit and offset: in `fetch`, `fetchRows`, `fetchCount` and `fetchIdentifiers`. The context then needs no more
/// rows than it returns. From other stores it fetches as many rows more as it has changed, and all matching identifiers
/// for a count.
public protocol DataStoreExcluding: DataStore {}

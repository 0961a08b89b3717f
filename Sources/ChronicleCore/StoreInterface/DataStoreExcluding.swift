/// A store that can exclude rows from a fetch by their identifiers.
///
/// A context with unsaved changes filters and sorts its changed models in memory, and fetches all other rows from the
/// store. Adopt this protocol if the store can exclude ``DataStoreFetchRequest/excludedIdentifiers`` in `fetch`,
/// `fetchRows`, `fetchCount` and `fetchIdentifiers` before it counts rows or applies the limit and the offset. The
/// context then fetches no more rows than it returns. From other stores it fetches one additional row for each changed
/// model, and all matching identifiers to determine a count.
public protocol DataStoreExcluding: DataStore {}

/// A store whose models and history can be exported with
/// ``ModelContainer/exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``.
///
/// A conforming store also supports ``HistoryChangesRequest/returnsStoredValues``.
public protocol DataStoreExporting: DataStore, HistoryPaging where HistoryType == DefaultHistoryTransaction {
    /// Calls a closure with all models and all links of the store as they are at one position of the history.
    ///
    /// Return the models in ascending order of their identifiers within an entity, and each link once, after all models. Do not
    /// keep all of them in memory.
    ///
    /// - Parameter row: A closure that receives a model or a link. It does not use the store.
    /// - Returns: The token of the newest transaction that the models include.
    /// - Throws: The error that `row` throws, ``SwiftDataError/historyDisabled`` if the store does not record changes, or the error
    ///   that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func exportRows(_ row: (DataStoreExportedRow<Snapshot>) throws -> Void) throws -> DefaultHistoryToken
}

/// A part of the contents of a store.
public enum DataStoreExportedRow<Snapshot: DataStoreSnapshot>: Sendable {
    /// A model with its values.
    case model(Snapshot)
    /// A link between two models.
    case link(DataStoreLink)
}

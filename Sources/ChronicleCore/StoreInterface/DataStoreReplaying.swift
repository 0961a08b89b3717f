/// A store to which the history of another store can be replayed with
/// ``ModelContainer/replayHistory(from:storeName:)``.
///
/// A replica keeps the position that it reached in the history of its source, and moves it in the transaction of each
/// save that contains a ``DataStoreSaveChangesRequest/replay``. In such a save, a conforming store must do the following
/// in one transaction, or throw an error and change nothing:
///
/// - Throw ``SwiftDataError/historyReplayConflict`` if its position is not ``HistoryReplayStep/previous``.
/// - Throw ``SwiftDataError/historyReplayConflict`` if a row of ``HistoryReplayStep/expected`` does not exist, or has
///   another value in one of its ``DataStoreSnapshot/changed`` slots.
/// - Throw ``SwiftDataError/historyReplayConflict`` if a delete rule would delete rows that the request does not list.
/// - Set the position to ``HistoryReplayStep/token``.
public protocol DataStoreReplaying: DataStoreRestoring {
    /// Returns the position in the history of the source that the store has reached, or `nil` if nothing was replayed.
    ///
    /// - Returns: The token of the last replayed transaction, which is a token of the source.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func replayedHistoryToken() throws -> DefaultHistoryToken?
}

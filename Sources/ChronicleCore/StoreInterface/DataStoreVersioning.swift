public import Foundation

/// A store that can be read as it was at an earlier position of its history.
///
/// Adopt this protocol so that contexts can be created with ``ModelContext/init(_:asOf:)-(_,Token)`` for containers with
/// the store.
@preconcurrency
public protocol DataStoreVersioning: DataStore, HistoryProviding {
    /// Returns a store with the models as they were at a position.
    ///
    /// The returned store has the same ``DataStore/identifier`` and ``DataStore/schema``, so that a model has the same
    /// identifier at every position. Its fetches return the rows as they were after the transaction of the token,
    /// whatever other contexts and programs save meanwhile. If a fetch needs a value that the history does not contain,
    /// it must throw ``SwiftDataError/historyValueMissing``; it must also throw this error if relationships of the
    /// returned rows reach such a value, because properties cannot throw. Contexts do not save to the store.
    ///
    /// - Parameter token: The position.
    /// - Returns: The store as of the position.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or a more specific error that it matches, if the history after
    ///   the position is incomplete or the token has no position in this store; ``SwiftDataError/historyDisabled`` if
    ///   the store does not record changes.
    func store(asOf token: HistoryType.TokenType) throws -> any DataStore

    /// Returns the token of the last transaction before the first one with a later timestamp.
    ///
    /// If all transactions are later, return the position before the first one. The default implementation fetches all
    /// transactions without their changes.
    ///
    /// - Parameter date: The date.
    /// - Returns: The token of the position that the store had at the date, according to the timestamps.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if the position cannot be determined because transactions were
    ///   deleted; ``SwiftDataError/historyDisabled`` if the store does not record changes.
    func historyToken(asOf date: Date) throws -> HistoryType.TokenType
}

extension DataStoreVersioning {
    /// Returns the token of the last transaction before the first one with a later timestamp.
    ///
    /// - Parameter date: The date.
    /// - Returns: The token.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if there is none, because earlier transactions may have been
    ///   deleted. Also the errors of ``HistoryProviding/fetchHistoryWithoutChanges(_:)``.
    /// - Complexity: O(*n*), where *n* is the number of transactions.
    public func historyToken(asOf date: Date) throws -> HistoryType.TokenType {
        let transactions = try fetchHistoryWithoutChanges(HistoryDescriptor())
        if let last = transactions.prefix(while: { $0.timestamp <= date }).last { return last.token }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "the history contains no transaction up to the date; use a later date",
            storeIdentifier: identifier)
    }
}

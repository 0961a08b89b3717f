public import Foundation

/// A store that deletes the rows that match a predicate without returning them to the context first.
///
/// Adopt this protocol to make batch deletes faster. For other stores, the context fetches the models and deletes them
/// with a save, which has the same result.
public protocol DataStoreBatching: DataStore {
    /// Deletes the rows that match a request, applies the delete rules of their relationships, and records the deletes
    /// in the history, all in one transaction.
    ///
    /// Determine the matching rows before deleting the first of them. If no row matches, do not record a transaction.
    ///
    /// - Parameter request: The predicate of the rows to delete and the context that makes the request.
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` to let the context fetch the models and delete them,
    ///   ``SwiftDataError/unsupportedPredicate`` for a predicate that ``DataStore/fetch(_:)`` does not support either,
    ///   ``SwiftDataError/storeBusy`` if another writer holds the lock, or another error that prevented the delete. The
    ///   store must be unchanged after an error.
    func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws
}

/// A request to delete the rows that match a predicate.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
    /// The condition that the rows to delete match, or `nil` for all rows.
    public let predicate: Predicate<T>?
    /// Whether to delete rows of subentities that match.
    public let includeSubclasses: Bool
    /// The context that makes the request, with the author and context name of the transaction.
    public let editingState: EditingState

    /// Creates a request to delete rows.
    ///
    /// - Parameters:
    ///   - predicate: The condition that the rows to delete match, or `nil` for all rows.
    ///   - includeSubclasses: Whether to delete rows of subentities that match.
    ///   - editingState: The context that makes the request.
    public init(predicate: Predicate<T>?, includeSubclasses: Bool = true, editingState: EditingState) {
        self.predicate = predicate
        self.includeSubclasses = includeSubclasses
        self.editingState = editingState
    }
}

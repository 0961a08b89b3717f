public import Foundation

/// A store that deletes or updates the rows that match a predicate without returning them to the context first.
///
/// For other stores, the context fetches the models and changes them with a save, which has the same result but takes longer.
public protocol DataStoreBatching: DataStore {
    /// Deletes the rows that match a request, applies the delete rules of their relationships, and records the deletes in the
    /// history, all in one transaction.
    ///
    /// Determine the matching rows before deleting the first of them. If no row matches, do not record a transaction.
    ///
    /// - Parameter request: The predicate of the rows to delete and the context that makes the request.
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` to let the context fetch the models and delete them,
    ///   ``SwiftDataError/unsupportedPredicate`` for a predicate that ``DataStore/fetch(_:)`` does not support either, or an error
    ///   that prevented the delete, such as ``SwiftDataError/storeBusy``. The store must be unchanged after an error.
    func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws

    /// Changes the rows that match a request, and records in the history the rows whose values differ from those before, all in one
    /// transaction.
    ///
    /// Evaluate the predicate and all new values against the rows as they are before the update;
    /// ``DataStoreBatchUpdateRequest/values(in:)`` returns the values in a form that can be translated. If no row changes, do not
    /// record a transaction.
    ///
    /// - Parameter request: The predicate of the rows to update, and the new values.
    /// - Returns: The number of matching rows, whether or not their values differ.
    /// - Throws: ``DataStoreError/preferInMemoryFilter``, as the default implementation does, to let the context fetch the models
    ///   and change them, ``SwiftDataError/uniquenessViolation`` if two rows would have the same unique value,
    ///   ``SwiftDataError/valueOutOfRange`` if a calculation overflows, or an error that prevented the update, such as
    ///   ``SwiftDataError/storeBusy``. The store must be unchanged after an error.
    func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>) throws -> Int
}

extension DataStoreBatching {
    public func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>) throws -> Int {
        throw DataStoreError.preferInMemoryFilter
    }
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

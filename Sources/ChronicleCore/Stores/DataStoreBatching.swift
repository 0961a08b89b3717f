public import Foundation

/// A store that can delete rows without handing them over first.
///
/// Adopting it is a matter of speed: for a store that does not, the context fetches the models and deletes them with a
/// save, and a program cannot tell the difference.
public protocol DataStoreBatching: DataStore {
    /// Deletes the rows that match, with everything that their relationships' delete rules ask for, and records it in the
    /// history; all of it in one transaction, or nothing.
    ///
    /// Which rows match is decided before the first of them goes. With nothing to delete no transaction is recorded.
    ///
    /// - Throws: ``DataStoreError/preferInMemoryFilter`` to leave this request to the context, which then fetches and
    ///   deletes; ``SwiftDataError/unsupportedPredicate`` for what ``DataStore/fetch(_:)`` does not answer either,
    ///   ``SwiftDataError/storeBusy`` and what else kept the store from writing. After an error the store is as it was.
    func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws
}

/// Which rows a store is to delete.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
    /// `nil` for all rows.
    public let predicate: Predicate<T>?
    /// Of no consequence: each class of a schema is an entity of its own, and has no rows of another.
    public let includeSubclasses: Bool
    /// Who deletes: author and context name of the transaction.
    public let editingState: EditingState

    public init(predicate: Predicate<T>?, includeSubclasses: Bool = true, editingState: EditingState) {
        self.predicate = predicate
        self.includeSubclasses = includeSubclasses
        self.editingState = editingState
    }
}

/// A store that reconstructs the states that models had.
///
/// Adopt this protocol so that programs can use ``ModelContext/fetchRevisions(_:)``. Throw
/// ``SwiftDataError/historyValueMissing`` if a condition or the order needs a value that the history does not contain.
public protocol RevisionProviding: HistoryProviding where HistoryType == DefaultHistoryTransaction {
    /// Returns the revisions that match a descriptor.
    ///
    /// - Parameter descriptor: The conditions, the order and the limits.
    /// - Returns: The revisions in order, one for each transaction that inserted or updated a model, and one for the state of a
    ///   model that existed when the history began.
    /// - Throws: The errors of ``ModelContext/fetchRevisions(_:)``.
    func fetchRevisions<Model: PersistentModel>(_ descriptor: RevisionDescriptor<Model>) throws -> [Revision<Model>]

    /// Returns the number of revisions that match a descriptor, after applying its limit and its offset.
    ///
    /// - Parameter descriptor: The conditions and the limits.
    /// - Returns: The number of revisions.
    /// - Throws: The errors of ``ModelContext/fetchRevisions(_:)``.
    func fetchRevisionsCount<Model: PersistentModel>(_ descriptor: RevisionDescriptor<Model>) throws -> Int
}

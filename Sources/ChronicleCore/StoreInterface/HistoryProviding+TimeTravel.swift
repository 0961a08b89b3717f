public import Foundation

// What stores that do not read earlier positions faster use.
extension HistoryProviding {
    /// The number of transactions that are fetched at a time.
    private var transactionsPerFetch: Int { 100 }
    /// The number of changes after which a page ends.
    private var changesPerPage: Int { 100_000 }

    /// Returns a part of the history of one model by fetching transactions.
    ///
    /// A page never ends within a transaction. In descending order, there is a single page, because a descriptor
    /// returns the oldest transactions first.
    ///
    /// - Parameter request: The model, the order, and the place at which the page begins.
    /// - Returns: The changes of the model.
    /// - Throws: The errors of ``fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    /// - Complexity: O(*n*) for all pages together, where *n* is the length of the history.
    public func fetchModelHistory(
        _ request: ModelHistoryRequest<HistoryType>
    ) throws -> ModelHistoryPage<HistoryType> {
        let completeAfter = try earliestHistoryToken()
        var entries: [ModelHistoryEntry<HistoryType>] = []
        var visitedCount = 0
        var token = request.continuation?.token
        while true {
            var descriptor = token.map { HistoryDescriptor<HistoryType>.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = UInt64(transactionsPerFetch)
            let transactions = try fetchHistory(descriptor)
            for transaction in transactions {
                for change in transaction.changes where change.changedPersistentIdentifier == request.model {
                    entries.append(ModelHistoryEntry(transaction: transaction, change: change))
                }
                visitedCount += transaction.changes.count
                token = transaction.token
                guard request.order == .forward, entries.count >= request.limit || visitedCount >= changesPerPage else {
                    continue
                }
                return ModelHistoryPage(
                    entries: entries, continuation: ModelHistoryContinuation(token: token),
                    completeAfter: completeAfter, visitedCount: visitedCount)
            }
            if transactions.count < transactionsPerFetch { break }
        }
        return ModelHistoryPage(
            entries: request.order == .forward ? entries : entries.reversed(), continuation: nil,
            completeAfter: completeAfter, visitedCount: visitedCount)
    }

    /// Throws ``DataStoreError/unsupportedFeature``.
    ///
    /// - Parameter token: The position.
    /// - Returns: Nothing, because the method always throws.
    /// - Throws: ``DataStoreError/unsupportedFeature``. Implement the method to support earlier positions.
    public func store(asOf token: HistoryType.TokenType) throws -> any DataStore {
        throw DataStoreError.unsupportedFeature.with(detail: "reading as of an earlier position")
    }

    /// Returns the token of the last transaction before the first one with a later timestamp.
    ///
    /// - Parameter date: The date.
    /// - Returns: The token.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if there is none, because earlier transactions may have been
    ///   deleted. Also the errors of ``fetchHistoryWithoutChanges(_:)``.
    /// - Complexity: O(*n*), where *n* is the number of transactions.
    public func historyToken(asOf date: Date) throws -> HistoryType.TokenType {
        let transactions = try fetchHistoryWithoutChanges(HistoryDescriptor())
        if let last = transactions.prefix(while: { $0.timestamp <= date }).last { return last.token }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "the history contains no transaction up to the date; use a later date",
            storeIdentifier: (self as? any DataStore)?.identifier)
    }
}

import Foundation

/// A store that finds the changes of one model without returning all other changes.
///
/// Adopt this protocol in addition to ``HistoryProviding`` if the store has an index, or reads its history faster than
/// ``HistoryProviding/fetchHistory(_:)``. For other stores, ``ModelContext`` fetches the transactions and selects the
/// changes of the model.
public protocol ModelHistoryProviding<HistoryType>: HistoryProviding {
    /// Returns a part of the history of one model.
    ///
    /// Ignore ``ModelHistoryRequest/attributeName``; the context omits the other changes. The model may belong to an
    /// entity that the schema no longer contains.
    ///
    /// - Parameter request: The model, the order, and the place at which the page begins.
    /// - Returns: At most ``ModelHistoryRequest/limit`` changes. If the page has a continuation, the page that begins
    ///   there must not repeat or omit changes.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family, if changes after the continuation of
    ///   the request were deleted or are not part of the history; ``SwiftDataError/historyDisabled`` if the store does
    ///   not record changes; or the error that prevented the store from reading.
    func fetchModelHistory(_ request: ModelHistoryRequest<HistoryType>) throws -> ModelHistoryPage<HistoryType>
}

extension HistoryProviding {
    /// The number of transactions that are fetched at a time.
    private var transactionsPerFetch: Int { 100 }
    /// The number of changes after which a page ends.
    private var changesPerPage: Int { 100_000 }

    /// Returns a part of the history of one model by fetching transactions.
    ///
    /// A page never ends within a transaction. In descending order, there is a single page, because a descriptor
    /// returns the oldest transactions first.
    func scanModelHistory(_ request: ModelHistoryRequest<HistoryType>) throws -> ModelHistoryPage<HistoryType> {
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
}

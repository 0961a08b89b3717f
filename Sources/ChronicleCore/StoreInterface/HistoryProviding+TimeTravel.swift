public import Foundation

// What stores that do not read earlier positions faster use.
extension HistoryProviding {
    private var transactionsPerFetch: Int { 100 }
    private var changesPerPage: Int { 100_000 }

    // A page never ends within a transaction. In descending order, there is a single page, because a descriptor returns the oldest
    // transactions first.
    public func fetchModelHistory(
        _ request: ModelHistoryRequest<HistoryType>
    ) throws -> ModelHistoryPage<HistoryType> {
        let completeAfter = try earliestHistoryToken()
        var entries: [ModelHistoryEntry<HistoryType>] = []
        var visitedCount = 0
        var token = request.continuation?.token
        while true {
            var descriptor = token.map { HistoryDescriptor<HistoryType>.after($0).complete } ?? HistoryDescriptor()
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

    public func store(asOf token: HistoryType.TokenType) throws -> any DataStore {
        throw DataStoreError.unsupportedFeature.with(detail: "reading as of an earlier position")
    }

    public func historyToken(asOf date: Date) throws -> HistoryType.TokenType {
        let transactions = try fetchHistoryWithoutChanges(HistoryDescriptor())
        if let last = transactions.prefix(while: { $0.timestamp <= date }).last { return last.token }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "the history contains no transaction up to the date; use a later date",
            storeIdentifier: (self as? any DataStore)?.identifier)
    }
}

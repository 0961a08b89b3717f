/// Reads the changes of one or more transactions in pages; see ``HistoryBatch/changeReader()``. It holds no transaction of the
/// store open.
public struct HistoryChangeReader<Transaction: HistoryTransaction>: Sendable {
    private enum Source: Sendable {
        case paged(HistoryChangesRequest<Transaction>, any HistoryPaging<Transaction>)
        case whole(ArraySlice<HistoryChange>)
    }

    private var source: Source
    private let filter: HistoryFilter

    init(_ changes: [HistoryChange], filter: HistoryFilter = HistoryFilter()) {
        source = .whole(changes[...])
        self.filter = filter
    }

    /// The transaction was fetched without its changes.
    init(
        _ transaction: Transaction, after token: Transaction.TokenType?, in store: any HistoryPaging<Transaction>,
        filter: HistoryFilter = HistoryFilter()
    ) {
        source = .paged(HistoryChangesRequest(transaction, after: token, limit: 1), store)
        self.filter = filter
    }

    /// Returns the next changes that match the filter of the consumer.
    ///
    /// - Parameter limit: The maximum number of changes to read at once, which limits the memory that the call takes.
    /// - Returns: At least one change, in the order in which the changes were made, or `nil` if there are no more.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family, if the transaction was deleted in the meantime;
    ///   request the next batch of the consumer, which is a reset. ``SwiftDataError/damagedFile``, ``SwiftDataError/storeBusy`` or
    ///   another error of the store.
    /// - Complexity: Proportional to the number of changes that are read, including those that do not match.
    public mutating func nextChanges(limit: Int = 5_000) throws -> [HistoryChange]? {
        while true {
            let page = try nextPage(limit: max(limit, 1))
            guard !page.isEmpty else { return nil }
            let matching = filter.matchesAllChanges ? page : page.filter(filter.matches)
            if !matching.isEmpty { return matching }
        }
    }

    private mutating func nextPage(limit: Int) throws -> [HistoryChange] {
        switch source {
        case .whole(let rest):
            let page = rest.prefix(limit)
            source = .whole(rest.dropFirst(page.count))
            return Array(page)
        case .paged(var request, let store):
            request.limit = limit
            let page = try attributingErrors(to: store) { try store.fetchHistoryChanges(request) }
            request.lastChange = page.last
            source = page.count < limit ? .whole([]) : .paged(request, store)
            return page
        }
    }
}

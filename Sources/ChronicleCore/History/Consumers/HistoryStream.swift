/// The transactions of a store's history as an asynchronous sequence; see
/// ``ModelContainer/historyChanges(of:after:filter:storeName:)``.
public struct HistoryStream<Transaction: HistoryTransaction>: AsyncSequence, Sendable {
    /// Some transactions, or the reason why the transactions after a token cannot be read.
    public enum Element: Sendable {
        /// Transactions with at least one matching change, in commit order. The token is the position up to which the history was
        /// read, which can be after the last transaction.
        case changes([Transaction], token: Transaction.TokenType)
        /// The transactions after the previous token are not available. Fetch the models again, as their current state includes
        /// what was missed. The stream continues after the token, which is `nil` for the beginning of a store that cannot represent
        /// it.
        case reset(HistoryResetReason, token: Transaction.TokenType?)
    }

    let store: any HistoryProviding<Transaction> & DataStore
    let coordinator: StoreCoordinator
    let filter: HistoryFilter
    let start: Transaction.TokenType?

    /// Reads the history from a position on.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: HistoryStream
        private var token: Transaction.TokenType?
        private var events: CommitEvents?

        init(_ stream: HistoryStream) {
            self.stream = stream
            token = stream.start
        }

        private static var pageSize: UInt64 { 100 }

        /// Returns the next transactions, and waits for a commit if there are none.
        ///
        /// - Returns: The transactions or a reset, or `nil` if the task was cancelled.
        /// - Throws: The error of a store that cannot be read, such as ``SwiftDataError/storeBusy``. The iterator can be used again
        ///   and continues from the same position.
        public mutating func next() async throws -> Element? {
            // Subscribed before reading, so that no commit is missed.
            let events = try events ?? CommitEvents(stream.coordinator)
            self.events = events
            while !Task.isCancelled {
                do {
                    var isLast = false
                    while !isLast, !Task.isCancelled {
                        let page = try nextPage()
                        if let token, !page.transactions.isEmpty { return .changes(page.transactions, token: token) }
                        isLast = page.isLast
                    }
                } catch is CancellationError where Task.isCancelled {
                    break
                } catch {
                    guard let reason = HistoryResetReason(error) else { throw stream.store.attributed(error) }
                    token = try stream.store.currentHistoryToken()
                    return .reset(reason, token: token)
                }
                if await events.next() == nil { break }
            }
            self.events = nil
            return nil
        }

        private mutating func nextPage() throws -> (transactions: [Transaction], isLast: Bool) {
            // Read before the page, which therefore contains every match up to it.
            let current = try stream.store.currentHistoryToken()
            var descriptor: HistoryDescriptor<Transaction> = stream.filter.descriptor(after: token)
            descriptor.fetchLimit = Self.pageSize
            let page = try stream.store.fetchHistory(descriptor)
            let isLast = page.count < Self.pageSize
            token = page.last?.token ?? token
            if isLast { token.advance(to: current) }
            return (page.filter { $0.changes.contains(where: stream.filter.matches) }, isLast)
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension ModelContainer {
    /// Returns the transactions after a token as an asynchronous sequence, which waits for commits of any process.
    ///
    /// The caller keeps the position. To let the store keep it, use ``historyConsumer(named:of:filter:startingNewAt:storeName:)``.
    ///
    /// ```swift
    /// let others = HistoryFilter(authors: .except(["app"]))
    /// for try await element in try container.historyChanges(after: token, filter: others) {
    ///     switch element {
    ///     case .changes(let transactions, let token):
    ///         try context.merge(transactions)
    ///         save(token)
    ///     case .reset(_, let token):
    ///         try context.refreshAllModels()
    ///         save(token)
    ///     }
    /// }
    /// ```
    ///
    /// The sequence reads when the loop requests an element, and buffers nothing. It ends when its task is cancelled. An element
    /// takes memory in proportion to the changes of its transactions. If they may not fit in memory, use a consumer, or a
    /// ``HistoryReader`` after each event of a ``HistoryObserver``.
    ///
    /// - Parameters:
    ///   - type: The type of the transactions.
    ///   - token: The position after which to begin, or `nil` for the current one.
    ///   - filter: The changes that a transaction must contain one of. The store does not read the changes of other authors and contexts.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores are possible.
    /// - Returns: The sequence.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store, or more than one, has transactions of the type and
    ///   the models of the filter; pass the name of a store. ``SwiftDataError/historyDisabled`` if the store does not record its
    ///   history. ``SwiftDataError/storeBusy`` or another error of the store.
    public func historyChanges<Transaction: HistoryTransaction>(
        of type: Transaction.Type = DefaultHistoryTransaction.self, after token: Transaction.TokenType? = nil,
        filter: HistoryFilter = HistoryFilter(), storeName: String? = nil
    ) throws -> HistoryStream<Transaction> {
        let filter = filter.addingSubentities(in: schema)
        let store = try coordinator.historyStore(of: type, filter: filter, storeName: storeName)
        let start = try token ?? attributingErrors(to: store) { try store.currentHistoryToken() }
        return HistoryStream(store: store, coordinator: coordinator, filter: filter, start: start)
    }
}

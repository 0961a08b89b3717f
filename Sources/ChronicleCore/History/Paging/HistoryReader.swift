/// Reads transactions one after the other, and the changes of each in pages.
///
/// Use a reader instead of ``ModelContext/fetchHistory(_:)`` if a transaction may have more changes than fit in memory, for example
/// after an import of millions of models:
///
/// ```swift
/// var reader = try context.historyReader(after: token)
/// while let transaction = try reader.nextTransaction() {
///     guard transaction.author != "importer" else { continue }    // Its changes are not read.
///     while let changes = try reader.nextChanges(limit: 5_000) { process(changes) }
///     token = transaction.token
/// }
/// ```
///
/// A reader holds no transaction of the store open: others can write and delete history in the meantime. If they delete the
/// transaction that was read last, the next call throws ``SwiftDataError/historyTokenExpired``. If they delete transactions after
/// it, ``DefaultHistoryTransaction/followsDeletion`` of the next one is `true`.
///
/// The transactions of several stores follow each other, store by store. Their tokens have the position that the reader reached in
/// each store, as in ``ModelContext/fetchHistory(_:)``. Transactions of stores that do not adopt ``HistoryPaging`` are read as a
/// whole.
public struct HistoryReader<Transaction: HistoryTransaction> {
    private typealias Store = any HistoryProviding<Transaction>
    private var stores: ArraySlice<any HistoryProviding<Transaction>>
    private var token: Transaction.TokenType?
    /// The token from which reading begins in each store.
    private let start: Transaction.TokenType?
    /// The positions in several stores; `nil` for a single store, and before the first transaction.
    private var reached: ReachedPositions<Transaction>?
    private let hasSeveralStores: Bool
    private let requiresCompleteHistory: Bool
    /// Transactions that were fetched without their changes.
    private var fetched: ArraySlice<Transaction> = []
    private var changes: HistoryChangeReader<Transaction>?

    private static var transactionsPerFetch: UInt64 { 100 }

    init(
        _ stores: [any HistoryProviding<Transaction>], after token: Transaction.TokenType?,
        requiresCompleteHistory: Bool = false
    ) {
        self.requiresCompleteHistory = requiresCompleteHistory
        self.stores = stores[...]
        self.token = token
        start = token
        hasSeveralStores = stores.count > 1
    }

    /// Returns the next transaction without its changes, and skips the rest of the changes of the previous one.
    ///
    /// - Returns: The transaction, or `nil` after the newest one.
    /// - Throws: The errors of ``ModelContext/fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired`` if the history
    ///   after the previous transaction is incomplete. Do not use the reader after an error.
    public mutating func nextTransaction() throws -> Transaction? {
        changes = nil
        if hasSeveralStores, reached == nil {
            reached = ReachedPositions(try start.map { [$0] } ?? Array(stores).earliestTokens())
        }
        while let store = stores.first {
            if fetched.isEmpty { fetched = try fetch(from: store)[...] }
            if let transaction = fetched.popFirst() {
                changes =
                    (store as? any HistoryPaging<Transaction>).map {
                        HistoryChangeReader(transaction, after: token, in: $0)
                    } ?? HistoryChangeReader(transaction.changes)
                token = transaction.token
                return reached?.advance(past: transaction) ?? transaction
            }
            // The last store stays, so that later transactions can be read.
            guard stores.count > 1 else { return nil }
            stores.removeFirst()
            token = start
        }
        return nil
    }

    private func fetch(from store: Store) throws -> [Transaction] {
        var descriptor = token.map { HistoryDescriptor<Transaction>.after($0) } ?? HistoryDescriptor()
        let isPaged = store is any HistoryPaging<Transaction>
        descriptor.fetchLimit = Self.transactionsPerFetch
        descriptor.requiresCompleteHistory = requiresCompleteHistory
        return try attributingErrors(to: store) {
            try isPaged ? store.fetchHistoryWithoutChanges(descriptor) : store.fetchHistory(descriptor)
        }
    }

    /// Returns the next changes of the transaction that ``nextTransaction()`` returned last.
    ///
    /// - Parameter limit: The maximum number of changes.
    /// - Returns: The changes in the order in which they were made, or `nil` if there are no more.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family, if the transaction was deleted; start over from
    ///   the models. ``SwiftDataError/damagedFile`` or another error of the store. Do not use the reader after an error.
    /// - Complexity: Proportional to the number of returned changes.
    public mutating func nextChanges(limit: Int = 5_000) throws -> [HistoryChange]? {
        try changes?.nextChanges(limit: limit)
    }
}

extension ModelContext {
    /// Returns a reader of the transactions after a token, whose changes can be read in pages.
    ///
    /// - Parameters:
    ///   - type: The type of the transactions.
    ///   - token: The position that was reached before, or `nil` to begin with the oldest transaction.
    /// - Returns: The reader.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store provides transactions of the type.
    public func historyReader<Transaction: HistoryTransaction>(
        for type: Transaction.Type = DefaultHistoryTransaction.self, after token: Transaction.TokenType? = nil
    ) throws -> HistoryReader<Transaction> {
        HistoryReader(try providers(of: type), after: token)
    }
}

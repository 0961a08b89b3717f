/// A store that returns the changes of a transaction in pages, so that a transaction of any size can be read in bounded memory.
///
/// ``HistoryReader`` reads the transactions of stores without this protocol as a whole.
public protocol HistoryPaging<HistoryType>: HistoryProviding {
    /// Returns the next changes of a transaction, in the order of ``HistoryTransaction/changes``.
    ///
    /// - Parameter request: The transaction, and the changes that were already returned.
    /// - Returns: At most ``HistoryChangesRequest/limit`` changes. Fewer changes mean that there are no more.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family, if the transaction was deleted or is not part
    ///   of the history; ``SwiftDataError/invalidTransactionFetchRequest`` if the last change of the request does not belong to the
    ///   transaction; or the error that prevented the store from reading.
    func fetchHistoryChanges(_ request: HistoryChangesRequest<HistoryType>) throws -> [HistoryChange]
}

/// A request for some changes of a transaction.
public struct HistoryChangesRequest<Transaction: HistoryTransaction>: Sendable {
    /// The transaction, which may have been fetched without its changes.
    public var transaction: Transaction
    /// The token after which the transaction was fetched, or `nil`. It can be a position within a transaction of another program;
    /// the changes up to it are not returned.
    public var token: Transaction.TokenType?
    /// The last change of the previous page, or `nil` for the first page.
    public var lastChange: HistoryChange?
    /// The maximum number of changes to return, at least 1.
    public var limit: Int
    /// Whether each preserved value is returned as the ``PropertyValue`` that the store contains, instead of a value of the
    /// property's type. A value that was `nil` is then ``PropertyValue/null``, also in a tombstone.
    ///
    /// `false` by default. Only stores that conform to ``DataStoreExporting`` support it.
    public var returnsStoredValues = false

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - transaction: The transaction, which may have been fetched without its changes.
    ///   - token: The token after which the transaction was fetched, or `nil`.
    ///   - lastChange: The last change of the previous page, or `nil` for the first page.
    ///   - limit: The maximum number of changes to return.
    public init(
        _ transaction: Transaction, after token: Transaction.TokenType?, lastChange: HistoryChange? = nil, limit: Int
    ) {
        self.transaction = transaction
        self.token = token
        self.lastChange = lastChange
        self.limit = max(limit, 1)
    }
}

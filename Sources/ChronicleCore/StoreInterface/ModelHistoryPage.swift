/// A part of the history of one model.
public struct ModelHistoryPage<Transaction: HistoryTransaction>: Sendable {
    /// The changes in the order of the request. A page can be empty although other pages follow it.
    public var entries: [ModelHistoryEntry<Transaction>]
    /// The place at which the next page begins, or `nil` if there are no more changes.
    public let continuation: ModelHistoryContinuation<Transaction.TokenType>?
    /// The position after which the history is complete; `nil` if no changes are missing.
    ///
    /// Earlier transactions were deleted, or made while the history was disabled, so changes are missing among earlier entries.
    public let completeAfter: Transaction.TokenType?
    /// The number of rows or changes of the history that the store visited for this page.
    ///
    /// A store with an index visits the changes of the model only. Otherwise, the number is limited, and the next page continues.
    public let visitedCount: Int

    /// Creates a page, for a custom store.
    ///
    /// - Parameters:
    ///   - entries: The changes in the order of the request.
    ///   - continuation: The place at which the next page begins, or `nil` if there are no more changes.
    ///   - completeAfter: The position after which the history is complete, or `nil` if no changes are missing.
    ///   - visitedCount: The number of rows or changes of the history that were visited.
    public init(
        entries: [ModelHistoryEntry<Transaction>], continuation: ModelHistoryContinuation<Transaction.TokenType>?,
        completeAfter: Transaction.TokenType?, visitedCount: Int
    ) {
        self.entries = entries
        self.continuation = continuation
        self.completeAfter = completeAfter
        self.visitedCount = visitedCount
    }
}

public import Foundation

/// A request for a part of the history of one model; see ``ModelContext/historyPage(_:)``.
public struct ModelHistoryRequest<Transaction: HistoryTransaction>: Sendable {
    /// The identifier of the model, which may have been deleted.
    public var model: PersistentIdentifier
    /// The name of a property, or `nil` for all changes. Updates that did not change the property are omitted.
    public var attributeName: String?
    /// Whether the oldest (`.forward`) or the newest change (`.reverse`) is first.
    public var order: SortOrder
    /// The maximum number of changes to return, at least 1. Stores with the default implementation of
    /// ``HistoryProviding/fetchModelHistory(_:)`` can return more.
    public var limit: Int
    /// The place at which the page begins, which a page with the same model and order returned; `nil` for the first page.
    public var continuation: ModelHistoryContinuation<Transaction.TokenType>?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - model: The identifier of the model, which may have been deleted.
    ///   - attributeName: The name of a property, or `nil` for all changes.
    ///   - order: Whether the oldest or the newest change is first.
    ///   - limit: The maximum number of changes to return.
    ///   - continuation: The place at which the page begins; `nil` for the first page.
    public init(
        _ model: PersistentIdentifier, attributeName: String? = nil, order: SortOrder = .forward, limit: Int = 100,
        continuation: ModelHistoryContinuation<Transaction.TokenType>? = nil
    ) {
        self.model = model
        self.attributeName = attributeName
        self.order = order
        self.limit = max(limit, 1)
        self.continuation = continuation
    }
}

/// A place in the history of one model, at which the next page begins. Its properties are for the store that created it.
public struct ModelHistoryContinuation<Token: HistoryToken>: Hashable, Codable, Sendable {
    /// A position with which the store recognizes that its history was replaced or deleted; `nil` if it needs none.
    public let token: Token?
    /// The last change or row that was visited.
    public let change: Int64
    /// The position after which the history was complete when the page was read.
    public let completeAfter: Token?

    /// Creates a continuation, for a custom store.
    ///
    /// - Parameters:
    ///   - token: A position of the history, or `nil`.
    ///   - change: The last change or row that was visited.
    ///   - completeAfter: The position after which the history was complete when the page was read, or `nil`.
    public init(token: Token?, change: Int64 = 0, completeAfter: Token? = nil) {
        self.token = token
        self.change = change
        self.completeAfter = completeAfter
    }
}

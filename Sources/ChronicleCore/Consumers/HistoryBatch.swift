import Synchronization

/// Changes, or a part of the models, that a ``HistoryConsumer`` delivers at once.
///
/// ```swift
/// switch batch.content {
/// case .changes: for change in batch.changes { … }
/// case .reset: index.removeAll()
/// case .snapshot(let identifiers): for identifier in identifiers { … }
/// }
/// try consumer.acknowledge(batch)
/// ```
///
/// Acknowledge every batch, including a reset. Until then, the consumer delivers the same changes again.
public struct HistoryBatch<Transaction: HistoryTransaction>: Sendable {
    /// What a batch contains.
    public enum Content: Sendable {
        /// Transactions with at least one matching change, in commit order.
        case changes([Transaction])
        /// The changes after the consumer's position are unknown. Discard everything that was derived from the history.
        ///
        /// Batches of ``snapshot(_:)`` follow, and then the changes from the time of the reset on.
        case reset(HistoryResetReason)
        /// The identifiers of some of the models that exist, ordered by entity and primary key.
        ///
        /// Fetch the models and store their current state. They may be newer than ``HistoryBatch/token``: every change
        /// after that token is delivered again when all models were read. Work that replaces the state of a model, and
        /// that permits deletes of unknown models, therefore ends in the state of the store, with nothing missing.
        case snapshot([PersistentIdentifier])
    }

    /// What the batch contains.
    public internal(set) var content: Content
    /// How often a batch was delivered from the same position, including this time.
    ///
    /// A higher number than 1 means that earlier attempts failed or were interrupted. A program that cannot process the
    /// batch may set it aside with ``HistoryConsumer/skip(_:reason:)``.
    public let attempt: Int
    /// The name of the consumer.
    public let consumerName: String
    let storeIdentifier: String
    let fence: Int64
    /// The place of the consumer before the batch.
    let start: HistoryConsumerPlace<Transaction.TokenType>
    /// The place of the consumer after the batch.
    var end: HistoryConsumerPlace<Transaction.TokenType>
    let filter: HistoryFilter
    let progress: HistoryConsumerProgress<Transaction.TokenType>

    /// The position in the history that the consumer has after acknowledging the batch; `nil` for the beginning of a
    /// store that cannot represent this position.
    public var token: Transaction.TokenType? { end.position }

    var acknowledgement: HistoryAcknowledgement {
        HistoryAcknowledgement(
            consumerName: consumerName, storeIdentifier: storeIdentifier, fence: fence, from: start, to: end)
    }

    /// The transactions, or an empty array if the batch contains no changes.
    public var transactions: [Transaction] {
        if case .changes(let transactions) = content { transactions } else { [] }
    }

    /// The changes of all transactions that match the filter of the consumer, in commit order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of changes.
    public var changes: [HistoryChange] {
        let all = transactions.lazy.flatMap(\.changes)
        return filter.matchesAllChanges ? Array(all) : all.filter(filter.matches)
    }

    /// Returns the first part of the batch, to acknowledge transactions before the whole batch was processed.
    ///
    /// - Parameter token: The token of one of the ``transactions``.
    /// - Returns: A batch with the transactions up to and including the one with the token.
    /// - Throws: ``SwiftDataError/invalidHistoryAcknowledgement`` if the token does not belong to a transaction of the
    ///   batch. Pass the token of one of its transactions.
    /// - Complexity: O(*n*), where *n* is the number of transactions.
    public func prefix(through token: Transaction.TokenType) throws -> HistoryBatch {
        guard let index = transactions.firstIndex(where: { $0.token == token }) else {
            throw SwiftDataError.invalidHistoryAcknowledgement.with(
                detail: "the token belongs to no transaction of the batch of the consumer \"\(consumerName)\"",
                storeIdentifier: storeIdentifier)
        }
        // The last transaction may be followed by others that the filter skipped.
        if index == transactions.count - 1 { return self }
        var part = self
        part.content = .changes(Array(transactions[...index]))
        part.end = HistoryConsumerPlace(position: transactions[index].token)
        return part
    }

    /// Informs the consumer that the batch was acknowledged.
    func didAcknowledge() { progress.position = end.position }
}

/// The position that an instance of a consumer has acknowledged, shared with its batches.
final class HistoryConsumerProgress<Token: HistoryToken>: Sendable {
    private let state: Mutex<Token?>

    init(_ position: Token?) { state = Mutex(position) }

    var position: Token? {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}

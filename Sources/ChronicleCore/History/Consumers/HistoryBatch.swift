import Synchronization

/// Changes, or a part of the models, that a ``HistoryConsumer`` delivers at once.
///
/// Acknowledge every batch, including a reset. Until then, the consumer delivers the same changes again.
public struct HistoryBatch<Transaction: HistoryTransaction>: Sendable {
    /// What a batch contains.
    public enum Content: Sendable {
        /// Transactions with at least one matching change, in commit order.
        case changes([Transaction])
        /// A transaction with too many changes for a batch, without its changes. At least one of them matches.
        ///
        /// Read the changes in pages with ``HistoryBatch/changeReader()``, or all at once with ``HistoryBatch/changes``. The
        /// transaction is acknowledged as a whole: if the process ends in the middle, it is delivered again from its first change
        /// on.
        ///
        /// A transaction is delivered in this way if it has more than 10,000 changes and preserved values, and more than the limit
        /// of the batch. Stores that do not adopt ``HistoryPaging`` deliver ``changes(_:)`` instead.
        case largeTransaction(Transaction)
        /// The changes after the consumer's position are unknown. Discard everything that was derived from the history: batches of
        /// ``snapshot(_:)`` follow, and then the changes from the time of the reset on.
        case reset(HistoryResetReason)
        /// The identifiers of some of the models that exist, ordered by entity and primary key.
        ///
        /// Fetch the models and store their current state. They may be newer than ``HistoryBatch/token``: every change after that
        /// token is delivered again when all models were read. Work that replaces the state of a model, and that permits deletes of
        /// unknown models, therefore ends in the state of the store, with nothing missing.
        case snapshot([PersistentIdentifier])
    }

    /// What the batch contains.
    public internal(set) var content: Content
    /// How often a batch was delivered from the same position, including this time.
    ///
    /// A program that cannot process the batch may set it aside with ``HistoryConsumer/skip(_:reason:)``.
    public let attempt: Int
    /// The name of the consumer.
    public let consumerName: String
    let fence: Int64
    let start: HistoryConsumerPlace<Transaction.TokenType>
    var end: HistoryConsumerPlace<Transaction.TokenType>
    let filter: HistoryFilter
    let store: any DataStoreConsuming<Transaction>
    let progress: HistoryConsumerProgress<Transaction.TokenType>

    /// The position in the history that the consumer has after acknowledging the batch; `nil` for the beginning of a store that
    /// cannot represent this position.
    public var token: Transaction.TokenType? { end.position }

    var acknowledgement: HistoryAcknowledgement {
        HistoryAcknowledgement(
            consumerName: consumerName, storeIdentifier: store.identifier, fence: fence, from: start, to: end)
    }

    /// The changes of all transactions that match the filter of the consumer, in commit order. Empty for a reset and for a
    /// snapshot.
    ///
    /// Use ``changeReader()`` to read the changes of a ``Content/largeTransaction(_:)`` in pages instead of into memory.
    ///
    /// - Throws: The errors of ``HistoryChangeReader/nextChanges(limit:)`` for a large transaction.
    /// - Complexity: O(*n*), where *n* is the number of changes.
    public var changes: [HistoryChange] {
        get throws {
            var reader = changeReader()
            return try reader.nextChanges(limit: .max) ?? []
        }
    }

    /// Returns a reader of the changes that match the filter of the consumer, in commit order.
    ///
    /// A large transaction is read in pages, so that its size does not affect the memory of the process. A reset and a snapshot
    /// have no changes.
    ///
    /// - Returns: A reader that begins with the first change of the batch.
    /// - Complexity: O(*n*), where *n* is the number of changes in memory; O(1) for a large transaction.
    public func changeReader() -> HistoryChangeReader<Transaction> {
        switch content {
        case .changes(let transactions):
            return HistoryChangeReader(transactions.flatMap(\.changes), filter: filter)
        case .largeTransaction(let transaction):
            // Only stores that conform deliver large transactions.
            guard let store = store as? any HistoryPaging<Transaction> else {
                return HistoryChangeReader(transaction.changes, filter: filter)
            }
            return HistoryChangeReader(transaction, after: start.position, in: store, filter: filter)
        case .reset, .snapshot:
            return HistoryChangeReader([])
        }
    }

    /// Returns the first part of the batch, to acknowledge transactions before the whole batch was processed.
    ///
    /// - Parameter token: The token of one of the transactions.
    /// - Returns: A batch with the transactions up to and including the one with the token.
    /// - Throws: ``SwiftDataError/invalidHistoryAcknowledgement`` if the token does not belong to a transaction of the batch.
    /// - Complexity: O(*n*), where *n* is the number of transactions.
    public func prefix(through token: Transaction.TokenType) throws -> HistoryBatch {
        let transactions: [Transaction] =
            switch content {
            case .changes(let transactions): transactions
            case .largeTransaction(let transaction): [transaction]
            case .reset, .snapshot: []
            }
        guard let index = transactions.firstIndex(where: { $0.token == token }) else {
            throw SwiftDataError.invalidHistoryAcknowledgement.with(
                detail: "the token belongs to no transaction of the batch of the consumer \"\(consumerName)\"",
                storeIdentifier: store.identifier)
        }
        // The last transaction may be followed by others that the filter skipped.
        if index == transactions.count - 1 { return self }
        var part = self
        part.content = .changes(Array(transactions[...index]))
        part.end = HistoryConsumerPlace(position: transactions[index].token)
        return part
    }

    func didAcknowledge() { progress.place = end }
}

/// The place up to which an instance of a consumer has acknowledged, shared with its batches.
final class HistoryConsumerProgress<Token: HistoryToken>: Sendable {
    private let state: Mutex<HistoryConsumerPlace<Token>>

    init(_ place: HistoryConsumerPlace<Token>) { state = Mutex(place) }

    var place: HistoryConsumerPlace<Token> {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}

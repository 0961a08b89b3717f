public import Foundation

/// The size of a store's history. See ``ModelContainer/historyStatistics()``.
public struct HistoryStatistics: Hashable, Sendable {
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The number of transactions.
    public let transactions: Int
    /// The number of changes.
    public let changes: Int
    /// The approximate size of the transactions in bytes, without indexes and unused space of the file.
    public let bytes: Int
    /// Whether ``changes`` and ``bytes`` were extrapolated from a sample, because counting them would take time.
    public let isEstimated: Bool
    /// The timestamp of the oldest transaction, or `nil` if there is none.
    public let oldest: Date?
    /// The timestamp of the newest transaction, or `nil` if there is none.
    public let newest: Date?
    /// The time at which transactions were last deleted, for example by a purge. `nil` if none were deleted, or if an earlier
    /// version of Chronicle deleted the last ones.
    public let lastDeletion: Date?
    /// The consumers that have not acknowledged all transactions, which purges therefore keep, the one that is furthest behind
    /// first. Those that were silent for longer than ``HistoryRetention/maximumSilence`` are missing.
    public let holds: [Hold]

    /// A consumer for which purges keep transactions.
    public struct Hold: Hashable, Sendable {
        /// The name of the consumer.
        public let consumer: String
        /// When the consumer used the store last.
        public let lastSeen: Date

        /// Creates a hold, in a custom store.
        ///
        /// - Parameters:
        ///   - consumer: The name of the consumer.
        ///   - lastSeen: When the consumer used the store last.
        public init(consumer: String, lastSeen: Date) {
            self.consumer = consumer
            self.lastSeen = lastSeen
        }
    }

    /// Creates statistics, in a custom store.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - transactions: The number of transactions.
    ///   - changes: The number of changes.
    ///   - bytes: The approximate size of the transactions in bytes.
    ///   - isEstimated: Whether `changes` and `bytes` were extrapolated from a sample.
    ///   - oldest: The timestamp of the oldest transaction.
    ///   - newest: The timestamp of the newest transaction.
    ///   - lastDeletion: The time at which transactions were last deleted.
    ///   - holds: The consumers that have not acknowledged all transactions, the one that is furthest behind first.
    public init(
        storeIdentifier: String, transactions: Int, changes: Int, bytes: Int, isEstimated: Bool = false, oldest: Date?,
        newest: Date?, lastDeletion: Date? = nil, holds: [Hold] = []
    ) {
        self.storeIdentifier = storeIdentifier
        self.transactions = transactions
        self.changes = changes
        self.bytes = bytes
        self.isEstimated = isEstimated
        self.oldest = oldest
        self.newest = newest
        self.lastDeletion = lastDeletion
        self.holds = holds
    }
}

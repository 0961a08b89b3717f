public import Foundation

/// What a store knows about a ``HistoryConsumer``.
public struct HistoryConsumerStatus<Token: HistoryToken>: Identifiable, Sendable {
    /// How much of the history a consumer has not acknowledged.
    public struct Lag: Hashable, Sendable {
        /// The number of transactions, whether they match the consumer's filter or not.
        public let transactions: Int
        /// The number of changes, or an upper bound: the default store also counts each preserved value.
        public let changes: Int
        /// The age of the oldest of the transactions, by the clocks of the processes; zero if there are none.
        public let age: Duration

        /// The age of the oldest of the transactions in seconds.
        @available(*, deprecated, renamed: "age")
        public var seconds: TimeInterval { age / .seconds(1) }
    }

    /// The name of the consumer, which is unique in its store.
    public let name: String
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The position up to which the consumer has acknowledged; `nil` for the beginning of a store that cannot represent it.
    public let position: Token?
    /// What the consumer has not acknowledged, or `nil` if reading cannot continue from its position.
    public let lag: Lag?
    /// Why the consumer has to start over from the models, or `nil` if it need not. The next batch is a reset.
    public let resetReason: HistoryResetReason?
    /// Whether the consumer is reading the models after a reset.
    public let isReadingSnapshot: Bool
    /// How often a batch was delivered from the position.
    public let attempts: Int
    /// The time of the last acknowledgement, or `nil` if there was none.
    public let lastAcknowledged: Date?
    /// The time when an instance last used the store. A waiting ``HistoryConsumer/batches(limit:)`` updates it at least every 80
    /// seconds.
    public let lastSeen: Date
    /// The number of batches that the program set aside.
    public let skipCount: Int
    /// The batches that the program set aside most recently, at most 100, oldest first.
    public let skips: [HistorySkip<Token>]

    public var id: [String] { [storeIdentifier, name] }
}

extension DataStoreConsuming {
    func consumerStatus() throws -> [HistoryConsumerStatus<Token>] {
        try consumerRecords().map { record in
            var reason: HistoryResetReason?
            var lag: HistoryConsumerStatus<Token>.Lag?
            if case .requested(let requested)? = record.place.rebuild { reason = requested }
            do { lag = try self.lag(after: record.place.position) } catch {
                guard let failure = HistoryResetReason(error) else { throw error }
                reason = reason ?? failure
            }
            return HistoryConsumerStatus(
                name: record.name, storeIdentifier: identifier, position: record.place.position,
                lag: reason == nil ? lag : nil, resetReason: reason,
                isReadingSnapshot: record.place.rebuild != nil && reason == nil, attempts: record.attempts,
                lastAcknowledged: record.acknowledged, lastSeen: record.seen, skipCount: record.skipCount,
                skips: record.skips)
        }
    }

    private func lag(after token: Token?) throws -> HistoryConsumerStatus<Token>.Lag {
        var descriptor: HistoryDescriptor<HistoryType> = HistoryFilter().descriptor(after: token)
        let transactions = try fetchHistoryCount(descriptor)
        guard transactions > 0 else { return .init(transactions: 0, changes: 0, age: .zero) }
        descriptor.fetchLimit = 1
        let oldest = try fetchHistoryWithoutChanges(descriptor).first?.timestamp
        return .init(
            transactions: transactions, changes: try estimatedChangeCount(after: token),
            age: .seconds(max(0, oldest.map { Date().timeIntervalSince($0) } ?? 0)))
    }
}

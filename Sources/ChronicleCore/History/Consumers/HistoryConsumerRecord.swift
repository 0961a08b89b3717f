public import Foundation

/// What a store keeps of a ``HistoryConsumer``; see ``DataStoreConsuming``.
public struct HistoryConsumerRecord<Token: HistoryToken>: Codable, Hashable, Sendable {
    /// The name of the consumer, which is unique in its store.
    public var name: String
    /// How far the consumer has acknowledged.
    public var place: HistoryConsumerPlace<Token>
    /// The number of the instance that may acknowledge. It increases whenever another instance takes over.
    public var fence: Int64
    /// How often a batch was delivered from the current place.
    public var attempts = 0
    /// The time of the last acknowledgement, or `nil`. Dates are for display and for retention, and do not order changes.
    public var acknowledged: Date?
    /// The time when an instance of the consumer last used the store.
    public var seen: Date
    /// The number of batches that the program set aside.
    public var skipCount = 0
    /// The batches that the program set aside most recently, oldest first.
    public var skips: [HistorySkip<Token>] = []

    static var keptSkips: Int { 100 }

    init(name: String, place: HistoryConsumerPlace<Token>) {
        self.name = name
        self.place = place
        seen = Date()
        // Random, so that it rejects the batches of a consumer of the same name that was removed.
        fence = .random(in: 0..<1 << 60)
    }

    /// Creates a record from stored values.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - place: How far the consumer has acknowledged.
    ///   - fence: The number of the instance that may acknowledge.
    ///   - attempts: How often a batch was delivered from the place.
    ///   - acknowledged: The time of the last acknowledgement.
    ///   - seen: The time when an instance last used the store.
    ///   - skipCount: The number of batches that were set aside.
    ///   - skips: The batches that were set aside most recently.
    public init(
        name: String, place: HistoryConsumerPlace<Token>, fence: Int64, attempts: Int, acknowledged: Date?, seen: Date,
        skipCount: Int, skips: [HistorySkip<Token>]
    ) {
        self.name = name
        self.place = place
        self.fence = fence
        self.attempts = attempts
        self.acknowledged = acknowledged
        self.seen = seen
        self.skipCount = skipCount
        self.skips = skips
    }

    /// Deliveries are counted anew for each place.
    mutating func move(to place: HistoryConsumerPlace<Token>) {
        self.place = place
        attempts = 0
    }

    mutating func moveAndEvict(to place: HistoryConsumerPlace<Token>) {
        move(to: place)
        fence += 1
    }
}

/// How far a ``HistoryConsumer`` has read.
public struct HistoryConsumerPlace<Token: HistoryToken>: Codable, Hashable, Sendable {
    /// The position in the history after which the consumer continues to read changes, or `nil` for the beginning of a store that
    /// cannot represent this position.
    public var position: Token?
    /// The progress of starting over from the models, or `nil` if the consumer reads changes.
    public var rebuild: HistoryRebuild?

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - position: The position in the history.
    ///   - rebuild: The progress of starting over from the models.
    public init(position: Token?, rebuild: HistoryRebuild? = nil) {
        self.position = position
        self.rebuild = rebuild
    }
}

extension HistoryConsumerPlace {
    /// Whether a consumer passes this place before the other one.
    func isBefore(_ other: HistoryConsumerPlace) -> Bool {
        if position == other.position {
            switch (rebuild, other.rebuild) {
            case (.requested?, .reading?), (.requested?, nil), (.reading?, nil),
                (.reading(nil, _)?, .reading(.some, _)?):
                return true
            case (.reading(let model?, _)?, .reading(let known?, _)?): return model < known
            default: return false
            }
        }
        guard let known = other.position else { return false }
        return position.map { $0 < known } ?? true
    }
}

/// The progress of a ``HistoryConsumer`` that starts over from the models of the store.
public enum HistoryRebuild: Codable, Hashable, Sendable {
    /// The next batch is a reset, with which the consumer discards what it derived from the history.
    case requested(HistoryResetReason)
    /// The models up to and including an identifier were acknowledged; `nil` for none.
    ///
    /// A consumer reads the models of one class after the other, in the order of their names. If a class is gone since, or a new
    /// one precedes that of the identifier, it starts over, because it could skip models.
    case reading(after: PersistentIdentifier?, entities: [String]? = nil)
}

/// A batch of changes that a program set aside with ``HistoryConsumer/skip(_:reason:)``.
public struct HistorySkip<Token: HistoryToken>: Codable, Hashable, Sendable {
    /// The position before the batch; `nil` for the beginning of a store that cannot represent this position.
    public let after: Token?
    /// The position after the batch. To process the batch later, fetch the transactions between the two, unless they were deleted.
    public let through: Token?
    /// How often the batch was delivered.
    public let attempts: Int
    /// The reason that the program gave.
    public let reason: String
    /// The time when the batch was set aside.
    public let date: Date
}

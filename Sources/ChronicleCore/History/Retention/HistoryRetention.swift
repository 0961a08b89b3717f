/// How much of its history a store keeps.
///
/// ```swift
/// ModelConfiguration(url: url, historyRetention: HistoryRetention(maximumAge: .seconds(7 * 86_400)))
/// ```
///
/// ``ModelContainer/purgeHistory(_:progress:)`` deletes the oldest transactions that exceed one of the limits, and so does the
/// store itself from time to time; see ``purgeInterval``. Tokens before the newest deleted transaction expire. The default value
/// deletes nothing, as in SwiftData, because a store does not know who holds a plain token.
///
/// The limits are not strict: purges run after a save, by default at most every 10 minutes, so the history exceeds its limits
/// between two purges, and stays as it is while nothing is saved.
///
/// Transactions that a consumer has not acknowledged are kept, unless the consumer was not seen for longer than ``maximumSilence``.
/// Without ``maximumSilence``, a consumer that is never used again keeps the history from being deleted for ever: the history grows
/// without limit. ``HistoryStatistics/holds`` contains such a consumer, and a purge passes the message `consumerAbandoned` to the
/// logger; remove it with ``ModelContainer/removeHistoryConsumer(named:of:storeName:)``.
///
/// In a sealed history (see ``HistorySeal``), a purge deletes whole seals, so it can keep up to one seal more than the limits, and the
/// transactions that are not sealed are kept like those of a consumer with the name `chronicle.seals`.
public struct HistoryRetention: Hashable, Sendable {
    /// The age from which transactions are deleted, or `nil` for no limit.
    ///
    /// The age depends on the timestamps of the transactions and on the clock. Deletion stops at the first transaction that is
    /// younger, whatever the timestamps of those that follow it. A timestamp that is later than the clock, which for the PostgreSQL
    /// store includes that of the server, is wrong: its transaction does not stop the deletion, and is deleted with the next
    /// transaction that is old enough.
    public var maximumAge: Duration?
    /// The number of changes to keep, or `nil` for no limit. The newest transaction is kept even if it has more. Stores may
    /// estimate the number; see ``HistoryStatistics/isEstimated``.
    public var maximumChanges: Int?
    /// The approximate size of the history in bytes, or `nil` for no limit. The newest transaction is kept even if it is larger.
    /// See ``HistoryStatistics/bytes``.
    public var maximumBytes: Int?
    /// How long a consumer may be silent before transactions are deleted that it has not acknowledged, or `nil` to wait for every
    /// consumer for ever, including those that are never used again.
    ///
    /// Choose several minutes at least: a consumer that waits for commits is seen about once per minute.
    public var maximumSilence: Duration?
    /// How long the values before and after changes are kept, by entity and attribute. The changes remain.
    ///
    /// Values that a consumer has not received are kept, like transactions, unless the consumer was silent for longer than
    /// ``maximumSilence``. A purge with a rule for an unknown entity or attribute throws ``SwiftDataError/unknownSchema`` and
    /// deletes nothing, because a misspelled name must not leave values that the program believes erased. With rules,
    /// a store that does not adopt ``HistoryValueRetaining`` throws ``SwiftDataError/unsupportedFeature``.
    public var valueRules: [PreservedValueRule]
    /// The minimum time between two automatic purges of a store, or `nil` for none. With a limit or a rule, they start in the background
    /// after a save, the first one after the first save of the opened store.
    public var purgeInterval: Duration?

    /// No limits: the history is not deleted.
    public static let unlimited = HistoryRetention()

    /// Creates a retention. Without arguments, it deletes nothing.
    ///
    /// - Parameters:
    ///   - maximumAge: The age from which transactions are deleted.
    ///   - maximumChanges: The number of changes to keep.
    ///   - maximumBytes: The size of the history in bytes.
    ///   - maximumSilence: How long a consumer may be silent before its unread transactions are deleted.
    ///   - valueRules: How long preserved values are kept, by entity and attribute.
    ///   - purgeInterval: The minimum time between two automatic purges.
    public init(
        maximumAge: Duration? = nil, maximumChanges: Int? = nil, maximumBytes: Int? = nil,
        maximumSilence: Duration? = nil, valueRules: [PreservedValueRule] = [],
        purgeInterval: Duration? = .seconds(600)
    ) {
        self.maximumAge = maximumAge
        self.maximumChanges = maximumChanges
        self.maximumBytes = maximumBytes
        self.maximumSilence = maximumSilence
        self.valueRules = valueRules
        self.purgeInterval = purgeInterval
    }

    /// Whether the retention has a limit or a rule, so that a purge can delete transactions or erase values.
    public var hasLimit: Bool {
        maximumAge != nil || maximumChanges != nil || maximumBytes != nil || !valueRules.isEmpty
    }
}

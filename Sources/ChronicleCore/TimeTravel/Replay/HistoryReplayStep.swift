/// The transaction of another store that a save replays.
public struct HistoryReplayStep: Sendable {
    /// The keys that a replay adds to the metadata of a transaction.
    public enum MetadataKey: String, CaseIterable, Sendable {
        /// The identifier of the source.
        case source = "chronicle.source"
        /// The identifier of the transaction in the source.
        case transaction = "chronicle.transaction"
        /// The time of the commit in the source, in seconds since 2001-01-01 00:00:00 UTC.
        case timestamp = "chronicle.timestamp"
    }

    /// The position before the transaction, or `nil` if nothing was replayed.
    public let previous: DefaultHistoryToken?
    /// The position after the transaction.
    public let token: DefaultHistoryToken
    /// The rows that the save updates or deletes, as they were in the source.
    public let expected: [DefaultSnapshot]

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - previous: The position before the transaction.
    ///   - token: The position after the transaction.
    ///   - expected: The rows that the save updates or deletes.
    public init(previous: DefaultHistoryToken?, token: DefaultHistoryToken, expected: [DefaultSnapshot]) {
        self.previous = previous
        self.token = token
        self.expected = expected
    }
}

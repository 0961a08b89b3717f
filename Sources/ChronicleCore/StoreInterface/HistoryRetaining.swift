public import Foundation

/// A store that measures its history and deletes old transactions in small steps.
///
/// Adopt this protocol to support ``ModelContainer/historyStatistics()`` and ``ModelContainer/purgeHistory(_:progress:)``. The
/// container pauses between the steps, so that waiting writers get their turn, and checks for cancellation.
public protocol HistoryRetaining<HistoryType>: DataStore, HistoryProviding {
    /// How much of the history the configuration of the store keeps.
    var historyRetention: HistoryRetention { get }

    /// Returns the size of the history.
    ///
    /// - Returns: The statistics. Do not read the whole history for them; extrapolate if necessary, and set
    ///   ``HistoryStatistics/isEstimated``.
    /// - Throws: ``SwiftDataError/historyDisabled`` if the store does not record changes, or the error that prevented the store
    ///   from reading.
    func historyStatistics() throws -> HistoryStatistics

    /// Returns what a purge may delete and erase, without changing anything.
    ///
    /// - Parameters:
    ///   - retention: The limits. Without limits, no transaction may be deleted.
    ///   - date: The current time, from which ages are computed.
    /// - Returns: The plan, for ``purgeHistory(_:)``.
    /// - Throws: The errors of ``historyStatistics()``, and ``SwiftDataError/unknownSchema`` if the history contains no entity or
    ///   attribute of a rule of ``HistoryRetention/valueRules``.
    func planHistoryPurge(
        _ retention: HistoryRetention, at date: Date
    ) throws -> HistoryPurgePlan<HistoryType.TokenType>

    /// Deletes the oldest transactions up to that of a plan and erases the values of its rules, or does a part of this.
    ///
    /// A step should block other writers for less than 10 milliseconds. After each step, the history has to be valid: transactions
    /// are deleted as a whole, the oldest first, tokens before the newest deleted transaction expire, and later ones remain valid.
    ///
    /// - Parameter plan: A plan of this store.
    /// - Returns: What the step deleted and erased, and whether it was the last one.
    /// - Throws: ``SwiftDataError/historyTokenStoreMismatch`` or another error of its family if the transaction of the plan is not
    ///   part of the history; ``SwiftDataError/storeBusy`` or another error that prevented the delete.
    func purgeHistory(_ plan: HistoryPurgePlan<HistoryType.TokenType>) throws -> HistoryPurgeStep
}

/// The transactions that a purge deletes, and the values that it erases.
public struct HistoryPurgePlan<Token: HistoryToken>: Sendable {
    /// The token of the newest transaction to delete, or `nil` to delete none.
    public var newest: Token?
    /// The values to erase, for each rule of ``HistoryRetention/valueRules`` that has an older transaction. Empty for a store that
    /// does not adopt ``HistoryValueRetaining``.
    public var erasures: [Erasure]
    /// The names of the consumers for which a purge keeps transactions that exceed a limit, or values that a rule would erase.
    public var keptFor: [String]
    /// The names of those of ``keptFor`` that have not used the store for more than a day, and may never do so again.
    public var abandoned: [String]
    /// The names of the consumers that were silent for too long, and whose unread transactions are deleted.
    public var evicted: [String]
    /// The time before which a consumer must have been seen last to be evicted; `nil` to evict none.
    public var evictionDate: Date?
    /// The limits for which the plan was made, which a sealed history records with the purge; `nil` if they are not known.
    public var retention: HistoryRetention?

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - newest: The token of the newest transaction to delete.
    ///   - erasures: The values to erase.
    ///   - keptFor: The names of the consumers for which transactions are kept.
    ///   - abandoned: The names of those of `keptFor` that have not used the store for more than a day.
    ///   - evicted: The names of the consumers whose unread transactions are deleted.
    ///   - evictionDate: The time before which a consumer must have been seen last to be evicted.
    ///   - retention: The limits for which the plan was made.
    public init(
        newest: Token?, erasures: [Erasure] = [], keptFor: [String] = [], abandoned: [String] = [],
        evicted: [String] = [], evictionDate: Date? = nil, retention: HistoryRetention? = nil
    ) {
        self.newest = newest
        self.erasures = erasures
        self.keptFor = keptFor
        self.abandoned = abandoned
        self.evicted = evicted
        self.evictionDate = evictionDate
        self.retention = retention
    }
}

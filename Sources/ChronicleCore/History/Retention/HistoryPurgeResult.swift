/// What a purge deleted, and what it kept for whom.
public struct HistoryPurgeResult: Hashable, Sendable {
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The number of deleted transactions.
    public private(set) var transactions = 0
    /// The number of deleted changes.
    public private(set) var changes = 0
    /// The number of preserved values that were erased by ``HistoryRetention/valueRules``. The value before and the one after a
    /// change count as one.
    public private(set) var values = 0
    /// The number of bytes that were returned to the file system.
    public private(set) var returnedBytes = 0
    /// The names of the consumers for which the purge kept transactions that exceed a limit, or values that a rule would erase.
    public let keptFor: [String]
    /// The names of those of ``keptFor`` that have not used the store for more than a day, and may never do so again. Remove those
    /// that are no longer used with ``ModelContainer/removeHistoryConsumer(named:of:storeName:)``.
    public let abandoned: [String]
    /// The names of the consumers that were silent for too long, and whose unread transactions were deleted.
    public let evicted: [String]

    /// Creates the result of a purge that has not deleted anything yet.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - plan: The plan of the purge.
    public init<Token>(_ storeIdentifier: String, _ plan: HistoryPurgePlan<Token>) {
        self.storeIdentifier = storeIdentifier
        keptFor = plan.keptFor
        abandoned = plan.abandoned
        evicted = plan.evicted
    }

    /// Adds what a step deleted.
    ///
    /// - Parameter step: The step.
    public mutating func add(_ step: HistoryPurgeStep) {
        transactions += step.transactions
        changes += step.changes
        values += step.values
        returnedBytes += step.returnedBytes
    }
}

extension HistoryRetaining {
    /// Logs for which consumers a purge did not wait, if it deleted anything. Call it in a store that purges its history by itself,
    /// also after an error.
    ///
    /// - Parameter result: The result of the purge, whether it was completed or not.
    public func logEvictions(_ result: HistoryPurgeResult) {
        guard result.changes > 0 else { return }
        for name in result.evicted {
            log(
                .notice, event: "consumerEvicted",
                "a purge deleted transactions that the consumer \"\(name)\" had not acknowledged, because it was silent "
                    + "for longer than the retention allows; its next batch is a reset",
                metadata: ["consumer": name])
        }
    }

    func logAbandoned(_ names: some Sequence<String>) {
        for name in names {
            log(
                .notice, event: "consumerAbandoned",
                "the history exceeds its limits, because the consumer \"\(name)\" has not read it, and was not seen for more "
                    + "than a day; remove the consumer if it is not used any more, or set a maximum silence",
                metadata: ["consumer": name])
        }
    }
}

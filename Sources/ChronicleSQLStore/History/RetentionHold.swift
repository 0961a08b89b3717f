package import ChronicleCore
package import Foundation

/// A consumer whose unread transactions a purge keeps.
package struct RetentionHold: Hashable, Sendable {
    /// The name of the consumer.
    package let name: String
    /// The position up to which the consumer has acknowledged the history.
    package let position: Int64
    /// When the consumer was seen last.
    package let lastSeen: Date

    /// Returns the holds of consumers.
    ///
    /// A consumer that starts over from the models needs no earlier history, and neither does one that will have to,
    /// because reading cannot continue from its position. Both are omitted.
    package static func all(
        _ records: [HistoryConsumerRecord<DefaultHistoryToken>], _ history: some HistoryTokenChecking,
        storeIdentifier: String
    ) throws -> [RetentionHold] {
        try records.compactMap { record in
            if case .requested? = record.place.rebuild { return nil }
            guard let token = record.place.position, let position = token.position(in: storeIdentifier),
                try history.failure(token, storeIdentifier: storeIdentifier) == nil
            else { return nil }
            return RetentionHold(name: record.name, position: position, lastSeen: record.seen)
        }
    }

    /// Whether a purge keeps transactions for the consumer.
    fileprivate func isLive(_ evictionDate: Date?) -> Bool { evictionDate.map { lastSeen >= $0 } ?? true }
}

extension [RetentionHold] {
    /// Returns the consumers that have not acknowledged a position, and for which a purge keeps transactions.
    ///
    /// - Parameters:
    ///   - newest: The position of the newest transaction.
    ///   - retention: The limits of the store's configuration.
    ///   - date: The present time.
    package func statistics(
        before newest: Int64, _ retention: HistoryRetention, at date: Date
    ) -> [HistoryStatistics.Hold] {
        filter { $0.position < newest && $0.isLive(retention.evictionDate(at: date)) }
            .sorted { ($0.position, $0.name) < ($1.position, $1.name) }
            .map { HistoryStatistics.Hold(consumer: $0.name, lastSeen: $0.lastSeen) }
    }
}

extension HistoryRetention {
    /// The time since which a consumer must have been seen to hold transactions, or `nil` if all do.
    fileprivate func evictionDate(at date: Date) -> Date? { maximumSilence.map { date - $0 / .seconds(1) } }
}

extension HistoryPurgePlan<DefaultHistoryToken> {
    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - retention: The limits of the history.
    ///   - date: The present time.
    ///   - limit: The last position that exceeds a limit, or 0.
    ///   - holds: The holds of all consumers.
    ///   - lastTransaction: Returns the last transaction up to a position.
    package init(
        _ retention: HistoryRetention, at date: Date, limit: Int64, _ holds: [RetentionHold], storeIdentifier: String,
        lastTransaction: (Int64) throws -> (position: Int64, checkValue: Int64)?
    ) rethrows {
        let evictionDate = retention.evictionDate(at: date)
        let live = holds.filter { $0.isLive(evictionDate) }
        let newest = try lastTransaction(min(limit, live.map(\.position).min() ?? .max))
        let kept = live.filter { $0.position < limit }
        let evicted = holds.filter { !$0.isLive(evictionDate) && $0.position < newest?.position ?? 0 }
        self.init(
            newest: newest.map {
                DefaultHistoryToken(storeIdentifier: storeIdentifier, position: $0.position, checkValue: $0.checkValue)
            },
            keptFor: kept.map(\.name).sorted(),
            abandoned: kept.filter { $0.lastSeen < date - 86_400 }.map(\.name).sorted(),
            evicted: evicted.map(\.name).sorted(),
            evictionDate: evictionDate)
    }

    /// Returns the last position that may be deleted. A consumer may have been created or moved since the plan was made.
    ///
    /// - Parameters:
    ///   - position: The position of ``newest``.
    ///   - holds: The present holds of all consumers.
    package func end(_ position: Int64, _ holds: [RetentionHold]) -> Int64 {
        holds.filter { $0.isLive(evictionDate) }.map(\.position).reduce(position, min)
    }
}

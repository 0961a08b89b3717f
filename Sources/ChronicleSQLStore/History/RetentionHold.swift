package import ChronicleCore
package import Foundation

/// A purge keeps the unread transactions of the consumer.
package struct RetentionHold: Hashable, Sendable {
    package let name: String
    package let position: Int64
    package let lastSeen: Date

    package init(name: String, position: Int64, lastSeen: Date) {
        (self.name, self.position, self.lastSeen) = (name, position, lastSeen)
    }

    /// Omits consumers that start over from the models, or will have to, because reading cannot continue from their
    /// positions: they need no earlier history. A consumer may not select the authors of deleted transactions.
    package static func all(
        _ records: [HistoryConsumerRecord<DefaultHistoryToken>], _ history: some HistoryTokenChecking,
        storeIdentifier: String
    ) throws -> [RetentionHold] {
        try records.compactMap { record in
            if case .requested? = record.place.rebuild { return nil }
            guard let token = record.place.position, let position = token.position(in: storeIdentifier),
                try history.failure(token, storeIdentifier: storeIdentifier, skipping: .all) == nil
            else { return nil }
            return RetentionHold(name: record.name, position: position, lastSeen: record.seen)
        }
    }

    fileprivate func isLive(_ evictionDate: Date?) -> Bool { evictionDate.map { lastSeen >= $0 } ?? true }
}

extension [RetentionHold] {
    /// The consumers that have not acknowledged the newest position, and for which a purge keeps transactions.
    package func statistics(
        before newest: Int64, _ retention: HistoryRetention, at date: Date
    ) -> [HistoryStatistics.Hold] {
        filter { $0.position < newest && $0.isLive(retention.evictionDate(at: date)) }
            .sorted { ($0.position, $0.name) < ($1.position, $1.name) }
            .map { HistoryStatistics.Hold(consumer: $0.name, lastSeen: $0.lastSeen) }
    }
}

extension HistoryRetention {
    /// A consumer not seen since holds no transactions; `nil` if all hold them.
    fileprivate func evictionDate(at date: Date) -> Date? { maximumSilence.map { date - $0 / .seconds(1) } }
}

extension HistoryPurgePlan<DefaultHistoryToken> {
    /// - Parameter limit: The last position that exceeds a limit, or 0.
    /// - Parameter valueLimits: The last position that is older than the age of each rule, or 0.
    /// - Parameter roundedDown: Returns the last position up to another one at which a purge may end.
    /// - Parameter lastTransaction: Returns the last transaction up to a position.
    package init(
        _ retention: HistoryRetention, at date: Date, limit: Int64, valueLimits: [Int64], _ holds: [RetentionHold],
        storeIdentifier: String, roundedDown: (Int64) throws -> Int64 = { $0 },
        lastTransaction: (Int64) throws -> (position: Int64, checkValue: Int64)?
    ) rethrows {
        let evictionDate = retention.evictionDate(at: date)
        let live = holds.filter { $0.isLive(evictionDate) }
        let held = live.map(\.position).min() ?? .max
        let newest = try lastTransaction(roundedDown(min(limit, held)))
        let erasures = try zip(retention.valueRules, valueLimits).compactMap { rule, limit in
            try lastTransaction(min(limit, held)).flatMap { last in
                last.position > newest?.position ?? 0
                    ? Erasure(rule: rule, newest: Self.token(last, storeIdentifier)) : nil
            }
        }
        let highest = valueLimits.reduce(limit, max)
        let kept = live.filter { $0.position < highest }
        let evicted = holds.filter { !$0.isLive(evictionDate) && $0.position < newest?.position ?? 0 }
        self.init(
            newest: newest.map { Self.token($0, storeIdentifier) },
            erasures: erasures,
            keptFor: kept.map(\.name).sorted(),
            abandoned: kept.filter { $0.lastSeen < date - 86_400 }.map(\.name).sorted(),
            evicted: evicted.map(\.name).sorted(),
            evictionDate: evictionDate, retention: retention)
    }

    private static func token(
        _ transaction: (position: Int64, checkValue: Int64), _ storeIdentifier: String
    ) -> DefaultHistoryToken {
        DefaultHistoryToken(
            storeIdentifier: storeIdentifier, position: transaction.position, checkValue: transaction.checkValue)
    }

    /// The last position that may be deleted. A consumer may have been created or moved since the plan was made.
    package func end(_ position: Int64, _ holds: [RetentionHold]) -> Int64 {
        holds.filter { $0.isLive(evictionDate) }.map(\.position).reduce(position, min)
    }
}

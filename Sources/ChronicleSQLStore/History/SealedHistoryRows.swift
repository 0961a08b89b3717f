package import ChronicleCore
package import Foundation

/// What the chain of seals requires of purges and deletions. Must be used in one transaction.
///
/// Nothing is hashed here: purges, deletions and erasures write an event, which waits for the next seal. So programs without a
/// cryptographic library keep the proofs.
package protocol SealedHistoryRows {
    associatedtype Seals: SealRows
    associatedtype Events: EventRows

    var seals: Seals { get }
    var events: Events { get }
    /// The number of the newest seal, or 0 before the first one.
    var number: Int64 { get }
    /// The last position of the newest seal, or 0 before the first one.
    var end: Int64 { get }
    /// When the newest seal was made.
    var sealed: Date? { get }

    func transactionCount(_ positions: ClosedRange<Int64>) throws -> Int
}

extension SealedHistoryRows {
    /// Keeps what is not sealed yet; `nil` after the last seal. The chain keeps it, not the record of the consumer, whose removal
    /// releases nothing.
    ///
    /// - Parameter lastSeen: When the consumer was seen last, if there is a record.
    package func hold(lastSeen: Date?) throws -> RetentionHold? {
        if try events.contains(.ended, inSeal: number) { return nil }
        // The record is older if the run that made the seal was killed.
        let times = try [lastSeen, sealed ?? events.time(ofNewest: .begun)].compactMap { $0 }
        return RetentionHold(name: HistorySeal.consumerName, position: end, lastSeen: times.max() ?? .distantPast)
    }

    /// Returns the end of the last seal of which no transaction after a position remains: the last ones can have been deleted. A
    /// position after the newest seal, which a purge reaches only without the ``hold(lastSeen:)``, remains.
    package func roundedDown(_ position: Int64) throws -> Int64 {
        guard position <= end else { return position }
        if let seal = try seals.first(endingFrom: position), position < seal.last,
            try transactionCount(position + 1...seal.last) == 0
        {
            return seal.last
        }
        return try seals.last(through: position)?.last ?? 0
    }
}

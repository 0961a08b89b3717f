import Foundation

/// The move of a consumer's position past a batch.
///
/// A store that conforms to ``DataStoreConsuming`` applies it in the transaction of the save that contains it; see
/// ``DataStoreSaveChangesRequest/acknowledgement``.
public struct HistoryAcknowledgement: Sendable {
    /// The name of the consumer.
    public let consumerName: String
    let storeIdentifier: String
    private let fence: Int64
    private let places: Places
    /// Why the program sets the batch aside, or `nil` if it processed the batch.
    private var skipReason: String?

    /// The places before and after the batch, of type `HistoryConsumerPlace`. A class, because every save passes on an optional
    /// acknowledgement, and copying two optional existential values takes more time.
    private final class Places: Sendable {
        let from: any Sendable
        let to: any Sendable

        init(from: any Sendable, to: any Sendable) { (self.from, self.to) = (from, to) }
    }

    init<Token: HistoryToken>(
        consumerName: String, storeIdentifier: String, fence: Int64, from: HistoryConsumerPlace<Token>,
        to: HistoryConsumerPlace<Token>
    ) {
        self.consumerName = consumerName
        self.storeIdentifier = storeIdentifier
        self.fence = fence
        places = Places(from: from, to: to)
    }

    /// Moves a consumer's position past the batch.
    ///
    /// - Parameter record: The record of the consumer ``consumerName``, or `nil` if there is none.
    /// - Throws: One of the following errors, which the save must rethrow after undoing all its changes.
    ///   - ``SwiftDataError/historyConsumerNotFound`` if the consumer was removed or renamed.
    ///   - ``SwiftDataError/historyConsumerEvicted`` if another instance took over, or if the consumer was reset.
    ///   - ``SwiftDataError/invalidHistoryAcknowledgement`` if the batch does not begin at the consumer's position.
    public func apply<Token: HistoryToken>(to record: inout HistoryConsumerRecord<Token>?) throws {
        guard var current = record else { throw SwiftDataError.consumerNotFound(consumerName) }
        guard current.fence == fence else {
            throw SwiftDataError.historyConsumerEvicted.with(
                detail:
                    "another instance of the consumer \"\(consumerName)\" took over, or the consumer was reset; discard "
                    + "the work of the batch and request the next one")
        }
        guard let from = places.from as? HistoryConsumerPlace<Token>,
            let to = places.to as? HistoryConsumerPlace<Token>,
            current.place == from
        else {
            throw SwiftDataError.invalidHistoryAcknowledgement.with(
                detail:
                    "the batch does not begin at the position of the consumer \"\(consumerName)\"; it was acknowledged "
                    + "before, or the consumer was moved")
        }
        if let skipReason {
            current.skips.append(
                HistorySkip(
                    after: from.position, through: to.position, attempts: current.attempts, reason: skipReason,
                    date: Date()))
            current.skips = current.skips.suffix(HistoryConsumerRecord<Token>.keptSkips)
            current.skipCount += 1
        }
        current.move(to: to)
        current.acknowledged = Date()
        current.seen = Date()
        record = current
    }

    /// Returns whether the record of the consumer shows that the acknowledgement was saved, for a store whose connection can be
    /// lost during a commit.
    ///
    /// - Parameter record: The record of the consumer ``consumerName``, or `nil` if there is none.
    /// - Returns: Whether the consumer is at the end of the batch, or at its beginning. `nil` if another instance took over, or the
    ///   consumer was moved or removed.
    public func isApplied<Token: HistoryToken>(to record: HistoryConsumerRecord<Token>?) -> Bool? {
        guard let record, record.fence == fence else { return nil }
        switch record.place {
        case places.to as? HistoryConsumerPlace<Token>: return true
        case places.from as? HistoryConsumerPlace<Token>: return false
        default: return nil
        }
    }

    func skipping(_ reason: String) -> HistoryAcknowledgement {
        var skipping = self
        skipping.skipReason = reason
        return skipping
    }
}

extension SwiftDataError {
    static func consumerNotFound(_ name: String) -> SwiftDataError {
        .historyConsumerNotFound.with(detail: "the store has no consumer \"\(name)\"; it was removed or renamed")
    }
}

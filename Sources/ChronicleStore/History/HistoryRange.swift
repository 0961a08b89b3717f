import ChronicleCore
import ChronicleSQLite

/// The part of the stream that the tokens of a query leave, once they are known to be good.
struct HistoryRange {
    /// Changes up to here are left out, even those of a transaction that ends later. 0 for none.
    private(set) var after: Int64 = 0
    /// Transactions that end up to here are left out. Not less than ``after``.
    private(set) var endingAfter: Int64 = 0

    /// Leaves out the transaction at a position, too, and those before it.
    mutating func skip(_ position: Int64) { endingAfter = max(endingAfter, position) }

    /// - Throws: ``SwiftDataError/historyTokenExpired`` and its family, ``SwiftDataError/historyDisabled``.
    init(_ query: HistoryQuery, storeIdentifier: String, _ connection: Connection) throws {
        let history = HistoryFacts(connection)
        // Also without tokens: says whether there is a history.
        if query.sql.lowerBounds.isEmpty { _ = try history.facts(at: 0) }
        for bound in query.sql.lowerBounds {
            let position = try history.checkedPosition(bound, storeIdentifier: storeIdentifier)
            guard bound.isRequired else { continue }
            if bound.isInclusive {
                endingAfter = max(endingAfter, position - 1)
            } else {
                after = max(after, position)
                endingAfter = max(endingAfter, position)
            }
        }
    }
}

extension HistoryFacts {
    /// The position of a token that transactions come after.
    ///
    /// - Throws: What keeps it from being continued from.
    func checkedPosition(_ bound: HistoryTokenBound<DefaultHistoryToken>, storeIdentifier: String) throws -> Int64 {
        let position = bound.token.position(in: storeIdentifier)
        let check = bound.token.check(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        let failure = HistoryTokenCheck.failure(
            position: position, check: check, isInclusive: bound.isInclusive, facts)
        guard let position, failure == nil else {
            throw HistoryTokenCheck.error(failure ?? .ofAnotherStore, position: position, facts)
        }
        return position
    }

    /// Makes sure that tokens that transactions come before are of this store's past, deleted or not: what is to be
    /// deleted up to a token has to be what its owner has seen.
    ///
    /// - Throws: ``SwiftDataError/historyTokenStoreMismatch``, ``SwiftDataError/historyTokenAhead``,
    ///   ``SwiftDataError/historyTokenForked``.
    func checkUpperBounds(_ query: HistoryQuery, storeIdentifier: String) throws {
        for bound in query.sql.upperBounds {
            let position = bound.token.position(in: storeIdentifier)
            let facts = try facts(at: position ?? 0)
            let failure = HistoryTokenCheck.failure(
                position: position, check: bound.token.check(in: storeIdentifier), facts)
            if let failure, failure != .expired, failure != .gap {
                throw HistoryTokenCheck.error(failure, position: position, facts)
            }
        }
    }
}

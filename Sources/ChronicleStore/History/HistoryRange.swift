import ChronicleCore
import ChronicleSQLite

/// The part of the stream that a query's tokens leave, once they are known to be good.
struct HistoryRange {
    /// Changes up to here are left out, even those of a transaction that ends later. 0 for none.
    private(set) var after: Int64 = 0
    /// Transactions that end up to here are left out. Not less than ``after``.
    private(set) var endingAfter: Int64 = 0

    /// - Throws: ``SwiftDataError/historyTokenExpired`` and its family, ``SwiftDataError/historyIsOff``.
    init(_ query: HistoryQuery, storeIdentifier: String, _ connection: Connection) throws {
        let history = HistoryFacts(connection)
        // Also without tokens: says whether there is a history.
        if query.bounds.isEmpty { _ = try history.facts(at: 0) }
        for bound in query.bounds {
            let position = bound.token.position(in: storeIdentifier)
            let facts = try history.facts(at: position ?? 0)
            let check = bound.token.check(in: storeIdentifier)
            if let failure = HistoryTokenCheck.failure(position: position, check: check, facts) {
                throw HistoryTokenCheck.error(failure, position: position, facts)
            }
            guard let position else { continue }
            if bound.isInclusive {
                endingAfter = max(endingAfter, position - 1)
            } else {
                after = max(after, position)
                endingAfter = max(endingAfter, position)
            }
        }
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The part of the history that the tokens of a query select, after checking the tokens.
struct HistoryRange {
    /// Changes up to this position are excluded, even those of a transaction that ends later. 0 for none.
    private(set) var after: Int64 = 0
    /// Transactions that end at or before this position are excluded. Not less than ``after``.
    private(set) var endingAfter: Int64 = 0
    /// Transactions after this position are excluded, so that the ranges that the predicate excludes, too, are not visited.
    private(set) var through = Int64.max

    mutating func skip(_ position: Int64) { endingAfter = max(endingAfter, position) }

    init(_ query: HistoryQuery, storeIdentifier: String, _ connection: Connection) throws {
        let history = HistoryPositions(connection)
        if let purged = try history.purged() { (after, endingAfter) = (purged, purged) }
        // Checks that the history is enabled, even without tokens.
        if query.sql.lowerBounds.isEmpty { _ = try history.facts(at: 0) }
        for bound in query.sql.lowerBounds {
            let position = try history.checkedPosition(
                bound.token, isInclusive: bound.isInclusive, storeIdentifier: storeIdentifier)
            guard bound.isRequired else { continue }
            if bound.isInclusive {
                endingAfter = max(endingAfter, position - 1)
            } else {
                after = max(after, position)
                endingAfter = max(endingAfter, position)
            }
        }
        for bound in query.sql.upperBounds where bound.isRequired {
            through = min(through, bound.token.position(in: storeIdentifier) ?? .max)
        }
    }
}

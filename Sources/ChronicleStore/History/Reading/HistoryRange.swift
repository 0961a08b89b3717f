import ChronicleCore
import ChronicleSQL
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
    /// The position at which the result begins, or 0 without a token; deleted transactions after it are missing.
    private(set) var start: Int64 = 0
    /// The highest deleted position, or 0.
    private(set) var floor: Int64 = 0

    mutating func skip(_ position: Int64) { endingAfter = max(endingAfter, position) }

    init(_ query: HistoryQuery, storeIdentifier: String, _ connection: Connection) throws {
        let history = HistoryPositions(connection)
        if let purged = try history.purged() { (after, endingAfter) = (purged, purged) }
        // Checks that the history is enabled, even without tokens.
        if query.sql.lowerBounds.isEmpty { floor = try history.facts(at: 0).floor }
        let skipped = query.sql.skipped { try connection.isTrue($0, ofAuthor: $1) }
        for bound in query.sql.lowerBounds {
            let (position, facts) = try history.checkedFacts(
                bound.token, isInclusive: bound.isInclusive, storeIdentifier: storeIdentifier, skipping: skipped)
            floor = facts.floor
            guard bound.isRequired else { continue }
            start = max(start, bound.isInclusive ? position - 1 : position)
            // The changes before a header that was deleted are all changes of its transaction.
            if bound.token.checkValue(in: storeIdentifier) == nil,
                position + 1 == facts.floor || position + 1 == facts.deletions?.beginning
            {
                start = max(start, position + 1)
            }
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

extension Connection {
    /// Evaluates a condition on the author of a transaction.
    fileprivate func isTrue(_ condition: SQLQuery, ofAuthor author: String?) throws -> Bool {
        let name = author.map(PropertyValue.text) ?? .null
        let query: SQLQuery = "SELECT (\(condition)) IS TRUE FROM (SELECT \(value: name) AS author) AS s"
        let statement = try cached(query)
        defer { statement.reset() }
        return try statement.step() && statement.int64(0) == 1
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The part of the history that the tokens of a query select, after checking the tokens.
struct HistoryRange {
    /// Changes up to this position are excluded, even those of a transaction that ends later. 0 for none.
    private(set) var after: Int64 = 0
    /// Transactions that end at or before this position are excluded. Not less than ``after``.
    private(set) var endingAfter: Int64 = 0
    /// Transactions after this position are excluded. The predicate excludes them, too; with the position, their ranges
    /// are not visited.
    private(set) var through = Int64.max

    /// Excludes the transaction at a position and all before it.
    mutating func skip(_ position: Int64) { endingAfter = max(endingAfter, position) }

    /// Checks the tokens of a query.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired``, an error of its family, or ``SwiftDataError/historyDisabled``.
    init(_ query: HistoryQuery, storeIdentifier: String, _ connection: Connection) throws {
        let history = HistoryFacts(connection)
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

extension HistoryFacts {
    /// Returns the position of a token from which reading continues.
    ///
    /// - Parameter isInclusive: Whether the transaction that ends at the position is requested too.
    /// - Throws: The error that describes why reading cannot continue from the token.
    func checkedPosition(
        _ token: DefaultHistoryToken, isInclusive: Bool = false, storeIdentifier: String
    ) throws -> Int64 {
        let position = token.position(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        let failure = HistoryTokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), isInclusive: isInclusive, facts)
        guard let position, failure == nil else {
            throw HistoryTokenCheck.error(failure ?? .ofAnotherStore, position: position, facts)
        }
        return position
    }

    /// Checks that upper bounds are tokens of this store's past, deleted or not: deleting up to a token must delete
    /// only transactions that its owner has seen.
    ///
    /// - Throws: ``SwiftDataError/historyTokenStoreMismatch``, ``SwiftDataError/historyTokenAhead``, or
    ///   ``SwiftDataError/historyTokenForked``.
    func checkUpperBounds(_ query: HistoryQuery, storeIdentifier: String) throws {
        for bound in query.sql.upperBounds {
            _ = try checkedUpperBound(bound.token, storeIdentifier: storeIdentifier)
        }
    }

    /// Returns the position of a token that is an upper bound.
    ///
    /// - Throws: The errors of ``checkUpperBounds(_:storeIdentifier:)``.
    func checkedUpperBound(_ token: DefaultHistoryToken, storeIdentifier: String) throws -> Int64 {
        let position = token.position(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        let failure = HistoryTokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), facts)
        if let position, failure == nil || failure == .expired || failure == .gap { return position }
        throw HistoryTokenCheck.error(failure ?? .ofAnotherStore, position: position, facts)
    }
}

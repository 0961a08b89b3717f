import ChronicleCore

/// The content of a file about one position of its history, read in a single snapshot.
struct HistoryPositionFacts: Hashable, Sendable {
    /// The row at the position.
    enum Row: Hashable, Sendable {
        case none
        case change
        /// A change that continues in the next row.
        case partOfChange
        /// A header with its check value, void or not.
        case header(checkValue: Int64)
    }

    /// The newest position, or 0 if the history is empty.
    var newest: Int64 = 0
    /// The highest deleted position, or 0 if nothing was deleted.
    var floor: Int64 = 0
    var floorCheckValue: Int64?
    /// The position at which recording resumed after it was disabled or incomplete, or 0 if it never was.
    var gap: Int64 = 0
    var row = Row.none
}

/// Checks whether reading can continue from a position without missing changes. A pure function of the token and the
/// facts.
///
/// See `Documentation/Design/0002-tokens-and-floor.md` for the rationale.
enum HistoryTokenCheck {
    /// The reasons for which reading cannot continue from a token.
    enum Failure: Hashable, Sendable {
        case ofAnotherStore, ahead, expired, gap, forked
    }

    /// Returns why reading cannot continue from a position, or `nil` if it can.
    ///
    /// - Parameters:
    ///   - position: The position of the token in this store, if it has one.
    ///   - checkValue: The check value of the token, which positions within unsealed changes do not have.
    ///   - isInclusive: Whether the transaction that ends at the position is requested too.
    static func failure(
        position: Int64?, checkValue: Int64?, isInclusive: Bool = false, _ facts: HistoryPositionFacts
    ) -> Failure? {
        guard let position else { return .ofAnotherStore }
        // Stores do not assign negative positions.
        guard position >= 0 else { return .forked }
        if position > facts.newest { return .ahead }
        // The floor is a header, not a change: a reader at the last change before it has seen everything up to it.
        let lowest = checkValue == nil ? max(facts.floor - 1, 0) : facts.floor
        if position < lowest || isInclusive && position <= facts.floor && facts.floor > 0 { return .expired }
        if position < facts.gap { return .gap }
        // The row of the floor is deleted or void, but its check value is kept.
        if position <= facts.floor { return matches(checkValue, facts.floorCheckValue) ? nil : .forked }
        switch facts.row {
        case .none, .partOfChange: return .forked
        case .change: return checkValue == nil ? nil : .forked
        case .header(let expected): return matches(checkValue, expected) ? nil : .forked
        }
    }

    /// A token without a check value is only compared by position.
    private static func matches(_ checkValue: Int64?, _ expected: Int64?) -> Bool {
        checkValue == nil || checkValue == expected
    }

    /// Returns the error with a description and a recommendation.
    static func error(_ failure: Failure, position: Int64?, _ facts: HistoryPositionFacts) -> SwiftDataError {
        let place = position.map { "position \($0)" } ?? "a token without a position"
        let again = "fetch the models again and continue from a current token"
        switch failure {
        case .ofAnotherStore:
            return .historyTokenStoreMismatch.with(
                detail: "the token has no position in this store; merge it with a token of this store, or \(again)")
        case .ahead:
            return .historyTokenAhead.with(
                detail:
                    "\(place) is after the newest position \(facts.newest): a power failure or a restored backup undid the "
                    + "transaction; \(again)")
        case .expired:
            return .historyTokenExpired.with(
                detail: "\(place) is before position \(facts.floor), up to which the history was deleted; \(again)")
        case .gap:
            return .historyTokenGap.with(
                detail:
                    "changes after \(place) were not recorded because the history was disabled or its triggers were changed; "
                    + "recording resumed at position \(facts.gap); \(again)")
        case .forked:
            return .historyTokenForked.with(
                detail:
                    "\(place) belongs to another transaction now: a power failure or a restored backup undid the token's "
                    + "transaction, and the store recorded others since; \(again)")
        }
    }
}

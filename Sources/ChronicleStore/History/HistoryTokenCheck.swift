import ChronicleCore

/// What a file knows about one position of its history, all of it looked up in one snapshot.
struct HistoryPositionFacts: Hashable, Sendable {
    /// What stands at the position.
    enum Row: Hashable, Sendable {
        case none
        case change
        /// A change that goes on in the next row.
        case partOfChange
        /// A header, void or not, with its check value.
        case header(check: Int64)
    }

    /// The newest position of the stream; 0 while it is empty.
    var newest: Int64 = 0
    /// The highest position that was deleted; 0 when nothing ever was.
    var floor: Int64 = 0
    var floorCheck: Int64?
    /// The position at which recording began again after it was off, or not complete; 0 when it always was.
    var gap: Int64 = 0
    var row = Row.none
}

/// Whether a reader can continue from a position and miss nothing. A pure function of the token and the facts.
///
/// `Documentation/Design/0002-tokens-and-floor.md` has the reasons.
enum HistoryTokenCheck {
    /// The five ways in which a token is of no more use.
    enum Failure: Hashable, Sendable {
        case ofAnotherStore, ahead, expired, gap, forked
    }

    /// What keeps a position from being continued from; `nil` when nothing does.
    ///
    /// - Parameters:
    ///   - position: The token's position in this store, if it has one.
    ///   - check: The token's check value, which positions inside of unsealed changes do not have.
    ///   - isInclusive: Whether the transaction that ends at the position is wanted, too.
    static func failure(
        position: Int64?, check: Int64?, isInclusive: Bool = false, _ facts: HistoryPositionFacts
    ) -> Failure? {
        guard let position else { return .ofAnotherStore }
        // No store gives negative positions, and before them nothing is known.
        guard position >= 0 else { return .forked }
        if position > facts.newest { return .ahead }
        // The floor is a header, which is no change: who has seen the change before it has seen everything up to it.
        let lowest = check == nil ? max(facts.floor - 1, 0) : facts.floor
        if position < lowest || isInclusive && position <= facts.floor && facts.floor > 0 { return .expired }
        if position < facts.gap { return .gap }
        // The row of the floor is gone, or void; its check value stays.
        if position <= facts.floor { return matches(check, facts.floorCheck) ? nil : .forked }
        switch facts.row {
        case .none, .partOfChange: return .forked
        case .change: return check == nil ? nil : .forked
        case .header(let actual): return matches(check, actual) ? nil : .forked
        }
    }

    /// A token without a check value promises no more than a bare number does.
    private static func matches(_ check: Int64?, _ actual: Int64?) -> Bool {
        check == nil || check == actual
    }

    /// The error that says what happened, and what to do.
    static func error(_ failure: Failure, position: Int64?, _ facts: HistoryPositionFacts) -> SwiftDataError {
        let place = position.map { "position \($0)" } ?? "a token without a position"
        let again = "read the models again and continue from a current token"
        switch failure {
        case .ofAnotherStore:
            return .historyTokenStoreMismatch.with(
                detail: "the token has no position in this store; merge it with one that this store gave, or \(again)")
        case .ahead:
            return .historyTokenAhead.with(
                detail:
                    "\(place) is after \(facts.newest), the newest that the store reached: its past was taken back by a "
                    + "power cut or a restored backup; \(again)")
        case .expired:
            return .historyTokenExpired.with(
                detail: "history up to \(facts.floor) was deleted, and \(place) is before that; \(again)")
        case .gap:
            return .historyTokenGap.with(
                detail:
                    "not all changes after \(place) were recorded: history was off, or another program changed its triggers; "
                    + "recording began again at \(facts.gap); \(again)")
        case .forked:
            return .historyTokenForked.with(
                detail:
                    "\(place) is not what it was when the token was given: the store's past was taken back by a power "
                    + "cut or a restored backup, and written anew; \(again)")
        }
    }
}

package import ChronicleCore

/// The content of a store about one position of its history, read in a single snapshot.
package struct HistoryPositionFacts: Hashable, Sendable {
    /// The row at the position.
    package enum Row: Hashable, Sendable {
        case none
        /// A row without a check value, which only tokens without one match.
        case change
        /// A change that continues in the next row.
        case partOfChange
        /// The end of a transaction with its check value.
        case header(checkValue: Int64)
    }

    /// The newest position, or 0 if the history is empty.
    package var newest: Int64
    /// The highest deleted position, or 0 if nothing was deleted.
    package var floor: Int64
    package var floorCheckValue: Int64?
    /// The position at which recording resumed after it was disabled or incomplete, or 0 if it never was.
    package var gap: Int64
    package var row: Row

    package init(
        newest: Int64 = 0, floor: Int64 = 0, floorCheckValue: Int64? = nil, gap: Int64 = 0, row: Row = .none
    ) {
        (self.newest, self.floor, self.floorCheckValue, self.gap, self.row) = (newest, floor, floorCheckValue, gap, row)
    }
}

/// Checks whether reading can continue from a position without missing changes. A pure function of the token and the
/// facts.
///
/// See `Documentation/Design/0002-tokens-and-floor.md` for the rationale.
package struct HistoryTokenCheck: Sendable {
    /// The reasons for which reading cannot continue from a token.
    package enum Failure: Hashable, Sendable {
        case ofAnotherStore, ahead, expired, gap, forked
    }

    /// Whether the position of a transaction is that of a header, which follows the positions of its changes.
    private let hasHeaders: Bool
    /// What can undo a transaction that was committed, for errors.
    private let causeOfLoss: String

    package init(hasHeaders: Bool, causeOfLoss: String) {
        (self.hasHeaders, self.causeOfLoss) = (hasHeaders, causeOfLoss)
    }

    /// Returns why reading cannot continue from a position, or `nil` if it can.
    ///
    /// - Parameters:
    ///   - position: The position of the token in this store, if it has one.
    ///   - checkValue: The check value of the token, which positions of changes do not have.
    ///   - isInclusive: Whether the transaction that ends at the position is requested too.
    package func failure(
        position: Int64?, checkValue: Int64?, isInclusive: Bool = false, _ facts: HistoryPositionFacts
    ) -> Failure? {
        guard let position else { return .ofAnotherStore }
        // Stores do not assign negative positions.
        guard position >= 0 else { return .forked }
        if position > facts.newest { return .ahead }
        // A reader at the last change before a header has seen everything up to it.
        let lowest = hasHeaders && checkValue == nil ? max(facts.floor - 1, 0) : facts.floor
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
    private func matches(_ checkValue: Int64?, _ expected: Int64?) -> Bool {
        checkValue == nil || checkValue == expected
    }

    /// Returns why a transaction of this store does not exist.
    package static func failure(ofMissing position: Int64, _ facts: HistoryPositionFacts) -> Failure {
        position > facts.newest ? .ahead : position <= facts.floor ? .expired : .forked
    }

    /// Returns the error with a description and a recommendation.
    package func error(_ failure: Failure, position: Int64?, _ facts: HistoryPositionFacts) -> SwiftDataError {
        let place = position.map { "position \($0)" } ?? "a token without a position"
        let again = "fetch the models again and continue from a current token"
        switch failure {
        case .ofAnotherStore:
            return .historyTokenStoreMismatch.with(
                detail: "the token has no position in this store; merge it with a token of this store, or \(again)")
        case .ahead:
            return .historyTokenAhead.with(
                detail: "\(place) is after the newest position \(facts.newest): \(causeOfLoss) undid the transaction; "
                    + again)
        case .expired:
            return .historyTokenExpired.with(
                detail: "\(place) is before position \(facts.floor), up to which the history was deleted; \(again)")
        case .gap:
            return .historyTokenGap.with(
                detail: "changes after \(place) were not recorded because the history was disabled or its triggers "
                    + "were changed; recording resumed at position \(facts.gap); \(again)")
        case .forked:
            return .historyTokenForked.with(
                detail: "\(place) belongs to another transaction now: \(causeOfLoss) undid the token's transaction, "
                    + "and the store recorded others since; \(again)")
        }
    }
}

/// The history of a store as of one snapshot, to check tokens.
package protocol HistoryTokenChecking {
    static var tokenCheck: HistoryTokenCheck { get }

    /// Returns what the store contains about a position.
    func facts(at position: Int64) throws -> HistoryPositionFacts
}

extension HistoryTokenChecking {
    /// Returns why reading cannot continue from a token, or `nil` if it can.
    package func failure(_ token: DefaultHistoryToken, storeIdentifier: String) throws -> HistoryTokenCheck.Failure? {
        let position = token.position(in: storeIdentifier)
        return Self.tokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), try facts(at: position ?? 0))
    }

    /// Returns the position of a token from which reading continues.
    ///
    /// - Parameter isInclusive: Whether the transaction that ends at the position is requested too.
    /// - Throws: The error that describes why reading cannot continue from the token.
    package func checkedPosition(
        _ token: DefaultHistoryToken, isInclusive: Bool = false, storeIdentifier: String
    ) throws -> Int64 {
        try checkedPosition(token, isInclusive: isInclusive, storeIdentifier: storeIdentifier) { _ in false }
    }

    /// Returns the position of a token that is an upper bound. It may have been deleted, but has to be of this store's
    /// past: deleting up to a token must delete only transactions that its owner has seen.
    ///
    /// - Throws: `SwiftDataError.historyTokenStoreMismatch`, `SwiftDataError.historyTokenAhead`, or
    ///   `SwiftDataError.historyTokenForked`.
    package func checkedUpperBound(_ token: DefaultHistoryToken, storeIdentifier: String) throws -> Int64 {
        try checkedPosition(token, storeIdentifier: storeIdentifier) { $0 == .expired || $0 == .gap }
    }

    private func checkedPosition(
        _ token: DefaultHistoryToken, isInclusive: Bool = false, storeIdentifier: String,
        ignoring isIgnored: (HistoryTokenCheck.Failure) -> Bool
    ) throws -> Int64 {
        let position = token.position(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        let failure = Self.tokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), isInclusive: isInclusive, facts)
        if let failure, !isIgnored(failure) { throw Self.tokenCheck.error(failure, position: position, facts) }
        guard let position else { throw Self.tokenCheck.error(.ofAnotherStore, position: nil, facts) }
        return position
    }
}

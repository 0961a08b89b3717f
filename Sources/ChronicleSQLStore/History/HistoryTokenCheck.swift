package import ChronicleCore

/// The content of a store about one position, read in a single snapshot.
package struct HistoryPositionFacts: Hashable, Sendable {
    package enum Row: Hashable, Sendable {
        case none
        /// A row without a check value, which only tokens without one match.
        case change
        case partOfChange
        /// The end of a transaction.
        case header(checkValue: Int64)
        /// The end of a deleted transaction, or a position from which recording resumed.
        case void(checkValue: Int64)

        package var checkValue: Int64? {
            switch self {
            case .header(let value), .void(let value): value
            case .none, .change, .partOfChange: nil
            }
        }
    }

    /// 0 if the history is empty.
    package var newest: Int64
    /// The highest deleted position, or 0.
    package var floor: Int64
    package var floorCheckValue: Int64?
    /// Where recording resumed after it was disabled or incomplete, or 0.
    package var gap: Int64
    package var row: Row
    /// What was deleted before the floor, if the position is before it and transactions may remain there.
    package var deletions: SelectiveDeletions?

    package init(
        newest: Int64 = 0, floor: Int64 = 0, floorCheckValue: Int64? = nil, gap: Int64 = 0, row: Row = .none
    ) {
        (self.newest, self.floor, self.floorCheckValue, self.gap, self.row) = (newest, floor, floorCheckValue, gap, row)
    }
}

/// Whether reading can continue from a position without missing changes: a pure function of the token and the facts. See
/// `Documentation/Design/0002-tokens-and-floor.md` for the rationale.
package struct HistoryTokenCheck: Sendable {
    package enum Failure: Hashable, Sendable {
        case ofAnotherStore, ahead, expired, gap, forked
    }

    /// The position of a transaction is that of a header, which follows its changes.
    private let hasHeaders: Bool
    /// What can undo a committed transaction, for errors.
    private let causeOfLoss: String

    package init(hasHeaders: Bool, causeOfLoss: String) {
        (self.hasHeaders, self.causeOfLoss) = (hasHeaders, causeOfLoss)
    }

    /// `nil` if reading can continue. Tokens of changes have no check value.
    ///
    /// - Parameters:
    ///   - isInclusive: Whether the transaction that ends at the position is requested too.
    ///   - skipsDeletions: Whether deleted transactions may be missing from the result if the position remains.
    package func failure(
        position: Int64?, checkValue: Int64?, isInclusive: Bool = false, _ facts: HistoryPositionFacts,
        skipsDeletions: Bool = false
    ) -> Failure? {
        let failure = completeFailure(position: position, checkValue: checkValue, isInclusive: isInclusive, facts)
        guard failure == .expired, skipsDeletions, let position, let deletions = facts.deletions else { return failure }
        return remainingFailure(position, checkValue, isInclusive: isInclusive, facts, deletions)
    }

    /// The position is before the floor, and transactions remain there.
    private func remainingFailure(
        _ position: Int64, _ checkValue: Int64?, isInclusive: Bool, _ facts: HistoryPositionFacts,
        _ deletions: SelectiveDeletions
    ) -> Failure? {
        let beginning = deletions.beginning
        let lowest = hasHeaders && checkValue == nil ? max(beginning - 1, 0) : beginning
        if position < lowest || isInclusive && position <= beginning && beginning > 0 { return .expired }
        if position < facts.gap { return .gap }
        if position <= beginning { return matches(checkValue, deletions.beginningCheckValue) ? nil : .forked }
        switch facts.row {
        case .none: return .expired
        case .partOfChange: return .forked
        case .change: return !hasHeaders ? .expired : checkValue == nil ? nil : .forked
        case .header(let expected): return matches(checkValue, expected) ? nil : .forked
        case .void(let expected): return isInclusive ? .expired : matches(checkValue, expected) ? nil : .forked
        }
    }

    private func completeFailure(
        position: Int64?, checkValue: Int64?, isInclusive: Bool, _ facts: HistoryPositionFacts
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
        case .header(let expected), .void(let expected): return matches(checkValue, expected) ? nil : .forked
        }
    }

    /// A token without a check value is only compared by position.
    private func matches(_ checkValue: Int64?, _ expected: Int64?) -> Bool {
        checkValue == nil || checkValue == expected
    }

    package static func failure(ofMissing position: Int64, _ facts: HistoryPositionFacts) -> Failure {
        position > facts.newest ? .ahead : position <= facts.floor ? .expired : .forked
    }

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
                detail:
                    "\(place) is before position \(facts.floor), up to which the history was deleted, completely or in "
                    + "part; \(again)")
        case .gap:
            return .historyTokenGap.with(
                detail:
                    "some changes between \(place) and position \(facts.gap) were not recorded, because the history "
                    + "was disabled or its triggers were changed; \(again)")
        case .forked:
            return .historyTokenForked.with(
                detail: "\(place) belongs to another transaction now: \(causeOfLoss) undid the token's transaction, "
                    + "and the store recorded others since; \(again)")
        }
    }
}

/// The history of a store as of one snapshot.
package protocol HistoryTokenChecking {
    static var tokenCheck: HistoryTokenCheck { get }

    func facts(at position: Int64) throws -> HistoryPositionFacts
}

extension HistoryTokenChecking {
    /// `nil` if reading can continue.
    package func failure(
        _ token: DefaultHistoryToken, storeIdentifier: String, skipping skipped: SkippedDeletions = .none
    ) throws -> HistoryTokenCheck.Failure? {
        let position = token.position(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        return Self.tokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), facts,
            skipsDeletions: try facts.deletions.map { try skipped.skips($0, after: position ?? 0) } ?? false)
    }

    /// See ``HistoryTokenCheck/failure(position:checkValue:isInclusive:_:skipsDeletions:)``.
    package func checkedPosition(
        _ token: DefaultHistoryToken, isInclusive: Bool = false, storeIdentifier: String,
        skipping skipped: SkippedDeletions = .none
    ) throws -> Int64 {
        try checkedFacts(token, isInclusive: isInclusive, storeIdentifier: storeIdentifier, skipping: skipped).position
    }

    package func checkedFacts(
        _ token: DefaultHistoryToken, isInclusive: Bool = false, storeIdentifier: String,
        skipping skipped: SkippedDeletions = .none
    ) throws -> (position: Int64, facts: HistoryPositionFacts) {
        try checkedFacts(token, isInclusive: isInclusive, storeIdentifier: storeIdentifier, skipping: skipped) { _ in
            false
        }
    }

    /// An upper bound may have been deleted, but has to be of this store's past: deleting up to a token must delete only
    /// transactions that its owner has seen.
    package func checkedUpperBound(_ token: DefaultHistoryToken, storeIdentifier: String) throws -> Int64 {
        try checkedFacts(token, isInclusive: false, storeIdentifier: storeIdentifier, skipping: .none) {
            $0 == .expired || $0 == .gap
        }.position
    }

    private func checkedFacts(
        _ token: DefaultHistoryToken, isInclusive: Bool, storeIdentifier: String, skipping skipped: SkippedDeletions,
        ignoring isIgnored: (HistoryTokenCheck.Failure) -> Bool
    ) throws -> (position: Int64, facts: HistoryPositionFacts) {
        let position = token.position(in: storeIdentifier)
        let facts = try facts(at: position ?? 0)
        let failure = Self.tokenCheck.failure(
            position: position, checkValue: token.checkValue(in: storeIdentifier), isInclusive: isInclusive, facts,
            skipsDeletions: try facts.deletions.map { try skipped.skips($0, after: position ?? 0) } ?? false)
        if let failure, !isIgnored(failure) { throw Self.tokenCheck.error(failure, position: position, facts) }
        guard let position else { throw Self.tokenCheck.error(.ofAnotherStore, position: nil, facts) }
        return (position, facts)
    }
}

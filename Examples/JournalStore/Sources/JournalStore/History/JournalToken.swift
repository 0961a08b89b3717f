import Chronicle

/// A position in the history of a ``JournalStore``: the number of the transaction before it, and the checksum of its
/// record, which detects when that transaction was lost and replaced.
public struct JournalToken: HistoryToken {
    public let storeIdentifier: String
    public let position: Int
    public let checksum: UInt32

    public var tokenValue: Int? { position }
    public var id: JournalToken { self }

    /// The position before the first transaction of a history.
    public static func start(of storeIdentifier: String) -> JournalToken {
        JournalToken(storeIdentifier: storeIdentifier, .start)
    }

    init(storeIdentifier: String, _ position: JournalPosition) {
        self.storeIdentifier = storeIdentifier
        self.position = position.number
        checksum = position.checksum
    }

    public static func < (a: JournalToken, b: JournalToken) -> Bool {
        (a.position, a.storeIdentifier, a.checksum) < (b.position, b.storeIdentifier, b.checksum)
    }
}

extension HistoryIndex {
    /// Throws an error unless the history contains everything after a token, and the token's own transaction if
    /// `isInclusive` is `true`.
    func validate(_ token: JournalToken, isInclusive: Bool, _ storeIdentifier: String) throws {
        try validatePosition(token, storeIdentifier)
        let floor = floor.number
        guard token.position < floor || isInclusive && token.position == floor && floor > 0 else { return }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "transactions up to \(floor) were deleted, the token is at \(token.position)",
            storeIdentifier: storeIdentifier)
    }

    /// Throws an error unless a token belongs to this store and its transaction was not lost.
    func validatePosition(_ token: JournalToken, _ storeIdentifier: String) throws {
        guard token.storeIdentifier == storeIdentifier else {
            throw SwiftDataError.historyTokenStoreMismatch.with(storeIdentifier: storeIdentifier)
        }
        guard token.position <= newest.number else {
            throw SwiftDataError.historyTokenAhead.with(storeIdentifier: storeIdentifier)
        }
        // A compaction removes checksums together with transactions. Such a token is expired in any case.
        guard let checksum = checksum(of: token.position), checksum != token.checksum else { return }
        throw SwiftDataError.historyTokenForked.with(
            detail: "another transaction has position \(token.position)", storeIdentifier: storeIdentifier)
    }
}

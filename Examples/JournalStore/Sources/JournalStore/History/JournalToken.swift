import Chronicle

/// A position in the history of a ``JournalStore``: the number of the transaction before it, and the checksum of its
/// record, by which a past that was taken back is recognised.
public struct JournalToken: HistoryToken {
    public let storeIdentifier: String
    public let position: Int
    public let check: UInt32

    public var tokenValue: Int? { position }
    public var id: JournalToken { self }

    /// The beginning of a history, before its first transaction.
    public static func start(of storeIdentifier: String) -> JournalToken {
        JournalToken(storeIdentifier: storeIdentifier, .start)
    }

    init(storeIdentifier: String, _ position: JournalPosition) {
        self.storeIdentifier = storeIdentifier
        self.position = position.number
        check = position.check
    }

    public static func < (a: JournalToken, b: JournalToken) -> Bool {
        (a.position, a.storeIdentifier, a.check) < (b.position, b.storeIdentifier, b.check)
    }
}

extension HistoryIndex {
    /// Whether everything after a token is still there; at the token, too, if its own transaction is wanted.
    func check(_ token: JournalToken, isWanted: Bool, _ storeIdentifier: String) throws {
        try checkPast(token, storeIdentifier)
        let floor = floor.number
        guard token.position < floor || isWanted && token.position == floor && floor > 0 else { return }
        throw SwiftDataError.historyTokenExpired.with(
            detail: "transactions up to \(floor) were deleted, the token is at \(token.position)",
            storeIdentifier: storeIdentifier)
    }

    /// Whether a token is of this store, and of the past that it has.
    func checkPast(_ token: JournalToken, _ storeIdentifier: String) throws {
        guard token.storeIdentifier == storeIdentifier else {
            throw SwiftDataError.historyTokenStoreMismatch.with(storeIdentifier: storeIdentifier)
        }
        guard token.position <= newest.number else {
            throw SwiftDataError.historyTokenAhead.with(storeIdentifier: storeIdentifier)
        }
        // Of what a compaction dropped no checksums are left: such a token is expired, and that is enough to know.
        guard let check = check(of: token.position), check != token.check else { return }
        throw SwiftDataError.historyTokenForked.with(
            detail: "another transaction stands at \(token.position)", storeIdentifier: storeIdentifier)
    }
}

/// Where a new ``HistoryConsumer`` begins to read, or where an existing one continues after it was moved.
public enum HistoryStart<Token: HistoryToken>: Hashable, Sendable {
    /// Before the first transaction. If the beginning of the history was deleted, the consumer receives a reset.
    case beginning
    /// After the newest transaction.
    case now
    /// With a reset and the models of the store, followed by the changes since. See ``HistoryBatch/Content/snapshot(_:)``.
    case snapshot
    /// After a token. If reading cannot continue from it, the consumer receives a reset.
    case token(Token)
}

/// Why a reader of the history must start over from the models. All but the last correspond to the errors that match
/// ``SwiftDataError/historyTokenExpired``.
public enum HistoryResetReason: String, Codable, Hashable, Sendable {
    /// Transactions after the position were deleted; see ``SwiftDataError/historyTokenExpired``.
    case expired
    /// The store contains another transaction at the position, or was replaced by an earlier copy of itself; see
    /// ``SwiftDataError/historyTokenForked``.
    case forked
    /// The position is after the newest transaction; see ``SwiftDataError/historyTokenAhead``.
    case ahead
    /// Changes after the position were not recorded; see ``SwiftDataError/historyTokenGap``.
    case gap
    /// The position belongs to another store; see ``SwiftDataError/historyTokenStoreMismatch``.
    case anotherStore
    /// The program requested it with ``HistoryStart/snapshot``, or a model class was renamed while the consumer read the models.
    case requested

    /// Creates the reason that corresponds to an error of a history fetch, or returns `nil` for any other error, to start over when
    /// the history cannot be read after a token.
    ///
    /// - Parameter error: The error that a history fetch threw.
    public init?(_ error: any Error) {
        guard let error = error as? SwiftDataError else { return nil }
        switch error.code {
        case .historyTokenExpired: self = .expired
        case .historyTokenForked: self = .forked
        case .historyTokenAhead: self = .ahead
        case .historyTokenGap: self = .gap
        case .historyTokenStoreMismatch: self = .anotherStore
        default: return nil
        }
    }
}

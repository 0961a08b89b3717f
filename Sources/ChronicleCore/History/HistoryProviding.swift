/// A store that remembers its changes.
///
/// A store adopts this beside ``DataStore``. What every conformance has to guarantee of its transactions, whoever reads
/// them and however: they come in commit order, none twice, none left out, never split; any token answers the
/// transactions after it, or an error of the family ``SwiftDataError/historyTokenExpired``.
public protocol HistoryProviding: AnyObject, Sendable {
    associatedtype HistoryType: HistoryTransaction

    /// The transactions that match, in commit order unless the descriptor sorts.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` (or a finer kind) for a token in the predicate that the store
    ///   cannot continue from exactly, ``SwiftDataError/unsupportedPredicate`` for what it cannot translate.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

    /// Deletes the transactions that match. The models are not touched.
    ///
    /// Tokens before the newest deleted transaction expire; the token of that transaction stays valid.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws

    /// The token of the newest transaction, deleted or not; `nil` when there never was one.
    func currentHistoryToken() throws -> HistoryType.TokenType?
}

/// A store that remembers its changes.
///
/// A store adopts this beside ``DataStore``. What every conformance has to guarantee of its transactions, whoever reads
/// them and however: they come in commit order, none twice, none left out, never split; any token answers the
/// transactions after it, or an error of the family ``SwiftDataError/historyTokenExpired``.
@preconcurrency
public protocol HistoryProviding<HistoryType>: AnyObject, Sendable {
    /// The type of the transactions.
    associatedtype HistoryType: HistoryTransaction

    /// The type of the transactions; ``HistoryType`` by default.
    static var historyType: HistoryType.Type { get }

    /// Whether the store records what happens. One that was told not to is passed over where another store of the
    /// container has a history, and answers ``SwiftDataError/historyDisabled`` where none has. `true` by default.
    var recordsHistory: Bool { get }

    /// The transactions that match, in commit order unless the descriptor sorts.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` (or a finer kind) for a token in the predicate that the store
    ///   cannot continue from exactly, ``SwiftDataError/unsupportedPredicate`` for what it cannot translate.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

    /// Deletes the transactions that match. The models are not touched.
    ///
    /// Tokens before the newest deleted transaction expire; the token of that transaction stays valid. A store that
    /// cannot delete what is asked for (from the middle of an append-only file, say) deletes nothing and throws.
    ///
    /// - Throws: ``DataStoreError/unsupportedFeature``; ``SwiftDataError/historyTokenStoreMismatch`` and
    ///   ``SwiftDataError/historyTokenAhead`` for a token that is not of this store's past; what kept the store from
    ///   writing.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws

    /// The position of now: the token of the newest transaction, deleted or not. In a store without transactions the place
    /// before the first, which notices when history is recorded and deleted before somebody looks again; `nil` for a
    /// store that has no token for it.
    ///
    /// - Throws: ``SwiftDataError/historyDisabled``, and what else keeps the store from answering.
    func currentHistoryToken() throws -> HistoryType.TokenType?

    /// How many transactions match. The default counts what ``fetchHistory(_:)`` returns.
    func fetchHistoryCount(_ descriptor: HistoryDescriptor<HistoryType>) throws -> Int

    /// The identifiers of the transactions that match. The default asks ``fetchHistory(_:)``.
    func fetchHistoryIdentifiers(
        _ descriptor: HistoryDescriptor<HistoryType>
    ) throws -> [HistoryType.TransactionIdentifier]

    /// The transactions that match, with empty ``HistoryTransaction/changes`` where the store can leave them out. The
    /// default does not.
    func fetchHistoryWithoutChanges(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
}

extension HistoryProviding {
    public static var historyType: HistoryType.Type { HistoryType.self }

    public var recordsHistory: Bool { true }

    public func currentHistoryToken() throws -> HistoryType.TokenType? {
        try fetchHistory(HistoryDescriptor()).last?.token
    }

    public func fetchHistoryCount(_ descriptor: HistoryDescriptor<HistoryType>) throws -> Int {
        try fetchHistory(descriptor).count
    }

    public func fetchHistoryIdentifiers(
        _ descriptor: HistoryDescriptor<HistoryType>
    ) throws -> [HistoryType.TransactionIdentifier] {
        try fetchHistory(descriptor).map(\.transactionIdentifier)
    }

    public func fetchHistoryWithoutChanges(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType] {
        try fetchHistory(descriptor)
    }
}

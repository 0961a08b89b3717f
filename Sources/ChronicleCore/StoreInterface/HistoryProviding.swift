public import Foundation

/// A store that records a history of its changes.
///
/// Adopt this protocol in addition to ``DataStore``. A conforming store must meet these requirements for every reader:
///
/// - A fetch returns transactions in commit order, each once, without omissions, and with all their changes.
/// - A fetch with a token returns exactly the transactions after the token, or throws an error that matches
///   ``SwiftDataError/historyTokenExpired``. If transactions after the token were deleted, it throws the error, at least for a
///   descriptor with ``HistoryDescriptor/requiresCompleteHistory``.
@preconcurrency
public protocol HistoryProviding<HistoryType>: AnyObject, Sendable {
    /// The type of the transactions that the store returns.
    associatedtype HistoryType: HistoryTransaction

    /// The type of the transactions that the store returns. The default is ``HistoryType``.
    static var historyType: HistoryType.Type { get }

    /// Whether the store records changes; `true` by default. A context skips other stores, and throws
    /// ``SwiftDataError/historyDisabled`` if no store of the container records changes.
    var recordsHistory: Bool { get }

    /// Returns the transactions that match a descriptor, in commit order unless the descriptor has sort descriptors.
    ///
    /// - Parameter descriptor: The criteria, sort order and limits.
    /// - Returns: The matching transactions.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or a more specific error that it matches, if the store cannot return
    ///   exactly the transactions after a token in the predicate; ``SwiftDataError/unsupportedPredicate`` if it does not support
    ///   the predicate; ``SwiftDataError/historyDisabled`` if it does not record changes.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

    /// Deletes the transactions that match a descriptor. The models remain unchanged.
    ///
    /// Tokens before the newest deleted transaction expire; the token of that transaction remains valid. For descriptors without
    /// ``HistoryDescriptor/requiresCompleteHistory``, the tokens of transactions that remain may be valid, too, if no deleted
    /// transaction is missing unnoticed; see ``DefaultHistoryTransaction/followsDeletion``. If the store cannot delete
    /// the matching transactions, for example from the middle of an append-only file, it deletes none and throws an error.
    ///
    /// - Parameter descriptor: The criteria, sort order and limits.
    /// - Throws: ``DataStoreError/unsupportedFeature`` if the store cannot delete the transactions;
    ///   ``SwiftDataError/historyTokenStoreMismatch`` or ``SwiftDataError/historyTokenAhead`` for a token that is not part of the
    ///   history of this store; or the error that prevented the delete, such as ``SwiftDataError/storeBusy``.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws

    /// Returns the token of the newest transaction, even if that transaction was deleted.
    ///
    /// If the store has not recorded a transaction, return the position before the first transaction. This token expires if
    /// transactions are recorded and deleted later. The default implementation fetches all transactions.
    ///
    /// - Returns: The token, or `nil` if the store has no token for the position before the first transaction.
    /// - Throws: ``SwiftDataError/historyDisabled`` if the store does not record changes, or the error that prevented the store
    ///   from reading.
    func currentHistoryToken() throws -> HistoryType.TokenType?

    /// Returns the token of the position before the first transaction that the history contains: the last transaction of its
    /// deleted beginning, or the position before the first transaction ever if the beginning was not deleted.
    ///
    /// Transactions after the position can be missing: if recording was interrupted later, reading after the token throws
    /// ``SwiftDataError/historyTokenGap``. A read of several stores without a token begins at this position in each store. The
    /// default implementation returns `nil`.
    ///
    /// - Returns: The token, or `nil` if the store has no token for that position.
    /// - Throws: ``SwiftDataError/historyDisabled`` if the store does not record changes, or the error that prevented the store
    ///   from reading.
    func earliestHistoryToken() throws -> HistoryType.TokenType?

    /// Returns the number of transactions that match a descriptor. The default implementation calls
    /// ``fetchHistory(_:)``.
    ///
    /// - Parameter descriptor: The criteria, sort order and limits.
    /// - Returns: The number of matching transactions, within the limits of the descriptor.
    /// - Throws: The errors of ``fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    func fetchHistoryCount(_ descriptor: HistoryDescriptor<HistoryType>) throws -> Int

    /// Returns the identifiers of the transactions that match a descriptor. The default implementation calls
    /// ``fetchHistory(_:)``.
    ///
    /// - Parameter descriptor: The criteria, sort order and limits.
    /// - Returns: The identifiers, in the order of ``fetchHistory(_:)``.
    /// - Throws: The errors of ``fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    func fetchHistoryIdentifiers(
        _ descriptor: HistoryDescriptor<HistoryType>
    ) throws -> [HistoryType.TransactionIdentifier]

    /// Returns the transactions that match a descriptor, with empty ``HistoryTransaction/changes`` if the store can
    /// omit them. The default implementation calls ``fetchHistory(_:)`` and includes the changes.
    ///
    /// - Parameter descriptor: The criteria, sort order and limits.
    /// - Returns: The matching transactions.
    /// - Throws: The errors of ``fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    func fetchHistoryWithoutChanges(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

    /// Returns a part of the history of one model.
    ///
    /// The default implementation selects the changes of the model from those of all transactions, which takes O(*n*) time for all
    /// pages together, where *n* is the length of the history. Implement this method if the store finds them faster, for example
    /// with an index. Ignore ``ModelHistoryRequest/attributeName``; the context omits the other changes. The model may belong to an
    /// entity that the schema no longer contains.
    ///
    /// - Parameter request: The model, the order, and the place at which the page begins.
    /// - Returns: At most ``ModelHistoryRequest/limit`` changes. A store that cannot begin at the newest change may return all
    ///   changes as one page in descending order. If the page has a continuation, the page that begins there must not repeat or
    ///   omit changes.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family, if changes after the continuation of the
    ///   request were deleted or are not part of the history; ``SwiftDataError/historyDisabled`` if the store does not record
    ///   changes; or the error that prevented the store from reading.
    func fetchModelHistory(_ request: ModelHistoryRequest<HistoryType>) throws -> ModelHistoryPage<HistoryType>

    /// Returns a store with the models as they were at a position, for ``ModelContext/init(_:asOf:)-(_,Token)``.
    ///
    /// Declare the capability ``DataStoreCapabilities/earlierPositions`` as well. The returned store has the same
    /// ``DataStore/identifier`` and ``DataStore/schema``, so that a model has the same identifier at every position. Its fetches
    /// return the rows as they were after the transaction of the token, whatever other contexts and programs save meanwhile. If a
    /// fetch needs a value that the history does not contain, it must throw ``SwiftDataError/historyValueMissing``; it must also
    /// throw this error if relationships of the returned rows reach such a value, because properties cannot throw. Contexts do not
    /// save to the store.
    ///
    /// - Parameter token: The position.
    /// - Returns: The store as of the position.
    /// - Throws: ``SwiftDataError/historyTokenExpired``, or a more specific error that it matches, if the history after the
    ///   position is incomplete or the token has no position in this store; ``SwiftDataError/historyDisabled`` if the store does
    ///   not record changes. ``DataStoreError/unsupportedFeature`` in the default implementation.
    func store(asOf token: HistoryType.TokenType) throws -> any DataStore

    /// Returns the token of the last transaction before the first one with a later timestamp.
    ///
    /// If all transactions are later, return the position before the first one. The default implementation fetches all transactions
    /// without their changes.
    ///
    /// - Parameter date: The date.
    /// - Returns: The token of the position that the store had at the date, according to the timestamps.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if the position cannot be determined because transactions were deleted;
    ///   ``SwiftDataError/historyTokenGap`` if it cannot be determined because changes before the date were not recorded;
    ///   ``SwiftDataError/historyDisabled`` if the store does not record changes.
    func historyToken(asOf date: Date) throws -> HistoryType.TokenType
}

extension HistoryProviding {
    public static var historyType: HistoryType.Type { HistoryType.self }

    public var recordsHistory: Bool { true }

    public func currentHistoryToken() throws -> HistoryType.TokenType? {
        try fetchHistory(HistoryDescriptor()).last?.token
    }

    public func earliestHistoryToken() throws -> HistoryType.TokenType? { nil }

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

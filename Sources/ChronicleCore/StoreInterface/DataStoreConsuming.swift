import Foundation

/// A store with a history that keeps the positions of consumers, so that programs can create a ``HistoryConsumer`` for it.
///
/// The store keeps one ``HistoryConsumerRecord`` for each consumer, durably and beside the models, so that a save can commit
/// together with an acknowledgement. Chronicle decides what the records contain. In ``DataStore/save(_:)``, apply the
/// ``DataStoreSaveChangesRequest/acknowledgement`` of the request in the same transaction as the changes. If it throws, the save
/// must throw the error and change nothing.
public protocol DataStoreConsuming<HistoryType>: DataStore, HistoryProviding {
    /// Returns the records of all consumers, ordered by name.
    ///
    /// - Returns: The records.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func consumerRecords() throws -> [HistoryConsumerRecord<HistoryType.TokenType>]

    /// Returns the record of a consumer. The default implementation calls ``consumerRecords()``.
    ///
    /// - Parameter name: The name of the consumer.
    /// - Returns: The record, or `nil` if there is no consumer of this name.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func consumerRecord(named name: String) throws -> HistoryConsumerRecord<HistoryType.TokenType>?

    /// Reads, changes and writes the record of a consumer in one transaction, without recording it in the history.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - isDurable: Whether the change must survive a power failure when the method returns. If it is `false`, the change must
    ///     survive only a kill of the process.
    ///   - update: A closure that receives the record, or `nil` if there is none. If it sets the record to `nil`, remove the
    ///     record.
    /// - Returns: The result of `update`.
    /// - Throws: The error that `update` throws, ``SwiftDataError/duplicateHistoryConsumer`` if another record has a name that
    ///   `update` sets, or the error that prevented the store from writing. The record must be unchanged after an error.
    func updateConsumer<Result: Sendable>(
        named name: String, isDurable: Bool,
        _ update: (inout HistoryConsumerRecord<HistoryType.TokenType>?) throws -> Result
    ) throws -> Result

    /// Locks a consumer, so that no other instance in this or another process can read for it.
    ///
    /// The lock must be released when the process ends for any reason. The default implementation locks the consumer in this
    /// process only, which is enough for a store that no other process can open.
    ///
    /// - Parameter name: The name of an existing consumer.
    /// - Returns: An object that holds the lock until it is released, or `nil` if another instance holds the lock.
    /// - Throws: The error that prevented the store from locking, such as ``SwiftDataError/storeFailure``.
    func lockConsumer(named name: String) throws -> (any AnyObject & Sendable)?

    /// The token of the position before the first transaction, or `nil` if the store cannot represent it.
    ///
    /// Reading after this token must throw ``SwiftDataError/historyTokenExpired`` if transactions were deleted. The
    /// default implementation returns `nil`; reading then begins with the oldest transaction that exists.
    var initialHistoryToken: HistoryType.TokenType? { get }

    /// Returns transactions from the beginning of a fetch result until they contain a number of changes.
    ///
    /// The default implementation fetches as many transactions as the number of changes. Implement the method to limit the memory
    /// that a page of large transactions takes. A store that conforms to ``HistoryPaging`` can return a transaction of any size;
    /// see ``HistoryPage/init(largeTransaction:)``.
    ///
    /// - Parameters:
    ///   - descriptor: The transactions to fetch, without sort descriptors, limit and offset.
    ///   - changeCount: The number of changes, at least 1, after which the page ends. It contains at least one transaction if any
    ///     matches, and never a part of a transaction.
    /// - Returns: The transactions, and whether more transactions may match.
    /// - Throws: The errors of ``HistoryProviding/fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    func fetchHistoryPage(
        _ descriptor: HistoryDescriptor<HistoryType>, changeCount: Int
    ) throws -> HistoryPage<HistoryType>

    /// Returns the number of changes after a token, or an upper bound that takes less time to determine. The default implementation
    /// fetches the changes.
    ///
    /// - Parameter token: The token, or `nil` for the beginning of the history.
    /// - Returns: The number of changes.
    /// - Throws: The errors of ``HistoryProviding/fetchHistory(_:)``, such as ``SwiftDataError/historyTokenExpired``.
    func estimatedChangeCount(after token: HistoryType.TokenType?) throws -> Int

    /// Returns the identifiers of the models of an entity in ascending order. The default implementation fetches and sorts all of
    /// them.
    ///
    /// - Parameters:
    ///   - entity: An entity of the store's schema.
    ///   - identifier: The identifier after which to begin, or `nil` for the first model. The model may not exist.
    ///   - limit: The maximum number of identifiers.
    /// - Returns: The identifiers.
    /// - Throws: The error that prevented the store from reading, such as ``SwiftDataError/storeBusy``.
    func identifiers(
        of entity: Schema.Entity, after identifier: PersistentIdentifier?, limit: Int
    ) throws -> [PersistentIdentifier]
}

/// A part of the history, from the beginning of a fetch result.
public struct HistoryPage<Transaction: HistoryTransaction>: Sendable {
    /// The transactions with their changes.
    public let transactions: [Transaction]
    /// Whether more transactions may match. If it is `false`, the page contains all that did when it was read.
    public let hasMore: Bool
    /// The only transaction of the page, without its changes, if it is too large to be read at once.
    public let largeTransaction: Transaction?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - transactions: The transactions with their changes.
    ///   - hasMore: Whether more transactions may match.
    public init(transactions: [Transaction], hasMore: Bool) {
        self.transactions = transactions
        self.hasMore = hasMore
        largeTransaction = nil
    }

    /// Creates a page of one transaction whose changes are read with ``HistoryPaging/fetchHistoryChanges(_:)``.
    ///
    /// Only stores that conform to ``HistoryPaging`` may return such a page, for the first transaction that matches, if it has more
    /// than ``largestTransaction(inPageOf:)`` changes. If others precede it, return them, and this one in the next page.
    ///
    /// - Parameter largeTransaction: The transaction without its changes.
    public init(largeTransaction: Transaction) {
        transactions = []
        hasMore = true
        self.largeTransaction = largeTransaction
    }

    /// Returns the number of changes up to which a page contains a transaction as a whole: 10,000 or the number of
    /// changes of the page, whichever is larger.
    ///
    /// - Parameter changeCount: The number of changes after which the page ends.
    /// - Returns: The number of changes.
    public static func largestTransaction(inPageOf changeCount: Int) -> Int { max(changeCount, 10_000) }
}

extension DataStoreConsuming {
    public var initialHistoryToken: HistoryType.TokenType? { nil }

    public func consumerRecord(named name: String) throws -> HistoryConsumerRecord<HistoryType.TokenType>? {
        try consumerRecords().first { $0.name.hasSameBytes(as: name) }
    }

    public func lockConsumer(named name: String) throws -> (any AnyObject & Sendable)? {
        HistoryConsumerLock(storeIdentifier: identifier, name: name)
    }

    public func fetchHistoryPage(
        _ descriptor: HistoryDescriptor<HistoryType>, changeCount: Int
    ) throws -> HistoryPage<HistoryType> {
        let limit = max(changeCount, 1)
        var descriptor = descriptor
        let isLimited = descriptor.fetchLimit > 0 && descriptor.fetchLimit <= UInt64(limit)
        if !isLimited { descriptor.fetchLimit = UInt64(limit) }
        let fetched = try fetchHistory(descriptor)
        var count = 0
        let end = fetched.firstIndex { transaction in
            count += transaction.changes.count
            return count >= limit
        }
        // Transactions may have no changes, so the fetch can end before the number is reached.
        guard let end else { return HistoryPage(transactions: fetched, hasMore: !isLimited && fetched.count >= limit) }
        let isComplete = isLimited && end == fetched.count - 1
        return HistoryPage(transactions: Array(fetched[...end]), hasMore: !isComplete)
    }

    public func estimatedChangeCount(after token: HistoryType.TokenType?) throws -> Int {
        try fetchHistory(token.map { .after($0) } ?? HistoryDescriptor()).reduce(0) { $0 + $1.changes.count }
    }

    public func identifiers(
        of entity: Schema.Entity, after identifier: PersistentIdentifier?, limit: Int
    ) throws -> [PersistentIdentifier] {
        func all<Model: PersistentModel>(_: Model.Type) throws -> [PersistentIdentifier] {
            try fetchIdentifiers(
                DataStoreFetchRequest<Model>(
                    descriptor: FetchDescriptor(), editingState: EditingState(id: UUID())))
        }
        let sorted = try all(entity.type).sorted()
        guard let identifier else { return Array(sorted.prefix(limit)) }
        return Array(sorted.drop { $0 <= identifier }.prefix(limit))
    }
}

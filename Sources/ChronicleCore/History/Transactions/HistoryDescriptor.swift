public import Foundation

/// The criteria, sort order and limits of a history fetch or delete.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///     predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) })
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
    /// The condition that the transactions match, or `nil` for all transactions.
    public var predicate: Predicate<TransactionType>?
    /// The sort descriptors. If the array is empty, the transactions are in commit order.
    public var sortBy: [SortDescriptor<TransactionType>]
    /// The maximum number of transactions; 0 and `.max` mean no limit. A transaction always contains all its changes.
    public var fetchLimit: UInt64 = 0
    /// The number of transactions to skip at the beginning.
    public var fetchOffset: UInt64 = 0
    /// Whether a token in the predicate expires if any transaction after it was deleted; `false` by default.
    ///
    /// By default, a token expires only if its own transaction was deleted, or the beginning of the history up to it. Transactions
    /// that were deleted between the others are skipped; ``DefaultHistoryTransaction/followsDeletion`` tells where. Set this
    /// property if a missing transaction matters, for example to a copy of the models. The fetch then throws
    /// ``SwiftDataError/historyTokenExpired``, unless the predicate excludes the authors of all deleted transactions.
    ///
    /// Deletes ignore this property. Stores other than ``DefaultStore`` and the PostgreSQL store may always act as if it were
    /// `true`.
    public var requiresCompleteHistory = false

    /// Creates a history descriptor.
    ///
    /// - Parameters:
    ///   - predicate: The condition that the transactions match, or `nil` for all transactions.
    ///   - sortBy: The sort descriptors. If the array is empty, the transactions are in commit order.
    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

extension HistoryDescriptor: CustomDebugStringConvertible {
    /// The transactions and the limits of the fetch, without values of the predicate. The format may change.
    public var debugDescription: String {
        "HistoryDescriptor<\(TransactionType.self)>(predicate: \(predicate == nil ? "none" : "set"), "
            + "sortBy: \(sortBy.count), fetchLimit: \(fetchLimit), fetchOffset: \(fetchOffset))"
    }
}

extension HistoryDescriptor {
    var complete: HistoryDescriptor {
        var descriptor = self
        descriptor.requiresCompleteHistory = true
        return descriptor
    }
}

// Counterparts of the factory methods of Core Data's `NSPersistentHistoryChangeRequest`, for calls such as
// `context.fetchHistory(.after(token))` and `context.deleteHistory(.before(date))`.
extension HistoryDescriptor where TransactionType == DefaultHistoryTransaction {
    /// Returns a descriptor for the transactions after a token, which a reader has not processed.
    ///
    /// - Parameter token: The position that the reader reached.
    /// - Returns: A descriptor with the predicate `transaction.token > token`.
    public static func after(_ token: DefaultHistoryToken) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.token > token })
    }

    /// Returns a descriptor for the transactions up to and including a token, which a reader has processed.
    ///
    /// - Parameter token: The position that the reader reached.
    /// - Returns: A descriptor with the predicate `transaction.token <= token`.
    public static func before(_ token: DefaultHistoryToken) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.token <= token })
    }

    /// Returns a descriptor for the transactions with a timestamp after a date, by the clocks of the processes that saved. Use a
    /// token to continue where a reader stopped.
    ///
    /// - Parameter date: The date.
    /// - Returns: A descriptor with the predicate `transaction.timestamp > date`.
    public static func after(_ date: Date) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.timestamp > date })
    }

    /// Returns a descriptor for the transactions with a timestamp before a date, by the clocks of the processes that saved.
    ///
    /// - Parameter date: The date.
    /// - Returns: A descriptor with the predicate `transaction.timestamp < date`.
    public static func before(_ date: Date) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.timestamp < date })
    }

    /// Returns a descriptor for the transactions that were committed after a transaction. If it was read from several stores, they
    /// include those of other stores that follow it in the order of ``ModelContext/fetchHistory(_:)``.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: A descriptor for the transactions after the token of the transaction.
    public static func after(_ transaction: DefaultHistoryTransaction) -> HistoryDescriptor {
        after(transaction.token)
    }

    /// Returns a descriptor for the transactions that were committed to the same store before a transaction.
    ///
    /// - Parameter transaction: The transaction.
    /// - Returns: A descriptor for the earlier transactions of the same store.
    public static func before(_ transaction: DefaultHistoryTransaction) -> HistoryDescriptor {
        let (store, identifier) = (transaction.storeIdentifier, transaction.transactionIdentifier)
        return HistoryDescriptor(
            predicate: #Predicate { $0.storeIdentifier == store && $0.transactionIdentifier < identifier })
    }
}

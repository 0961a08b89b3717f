public import Foundation

/// Which transactions, in what order, how many.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///     predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) })
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
    /// Which transactions; `nil` for all.
    public var predicate: Predicate<TransactionType>?
    /// The order; ascending commit order when empty.
    public var sortBy: [SortDescriptor<TransactionType>]
    /// At most this many transactions; 0 and `.max` mean no limit. A transaction is never split.
    public var fetchLimit: UInt64 = 0
    /// Leaves out this many of the first.
    public var fetchOffset: UInt64 = 0

    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

// What Core Data's persistent history asks for in one call: `context.fetchHistory(.after(token))`,
// `context.deleteHistory(.before(date))`.
extension HistoryDescriptor where TransactionType == DefaultHistoryTransaction {
    /// Everything after a position: what a reader has not seen.
    public static func after(_ token: DefaultHistoryToken) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.token > token })
    }

    /// Everything up to a position: what a reader has seen. Together with ``after(_:)-(DefaultHistoryToken)`` the whole.
    public static func before(_ token: DefaultHistoryToken) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.token <= token })
    }

    /// The transactions with a later timestamp. By the writers' clocks: to continue where a reader stopped, use a token.
    public static func after(_ date: Date) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.timestamp > date })
    }

    /// The transactions with an earlier timestamp, by the writers' clocks.
    public static func before(_ date: Date) -> HistoryDescriptor {
        HistoryDescriptor(predicate: #Predicate { $0.timestamp < date })
    }

    /// The transactions that were committed to the same store later than this one. Its token knows no other store: where
    /// there are several, that is ``SwiftDataError/historyTokenStoreMismatch``, and a merged token is what to ask with.
    public static func after(_ transaction: DefaultHistoryTransaction) -> HistoryDescriptor {
        after(transaction.token)
    }

    /// The transactions that were committed to the same store earlier than this one.
    public static func before(_ transaction: DefaultHistoryTransaction) -> HistoryDescriptor {
        let (store, identifier) = (transaction.storeIdentifier, transaction.transactionIdentifier)
        return HistoryDescriptor(
            predicate: #Predicate { $0.storeIdentifier == store && $0.transactionIdentifier < identifier })
    }
}

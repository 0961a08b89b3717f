public import Foundation

/// Which transactions, in what order, how many.
///
/// ```swift
/// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
///     predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) })
/// ```
public struct HistoryDescriptor<Transaction: HistoryTransaction>: Sendable {
    /// Which transactions; `nil` for all.
    public var predicate: Predicate<Transaction>?
    /// The order; ascending commit order when empty.
    public var sortBy: [SortDescriptor<Transaction>]
    /// At most this many transactions; 0 and `.max` mean no limit. A transaction is never split.
    public var fetchLimit: UInt64 = 0
    /// Leaves out this many of the first.
    public var fetchOffset: UInt64 = 0

    public init(predicate: Predicate<Transaction>? = nil, sortBy: [SortDescriptor<Transaction>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

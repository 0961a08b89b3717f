import Foundation

extension HistoryDescriptor {
    /// Returns the transactions that match the descriptor, in its order and within its limits.
    ///
    /// Use it in a store that filters its history in memory. This method only compares tokens. Before you call it,
    /// check with ``HistoryTokenBounds`` whether the tokens in the predicate are still valid.
    ///
    /// - Parameter transactions: The transactions in commit order.
    /// - Returns: The matching transactions.
    /// - Throws: The error that evaluating the predicate throws; rewrite the predicate.
    /// - Complexity: O(*n*), where *n* is the number of transactions, plus the cost of sorting.
    public func apply(to transactions: [TransactionType]) throws -> [TransactionType] {
        var matches = transactions
        if let predicate { matches = try matches.filter { try predicate.evaluate($0) } }
        if !sortBy.isEmpty { matches.sort(using: sortBy) }
        return slice(matches)
    }
}

// Descriptors for the transactions of any store.
extension HistoryDescriptor {
    /// Returns a descriptor for the transactions after a token, which a reader has not processed.
    ///
    /// - Parameter token: The position that the reader reached.
    /// - Returns: A descriptor with the predicate `transaction.token > token`.
    public static func after(_ token: TransactionType.TokenType) -> HistoryDescriptor {
        HistoryDescriptor(
            predicate: Predicate { transaction in
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_KeyPath(root: transaction, keyPath: \.token),
                    rhs: PredicateExpressions.build_Arg(token), op: .greaterThan)
            })
    }

    /// Returns a descriptor for the transactions up to and including a token, which a reader has processed.
    ///
    /// - Parameter token: The position that the reader reached.
    /// - Returns: A descriptor with the predicate `transaction.token <= token`.
    public static func before(_ token: TransactionType.TokenType) -> HistoryDescriptor {
        HistoryDescriptor(
            predicate: Predicate { transaction in
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_KeyPath(root: transaction, keyPath: \.token),
                    rhs: PredicateExpressions.build_Arg(token), op: .lessThanOrEqual)
            })
    }
}

import Foundation

extension HistoryDescriptor {
    /// What the descriptor asks for among transactions that a store has at hand: those that match, in order, within the
    /// limits. For stores whose histories are short, or were narrowed down before.
    ///
    /// Tokens are compared, and nothing else: whether they can still be continued from is for the store to know, see
    /// ``HistoryTokenBounds``.
    ///
    /// - Parameter transactions: Transactions in commit order.
    /// - Throws: What the predicate throws.
    public func apply(to transactions: [TransactionType]) throws -> [TransactionType] {
        var answer = transactions
        if let predicate { answer = try answer.filter { try predicate.evaluate($0) } }
        if !sortBy.isEmpty { answer.sort(using: sortBy) }
        return slice(answer)
    }
}

// For transactions of any store.
extension HistoryDescriptor {
    /// Everything after a position: what a reader has not seen.
    public static func after(_ token: TransactionType.TokenType) -> HistoryDescriptor {
        HistoryDescriptor(
            predicate: Predicate { transaction in
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_KeyPath(root: transaction, keyPath: \.token),
                    rhs: PredicateExpressions.build_Arg(token), op: .greaterThan)
            })
    }

    /// Everything up to a position: what a reader has seen. Together with ``after(_:)`` the whole.
    public static func before(_ token: TransactionType.TokenType) -> HistoryDescriptor {
        HistoryDescriptor(
            predicate: Predicate { transaction in
                PredicateExpressions.build_Comparison(
                    lhs: PredicateExpressions.build_KeyPath(root: transaction, keyPath: \.token),
                    rhs: PredicateExpressions.build_Arg(token), op: .lessThanOrEqual)
            })
    }
}

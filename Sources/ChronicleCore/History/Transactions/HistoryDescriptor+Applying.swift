import Foundation

extension HistoryDescriptor {
    /// Returns the transactions that match the descriptor, in its order and within its limits, for a store that filters its history
    /// in memory.
    ///
    /// This method only compares tokens. Before, check with ``HistoryTokenBounds`` whether those of the predicate are still valid.
    ///
    /// - Parameter transactions: The transactions in commit order.
    /// - Returns: The matching transactions.
    /// - Throws: The error that evaluating the predicate throws; rewrite the predicate.
    /// - Complexity: O(*n*), where *n* is the number of transactions, plus the cost of sorting.
    public func apply(to transactions: [TransactionType]) throws -> [TransactionType] {
        var matches = transactions
        if let predicate { matches = try matches.filter(Self.condition(predicate)) }
        if !sortBy.isEmpty { matches.sort(using: sortBy) }
        return slice(matches)
    }

    /// The closure has the results of the stores' SQL for default transactions.
    private static func condition(
        _ predicate: Predicate<TransactionType>
    ) throws -> (TransactionType) throws -> Bool {
        guard TransactionType.self == DefaultHistoryTransaction.self else { return { try predicate.evaluate($0) } }
        let tree: PredicateTree<HistoryProperty>
        do { tree = try PredicateWalker.tree(of: predicate, HistoryKeyPaths()) } catch let error as SwiftDataError
            where SwiftDataError.unsupportedPredicate ~= error
        {
            return { try predicate.evaluate($0) }
        }
        let condition = TreeEvaluator(objects: HistoryObjects()).condition(tree)
        return { transaction in
            guard let transaction = transaction as? DefaultHistoryTransaction else { return false }
            let frame = TreeEvaluator<HistoryObjects>.Frame(.object(.transaction(transaction)))
            do { return try condition(frame) } catch is UndefinedValue { return false }
        }
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

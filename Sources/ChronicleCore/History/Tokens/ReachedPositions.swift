/// The positions that a read of several stores reached.
struct ReachedPositions<Transaction: HistoryTransaction> {
    private var tokens: [Transaction.TokenType]

    /// - Parameter tokens: The positions at which the read begins.
    init(_ tokens: [Transaction.TokenType]) { self.tokens = tokens }

    /// Returns the transaction with a token that has the positions in all stores.
    mutating func advance(past transaction: Transaction) -> Transaction {
        let transaction = tokens.reduce(transaction) { $0.addingPositions(of: $1) }
        tokens = [transaction.token]
        return transaction
    }
}

extension Array {
    /// Returns the position in each store from which its history is complete. If a store does not know it, the position is the one
    /// before the first transaction, which expires if transactions were deleted.
    func earliestTokens<Transaction: HistoryTransaction>() throws -> [Transaction.TokenType]
    where Element == any HistoryProviding<Transaction> {
        try compactMap { provider in
            if let token = try attributingErrors(to: provider, { try provider.earliestHistoryToken() }) { return token }
            guard let store = provider as? any DataStore else { return nil }
            return DefaultHistoryToken(storeIdentifier: store.identifier, position: 0) as? Transaction.TokenType
        }
    }
}

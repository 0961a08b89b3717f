import Chronicle
import Foundation

public struct TripHistory<Transaction: HistoryTransaction> {
    public typealias Token = Transaction.TokenType

    let context: ModelContext

    public init(_ context: ModelContext) {
        self.context = context
    }

    public func currentToken() throws -> Token? {
        try context.currentHistoryTokens(for: Transaction.self).values.first
    }

    public func findTransactions(after token: Token?, author: String?) throws -> [Transaction] {
        var descriptor = HistoryDescriptor<Transaction>()
        if let token {
            descriptor.predicate = #Predicate { transaction in
                (transaction.token > token) && (transaction.author == author)
            }
        } else {
            descriptor.predicate = #Predicate { $0.author == author }
        }
        return try context.fetchHistory(descriptor)
    }
}

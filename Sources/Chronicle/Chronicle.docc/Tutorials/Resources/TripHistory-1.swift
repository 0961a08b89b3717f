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
}

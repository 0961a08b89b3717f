import Chronicle
import ChronicleHTTP
import Foundation

/// The transactions after a token, for one client.
///
/// A client stores the token of a transaction together with its effect, in one transaction of the client's database. After any
/// interruption, of the client, of the server or between them, it continues after that token: nothing is lost, and nothing is
/// repeated. The server keeps nothing about its clients.
struct ChangeFeed {
    private let store: TripStore
    private var token: DefaultHistoryToken
    private let commits: WakePipe
    /// The handler keeps the pipe open.
    private let observation: CommitObservation?

    /// More are sent in the next response or event.
    private static let transactionsPerRead = 100

    init(_ store: TripStore, after token: DefaultHistoryToken) throws {
        (self.store, self.token) = (store, token)
        let pipe = try WakePipe()
        commits = pipe
        // Before reading, so that no commit is missed, of any process.
        observation = try (store.container.stores[0] as? any DataStoreNotifying)?.observeCommits { pipe.wake() }
    }

    /// Throws an error that matches ``SwiftDataError/historyTokenExpired`` if the history after the token is incomplete.
    private mutating func next() throws -> [TransactionContent] {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        descriptor.fetchLimit = UInt64(Self.transactionsPerRead)
        descriptor.requiresCompleteHistory = true
        let transactions = try ModelContext(store.container).fetchHistory(descriptor)
        if let last = transactions.last { token = last.token }
        return transactions.map { TransactionContent($0, $0.changes, in: store) }
    }

    // MARK: Long poll

    private struct Page: Encodable {
        let token: String
        let transactions: [TransactionContent]
    }

    /// Sends the next transactions when there are some, or none after a time.
    mutating func sendPage(to connection: HTTPConnection, wait: Duration) throws {
        let deadline = ContinuousClock.now + wait
        while true {
            commits.drain()
            let transactions = try next()
            let rest = deadline - .now
            if !transactions.isEmpty || rest <= .zero {
                return try connection.send(
                    .ok, json: Page(token: token.text(in: store.identifier), transactions: transactions))
            }
            if connection.wait(for: commits.descriptor, timeout: rest) == .closed { return }
        }
    }

    // MARK: Server-sent events

    /// Sends each transaction as an event with its token as the identifier, until the client closes the connection.
    mutating func sendEvents(to connection: HTTPConnection) throws {
        // Before the head, so that an expired token has a status.
        var transactions = try next()
        try connection.beginEvents()
        do {
            while true {
                for transaction in transactions {
                    try connection.sendEvent(identifier: transaction.token, JSON.data(transaction))
                }
                if transactions.isEmpty {
                    guard try connection.waitBetweenEvents(for: commits.descriptor) else { return }
                    commits.drain()
                }
                transactions = try next()
            }
        } catch let closed as HTTPConnection.Closed {
            throw closed
        } catch {
            // The response has begun. The client connects again, and receives the status.
            try connection.sendEvent("problem", JSON.data(Problem(error).content))
        }
    }
}

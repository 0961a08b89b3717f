public import Foundation

/// The changes of one commit to the default store.
///
/// A save is one transaction. Changes that another program wrote (the `sqlite3` shell, say) form an *external*
/// transaction, without author, context name, bundle and process; several commits of such programs may be one of them.
public struct DefaultHistoryTransaction: HistoryTransaction, Hashable {
    public let author: String?
    /// The ``ModelContext/name`` of the context that saved.
    public let contextName: String?
    /// The bundle identifier of the program that saved, or its name where there are no bundles; empty when external.
    public let bundleIdentifier: String
    /// The number of the process that saved; empty when external.
    public let processIdentifier: String
    public let storeIdentifier: String
    public let timestamp: Date
    public let token: DefaultHistoryToken
    /// The position of the transaction: grows in commit order, and is never used twice.
    public let transactionIdentifier: Int64
    public let changes: [HistoryChange]

    /// Whether it was written by something that is not Chronicle.
    public var isExternal: Bool { processIdentifier.isEmpty }

    public init(
        transactionIdentifier: Int64, storeIdentifier: String, token: DefaultHistoryToken, timestamp: Date,
        author: String?, contextName: String?, bundleIdentifier: String, processIdentifier: String,
        changes: [HistoryChange]
    ) {
        self.transactionIdentifier = transactionIdentifier
        self.storeIdentifier = storeIdentifier
        self.token = token
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleIdentifier = bundleIdentifier
        self.processIdentifier = processIdentifier
        self.changes = changes
    }
}

extension DefaultHistoryTransaction {
    /// Returns whether both are the same transaction of the same store.
    ///
    /// Tokens tell transactions apart that have the same position, one of them in a history that was taken back.
    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
        lhs.transactionIdentifier == rhs.transactionIdentifier && lhs.storeIdentifier == rhs.storeIdentifier
            && lhs.token.check(in: lhs.storeIdentifier) == rhs.token.check(in: rhs.storeIdentifier)
    }

    /// Hashes what tells the transaction from others.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionIdentifier)
        hasher.combine(storeIdentifier)
    }
}

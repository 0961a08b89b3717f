public import Foundation

/// A transaction in the history of the default store.
///
/// Every save is one transaction. Changes by other programs, such as the `sqlite3` shell, are recorded as *external*
/// transactions, which have no author, context name, metadata, bundle identifier and process identifier. One external
/// transaction can contain several commits.
public struct DefaultHistoryTransaction: HistoryTransaction, Hashable {
    /// The ``ModelContext/author`` of the save; `nil` if there is none.
    public let author: String?
    /// The ``ModelContext/name`` of the context that saved; `nil` if there is none.
    public let contextName: String?
    /// The ``ModelContext/transactionMetadata`` of the save.
    ///
    /// A predicate can compare the value of a key, which is `nil` if the transaction does not have the key:
    ///
    /// ```swift
    /// #Predicate<DefaultHistoryTransaction> { $0.metadata["reason"] == "import" && $0.metadata["request"] != nil }
    /// ```
    ///
    /// The key has to be a literal or a captured constant. Other uses of the dictionary in a predicate, such as `metadata.isEmpty`,
    /// throw ``SwiftDataError/unsupportedPredicate``; filter the fetched transactions instead.
    public let metadata: [String: String]
    /// The bundle identifier of the program that saved, or its name on platforms without bundles. Empty if the transaction is
    /// external.
    public let bundleIdentifier: String
    /// The identifier of the process that saved. Empty if the transaction is external.
    public let processIdentifier: String
    public let storeIdentifier: String
    public let timestamp: Date
    /// The position after the transaction. In a read of several stores, it also has the position that the read reached in each
    /// other store.
    public private(set) var token: DefaultHistoryToken
    /// The identifier of the transaction in its store, which increases in commit order and is never reused.
    ///
    /// An external transaction grows until the next save ends it. Until then, the identifier is that of its last change,
    /// so a later fetch, which returns further changes, has another identifier.
    public let transactionIdentifier: Int64
    /// The changes in the order in which they were made.
    public let changes: [HistoryChange]

    /// Whether transactions right before this one are missing because they were deleted.
    ///
    /// In a result in commit order, these are the transactions after the previous one of the result, or for the first one, after
    /// the token at which the result begins, or from the beginning of the history. In a result in another order, this is also the
    /// meaning for all but the earliest transaction, for which only the transaction directly before it counts.
    ///
    /// The missing transactions may not have matched the predicate. If transactions at the end of the history were deleted, the
    /// next transaction that is saved follows them. The value may also be `true` where recording was interrupted before.
    ///
    /// A copy of the models that is kept up to date with the history lacks the missing changes: fetch the models again.
    public let followsDeletion: Bool

    /// Whether another program than Chronicle made the changes.
    public var isExternal: Bool { processIdentifier.isEmpty }

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - transactionIdentifier: The identifier of the transaction in its store.
    ///   - storeIdentifier: The identifier of the store.
    ///   - token: The position after the transaction.
    ///   - timestamp: The time of the commit.
    ///   - author: The author of the save.
    ///   - contextName: The name of the context that saved.
    ///   - bundleIdentifier: The bundle identifier of the program that saved; empty for an external transaction.
    ///   - processIdentifier: The identifier of the process that saved; empty for an external transaction.
    ///   - metadata: Further information about the save.
    ///   - followsDeletion: Whether transactions right before this one were deleted.
    ///   - changes: The changes in the order in which they were made.
    public init(
        transactionIdentifier: Int64, storeIdentifier: String, token: DefaultHistoryToken, timestamp: Date,
        author: String?, contextName: String?, bundleIdentifier: String, processIdentifier: String,
        metadata: [String: String] = [:], followsDeletion: Bool = false, changes: [HistoryChange]
    ) {
        self.transactionIdentifier = transactionIdentifier
        self.storeIdentifier = storeIdentifier
        self.token = token
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.bundleIdentifier = bundleIdentifier
        self.processIdentifier = processIdentifier
        self.metadata = metadata
        self.followsDeletion = followsDeletion
        self.changes = changes
    }
}

extension DefaultHistoryTransaction {
    public func addingPositions(of token: DefaultHistoryToken) -> DefaultHistoryTransaction {
        var transaction = self
        transaction.token = self.token.merging(token.removingPosition(in: storeIdentifier))
        return transaction
    }

    /// Compares the identifiers, and the check values of the tokens, because a transaction that a restored backup reverted has the
    /// same identifier as its replacement.
    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
        lhs.transactionIdentifier == rhs.transactionIdentifier && lhs.storeIdentifier == rhs.storeIdentifier
            && lhs.token.checkValue(in: lhs.storeIdentifier) == rhs.token.checkValue(in: rhs.storeIdentifier)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionIdentifier)
        hasher.combine(storeIdentifier)
    }
}

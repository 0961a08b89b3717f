// History of all stores that provide transactions of a type.
extension ModelContext {
    /// Returns the matching transactions of every store that provides this type.
    ///
    /// Unless the descriptor sorts them, the transactions of a store are in commit order. Those of several stores are merged by
    /// timestamp and store identifier, and those of each store stay in commit order.
    ///
    /// The token of each transaction has the position that this read reached in every store, so the last token is the one to
    /// continue from:
    ///
    /// ```swift
    /// var token = try context.currentHistoryToken()                       // every store
    /// …
    /// let transactions = try context.fetchHistory(.after(token))
    /// token = transactions.last?.token ?? token
    /// ```
    ///
    /// If the descriptor sorts the transactions of several stores, each token has the position in the transaction's own store only,
    /// like those of a custom type that does not implement ``HistoryTransaction/addingPositions(of:)``.
    ///
    /// If transactions between others were deleted, ``DefaultHistoryTransaction/followsDeletion`` of the next one is `true`. Set
    /// ``HistoryDescriptor/requiresCompleteHistory`` to get an error instead.
    ///
    /// - Parameter descriptor: The transactions to fetch, and their order.
    /// - Returns: The matching transactions with their changes.
    /// - Throws: ``SwiftDataError/historyTokenExpired`` (also for the four more specific token errors) if reading cannot continue
    ///   from a token; start over from the models and ``currentHistoryToken()``. ``SwiftDataError/historyDisabled`` if no store
    ///   records history; enable it in the configuration. ``SwiftDataError/unsupportedPredicate`` or
    ///   ``SwiftDataError/unsupportedSortDescriptor`` if the store cannot evaluate the descriptor; rewrite it.
    ///   ``SwiftDataError/invalidTransactionFetchRequest`` if no store provides this type.
    /// - Complexity: O(*n*), where *n* is the number of transactions and changes after the token in the predicate.
    public func fetchHistory<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction] {
        try collect(descriptor) { store, descriptor in
            try attributingErrors(to: store) { try store.fetchHistory(descriptor) }
        }
    }

    /// Returns all transactions of the stores with default history.
    ///
    /// - Returns: The transactions with their changes; see ``fetchHistory(_:)``.
    /// - Throws: The errors of ``fetchHistory(_:)``, such as ``SwiftDataError/historyDisabled``.
    /// - Complexity: O(*n*), where *n* is the length of the history. To read a long one, use ``HistoryReader`` or a descriptor.
    public func fetchHistory() throws -> [DefaultHistoryTransaction] { try fetchHistory(HistoryDescriptor()) }

    /// Returns the matching transactions without their changes, for example to find out who saved and when.
    ///
    /// - Parameter descriptor: The transactions to fetch, and their order.
    /// - Returns: The matching transactions. Their changes are empty.
    /// - Throws: The same errors as ``fetchHistory(_:)``, for example ``SwiftDataError/historyTokenExpired``.
    /// - Complexity: O(*n*), where *n* is the number of transactions after the token in the predicate.
    public func fetchHistoryWithoutChanges<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction] {
        try collect(descriptor) { store, descriptor in
            try attributingErrors(to: store) { try store.fetchHistoryWithoutChanges(descriptor) }
        }
    }

    /// Returns the number of matching transactions.
    ///
    /// - Parameter descriptor: The transactions to count.
    /// - Returns: The number of transactions, limited by the descriptor's offset and limit.
    /// - Throws: The same errors as ``fetchHistory(_:)``, for example ``SwiftDataError/historyTokenExpired``.
    /// - Complexity: O(*n*), where *n* is the number of transactions after the token in the predicate.
    public func fetchHistoryCount<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> Int {
        let stores = try providers(of: Transaction.self)
        guard stores.count > 1, descriptor.isSliced else {
            return try stores.reduce(0) { sum, store in
                try sum + attributingErrors(to: store) { try store.fetchHistoryCount(descriptor) }
            }
        }
        return try fetchHistoryWithoutChanges(descriptor).count
    }

    /// Returns the identifiers of the matching transactions.
    ///
    /// - Parameter descriptor: The transactions to find, and their order.
    /// - Returns: The identifiers of the matching transactions.
    /// - Throws: The same errors as ``fetchHistory(_:)``, for example ``SwiftDataError/historyTokenExpired``.
    /// - Complexity: O(*n*), where *n* is the number of transactions after the token in the predicate.
    public func fetchHistoryIdentifiers<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction.TransactionIdentifier] {
        let stores = try providers(of: Transaction.self)
        if stores.count == 1 {
            return try attributingErrors(to: stores[0]) { try stores[0].fetchHistoryIdentifiers(descriptor) }
        }
        return try fetchHistoryWithoutChanges(descriptor).map(\.transactionIdentifier)
    }

    /// Deletes the matching transactions from every store that provides this type. Models are not affected.
    ///
    /// The method deletes the transactions that ``fetchHistory(_:)`` would return for the descriptor, store by store in the order
    /// of the container's configurations, and stops at the first error.
    ///
    /// The tokens of the deleted transactions expire, except that of the newest one. If the beginning of the history is deleted,
    /// all tokens before its end expire. A delete of transactions between others, for example those of an author, keeps the tokens
    /// of the others: a fetch skips the deleted ones, and ``DefaultHistoryTransaction/followsDeletion`` tells where. Consumers,
    /// exports and other readers that require the complete history start over, unless they exclude the authors of the deleted
    /// transactions; see ``HistoryDescriptor/requiresCompleteHistory``. Custom stores may expire all tokens before the newest
    /// deleted transaction.
    ///
    /// - Parameter descriptor: The transactions to delete.
    /// - Throws: ``SwiftDataError/storeBusy`` or another error of the store; try again. ``SwiftDataError/unsupportedPredicate`` if
    ///   the store cannot evaluate the predicate. ``SwiftDataError/invalidTransactionFetchRequest`` if no store provides this type.
    /// - Complexity: O(*n*), where *n* is the number of deleted transactions and changes.
    public func deleteHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws {
        let stores = try providers(of: Transaction.self)
        var descriptor = descriptor
        descriptor.requiresCompleteHistory = false
        try ReadCancellation.suspended { [descriptor] in
            try withAuthor {
                for (store, part) in try parts(of: descriptor, in: stores) {
                    try attributingErrors(to: store) { try store.deleteHistory(part) }
                }
            }
        }
    }

    /// A sealed history records who deleted a part of it.
    private func withAuthor<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let author else { return try body() }
        return try HistoryAuthor.withValue(author, operation: body)
    }

    /// Deletes all transactions from the stores with default history. Models are not affected, and all tokens before the newest
    /// transaction expire.
    ///
    /// - Throws: The errors of ``deleteHistory(_:)``, such as ``SwiftDataError/storeBusy``.
    /// - Complexity: O(*n*), where *n* is the length of the history.
    public func deleteHistory() throws { try deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }

    /// Returns the stores that record history, or all if none does.
    func providers<Transaction: HistoryTransaction>(
        of type: Transaction.Type
    ) throws -> [any HistoryProviding<Transaction>] {
        let providers = coordinator.stores.compactMap { $0 as? any HistoryProviding<Transaction> }
        guard !providers.isEmpty else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "no store of the container provides transactions of type \(type)")
        }
        let recording = providers.filter(\.recordsHistory)
        return recording.isEmpty ? providers : recording
    }
}

extension ModelContext {
    /// Returns a token for the current position in every store with default history.
    ///
    /// Every later save has a position after the token. In a store without transactions, the token has the position before the
    /// first one. In a context that reads the models as of an earlier position, the token is that position. For transactions of
    /// another type, use ``currentHistoryTokens(for:)``.
    ///
    /// - Returns: The token.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store has default history.
    ///   ``SwiftDataError/historyDisabled`` if history is disabled; enable it in the configuration.
    /// - Complexity: O(1) for each store.
    public func currentHistoryToken() throws -> DefaultHistoryToken {
        try currentPositions(for: DefaultHistoryTransaction.self)
            .map { $1 ?? DefaultHistoryToken(storeIdentifier: $0, position: 0) }
            .reduce(DefaultHistoryToken()) { $0.merging($1) }
    }

    /// Returns a token for the current position in each store that provides transactions of a type.
    ///
    /// ```swift
    /// let token = try context.currentHistoryTokens(for: MyTransaction.self)[store]     // MyTransaction.TokenType?
    /// ```
    ///
    /// In a store that never had a transaction, the token has the position before the first one; a store that cannot represent that
    /// position is missing from the result. Deleting history does not change the position of a store. Otherwise, the tokens are
    /// like that of ``currentHistoryToken()``.
    ///
    /// - Parameter type: The type of the transactions.
    /// - Returns: The tokens by store identifier.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store provides this type.
    ///   ``SwiftDataError/historyDisabled`` if history is disabled. ``SwiftDataError/storeBusy`` or another error of the store.
    /// - Complexity: O(1) for each default store.
    public func currentHistoryTokens<Transaction: HistoryTransaction>(
        for type: Transaction.Type
    ) throws -> [String: Transaction.TokenType] {
        try currentPositions(for: type).reduce(into: [:]) { tokens, position in
            tokens[position.store] = position.token
        }
    }

    private func currentPositions<Transaction: HistoryTransaction>(
        for type: Transaction.Type
    ) throws -> [(store: String, token: Transaction.TokenType?)] {
        try providers(of: type).compactMap { provider in
            guard let store = provider as? any DataStore else { return nil }
            if let position = coordinator.positions?[store.identifier] as? Transaction.TokenType {
                return (store.identifier, position)
            }
            return (store.identifier, try attributingErrors(to: store) { try provider.currentHistoryToken() })
        }
    }
}

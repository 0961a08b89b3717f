// Any store that provides transactions of the type asked for.
extension ModelContext {
    /// The transactions that match, of every store that provides this type.
    ///
    /// ```swift
    /// let news = try context.fetchHistory(
    ///     HistoryDescriptor<DefaultHistoryTransaction>(
    ///         predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) }))
    /// ```
    ///
    /// One store answers in commit order, unless the descriptor sorts. Several stores have no common order: each store's
    /// transactions come in its commit order, and which store comes next is told by the timestamps of their next
    /// transactions, then by their identifiers.
    ///
    /// A transaction has the position in its own store only, and a position in all of them is what tokens are merged to:
    ///
    /// ```swift
    /// var token = try context.currentHistoryToken()                       // every store
    /// …
    /// let news = try context.fetchHistory(.after(token))
    /// token = news.reduce(token) { $0.merging($1.token) }
    /// ```
    ///
    /// Reading is a pure read. Its cost grows with what it returns and with what lies after a token in the predicate,
    /// not with the length of the history before it.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` and its family for a token that cannot be continued from: start
    ///   over from the models and ``currentHistoryToken()``. ``SwiftDataError/unsupportedPredicate``,
    ///   ``SwiftDataError/unsupportedSortDescriptor``; ``SwiftDataError/invalidTransactionFetchRequest`` when no store
    ///   provides this type.
    public func fetchHistory<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction] {
        try collect(descriptor) { store, descriptor in
            try attributingErrors(to: store) { try store.fetchHistory(descriptor) }
        }
    }

    /// The transactions that match, without their changes: who saved, and when.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
    public func fetchHistoryWithoutChanges<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction] {
        try collect(descriptor) { store, descriptor in
            try attributingErrors(to: store) { try store.fetchHistoryWithoutChanges(descriptor) }
        }
    }

    /// How many transactions match.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
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

    /// The identifiers of the transactions that match.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
    public func fetchHistoryIdentifiers<Transaction: HistoryTransaction>(
        _ descriptor: HistoryDescriptor<Transaction>
    ) throws -> [Transaction.TransactionIdentifier] {
        let stores = try providers(of: Transaction.self)
        if stores.count == 1 {
            return try attributingErrors(to: stores[0]) { try stores[0].fetchHistoryIdentifiers(descriptor) }
        }
        return try fetchHistoryWithoutChanges(descriptor).map(\.transactionIdentifier)
    }

    /// Deletes the transactions that match, those that ``fetchHistory(_:)`` answers with, from every store that provides
    /// this type. The models are not touched.
    ///
    /// Several stores are asked one after the other, in the order of the container's configurations; the first that fails
    /// ends it. Tokens before the newest deleted transaction expire: something after them is gone.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/storeBusy`` and other failures of the store;
    ///   ``SwiftDataError/invalidTransactionFetchRequest`` when no store provides this type.
    public func deleteHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws {
        let stores = try providers(of: Transaction.self)
        try ReadCancellation.suspended {
            for (store, part) in try parts(of: descriptor, in: stores) {
                try attributingErrors(to: store) { try store.deleteHistory(part) }
            }
        }
    }

    func providers<Transaction: HistoryTransaction>(
        of type: Transaction.Type
    ) throws -> [any HistoryProviding<Transaction>] {
        let providers = coordinator.stores.compactMap { $0 as? any HistoryProviding<Transaction> }
        guard !providers.isEmpty else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "no store of the container provides \(type)")
        }
        let recording = providers.filter(\.recordsHistory)
        return recording.isEmpty ? providers : recording
    }
}

extension ModelContext {
    /// The position of now in every store with default history: what is saved later comes after it. In a store without
    /// transactions that is the place before the first. Constant time.
    ///
    /// For transactions of another type see ``currentHistoryTokens(for:)``.
    ///
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` when no store has such history,
    ///   ``SwiftDataError/historyDisabled``.
    public func currentHistoryToken() throws -> DefaultHistoryToken {
        try currentPositions(for: DefaultHistoryTransaction.self)
            .map { $1 ?? DefaultHistoryToken(storeIdentifier: $0, position: 0) }
            .reduce(DefaultHistoryToken()) { $0.merging($1) }
    }

    /// The position of now in each store that provides transactions of a type, by store identifier: what is saved later
    /// comes after it. Takes as long as the stores need to look at the end of their histories; constant time in the
    /// default store.
    ///
    /// ```swift
    /// let token = try context.currentHistoryTokens(for: MyTransaction.self)[store]     // MyTransaction.TokenType?
    /// ```
    ///
    /// In a store that never had a transaction that is the place before the first; a store that has no token for that is
    /// absent. A store whose history was deleted has its position as before.
    ///
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` when no store provides this type,
    ///   ``SwiftDataError/historyDisabled``, and what else keeps a store from answering.
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
            return (store.identifier, try attributingErrors(to: store) { try provider.currentHistoryToken() })
        }
    }
}

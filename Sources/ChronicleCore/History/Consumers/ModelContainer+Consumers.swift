// Consumers of the histories of a container's stores.
extension ModelContainer {
    /// Returns a consumer of a store's history, and creates it if the store has none of this name.
    ///
    /// The consumer reads the history of one store: the one that contains the models of the filter, or the only one with
    /// transactions of the type.
    ///
    /// Purges keep what the consumer has not acknowledged, for ever if ``HistoryRetention/maximumSilence`` is `nil`. Remove a
    /// consumer that is not used any more with ``removeHistoryConsumer(named:of:storeName:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer, which is unique in its store.
    ///   - type: The type of the transactions.
    ///   - filter: The changes that the consumer receives.
    ///   - start: Where a new consumer begins to read. It has no effect if the consumer exists.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores are possible.
    /// - Returns: An instance of the consumer, which acquires its lock when it reads for the first time.
    /// - Throws: One of the following errors.
    ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if no store, or more than one, has transactions of the type and the
    ///     models of the filter. Pass the name of a store.
    ///   - ``SwiftDataError/unsupportedFeature`` if the store does not conform to ``DataStoreConsuming``.
    ///   - ``SwiftDataError/valueOutOfRange`` if the name is `chronicle.seals`, whose consumer seals the history, or the name
    ///     of a new consumer is empty or contains a NUL character.
    ///   - ``SwiftDataError/historyDisabled`` if the store does not record its history.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    ///   - ``SwiftDataError/storeBusy`` or another error of the store.
    public func historyConsumer<Transaction: HistoryTransaction>(
        named name: String, of type: Transaction.Type = DefaultHistoryTransaction.self,
        filter: HistoryFilter = HistoryFilter(), startingNewAt start: HistoryStart<Transaction.TokenType>,
        storeName: String? = nil
    ) throws -> HistoryConsumer<Transaction> {
        let filter = filter.addingSubentities(in: schema)
        let store = try coordinator.consumingStore(of: type, filter: filter, storeName: storeName)
        try attributingErrors(to: store) { try store.createConsumer(named: name, at: start) }
        return HistoryConsumer(name: name, filter: filter, store: store, coordinator: coordinator)
    }

    /// Returns a consumer of a store's history, and creates it if the store has none of this name.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - type: The type of the transactions.
    ///   - filter: The changes that the consumer receives.
    ///   - start: Where a new consumer begins to read.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores are possible.
    /// - Returns: An instance of the consumer.
    /// - Throws: The errors of ``historyConsumer(named:of:filter:startingNewAt:storeName:)``.
    @available(*, deprecated, renamed: "historyConsumer(named:of:filter:startingNewAt:storeName:)")
    public func historyConsumer<Transaction: HistoryTransaction>(
        named name: String, of type: Transaction.Type = DefaultHistoryTransaction.self,
        filter: HistoryFilter = HistoryFilter(), startingAt start: HistoryStart<Transaction.TokenType>,
        storeName: String? = nil
    ) throws -> HistoryConsumer<Transaction> {
        try historyConsumer(named: name, of: type, filter: filter, startingNewAt: start, storeName: storeName)
    }

    /// Returns the consumers of all stores, with their positions and how far they are behind.
    ///
    /// - Parameter type: The type of the transactions.
    /// - Returns: The consumers, ordered by store and name.
    /// - Throws: ``SwiftDataError/historyDisabled`` if a store does not record its history. ``SwiftDataError/storeBusy`` or another
    ///   error of a store.
    /// - Complexity: O(*n*) in the number of consumers for the default store, regardless of the length of the history.
    public func historyConsumers<Transaction: HistoryTransaction>(
        of type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> [HistoryConsumerStatus<Transaction.TokenType>] {
        try consumingStores(of: type).flatMap { store in
            try attributingErrors(to: store) { try store.consumerStatus() }
        }
    }

    /// Renames a consumer. Its position remains; instances with the earlier name can no longer read or acknowledge, and do not
    /// prevent those with the new name from reading.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - newName: The new name.
    ///   - type: The type of the transactions.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores have a consumer of the name.
    /// - Throws: The errors of ``removeHistoryConsumer(named:of:storeName:)``. ``SwiftDataError/duplicateHistoryConsumer`` if there
    ///   is a consumer with the new name. ``SwiftDataError/valueOutOfRange`` if the new name is empty or contains a NUL
    ///   character, or one of the names is `chronicle.seals`.
    public func renameHistoryConsumer<Transaction: HistoryTransaction>(
        named name: String, to newName: String, of type: Transaction.Type = DefaultHistoryTransaction.self,
        storeName: String? = nil
    ) throws {
        try withStore(ofConsumer: name, type, storeName) { store in
            try StoredName.requireUnreservedConsumer(name)
            try StoredName.consumer.validate(newName)
            try store.updateExistingConsumer(named: name) { record in
                record?.name = newName
                record?.fence += 1
            }
            HistoryConsumerLock.revoke(storeIdentifier: store.identifier, name: name)
        }
    }

    /// Moves a consumer to another position. An instance that is reading can no longer acknowledge its batch, and continues from
    /// the new position.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - start: Where the consumer continues to read.
    ///   - type: The type of the transactions.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores have a consumer of the name.
    /// - Throws: The errors of ``removeHistoryConsumer(named:of:storeName:)``, such as ``SwiftDataError/historyConsumerNotFound``.
    ///   ``SwiftDataError/valueOutOfRange`` for the consumer `chronicle.seals`, which seals the history.
    public func resetHistoryConsumer<Transaction: HistoryTransaction>(
        named name: String, to start: HistoryStart<Transaction.TokenType>,
        of type: Transaction.Type = DefaultHistoryTransaction.self, storeName: String? = nil
    ) throws {
        try withStore(ofConsumer: name, type, storeName) { try $0.moveConsumer(named: name, to: start) }
    }

    /// Removes a consumer. An instance that is reading throws ``SwiftDataError/historyConsumerNotFound`` from then on, and does not
    /// prevent instances of a later consumer of the same name from reading.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - type: The type of the transactions.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if several stores have a consumer of the name.
    /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if several stores have a consumer of the name; pass the name of
    ///   one. ``SwiftDataError/historyConsumerNotFound`` if there is no such consumer. ``SwiftDataError/storeBusy`` or another
    ///   error of the store.
    public func removeHistoryConsumer<Transaction: HistoryTransaction>(
        named name: String, of type: Transaction.Type = DefaultHistoryTransaction.self, storeName: String? = nil
    ) throws {
        try withStore(ofConsumer: name, type, storeName) { store in
            try store.updateExistingConsumer(named: name) { $0 = nil }
            HistoryConsumerLock.revoke(storeIdentifier: store.identifier, name: name)
        }
    }

    private func consumingStores<Transaction: HistoryTransaction>(
        of type: Transaction.Type
    ) -> [any DataStoreConsuming<Transaction>] {
        coordinator.stores.compactMap { $0 as? any DataStoreConsuming<Transaction> }.filter(\.recordsHistory)
    }

    private func withStore<Transaction: HistoryTransaction>(
        ofConsumer name: String, _ type: Transaction.Type, _ storeName: String?,
        _ body: (any DataStoreConsuming<Transaction>) throws -> Void
    ) throws {
        let stores = try consumingStores(of: type).filter { store in
            if let storeName, store.configuration.name != storeName { return false }
            return try attributingErrors(to: store) { try store.consumerRecord(named: name) != nil }
        }
        guard let store = stores.first else { throw SwiftDataError.consumerNotFound(name) }
        guard stores.count == 1 else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "several stores have a consumer \"\(name)\"; pass the name of one of them")
        }
        try attributingErrors(to: store) { try body(store) }
    }
}

extension StoreCoordinator {
    func consumingStore<Transaction: HistoryTransaction>(
        of type: Transaction.Type, filter: HistoryFilter, storeName: String?
    ) throws -> any DataStoreConsuming<Transaction> {
        let provider = try historyStore(of: type, filter: filter, storeName: storeName)
        guard let store = provider as? any DataStoreConsuming<Transaction> else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the store keeps no consumers, because it does not conform to DataStoreConsuming",
                storeIdentifier: provider.identifier, storeName: provider.configuration.name)
        }
        return store
    }

    func historyStore<Transaction: HistoryTransaction>(
        of type: Transaction.Type, filter: HistoryFilter, storeName: String?
    ) throws -> any HistoryProviding<Transaction> & DataStore {
        let providers = stores.compactMap { store -> (any HistoryProviding<Transaction> & DataStore)? in
            guard let provider = store as? any HistoryProviding<Transaction> & DataStore else { return nil }
            if let storeName { return store.configuration.name == storeName ? provider : nil }
            let containsModels = filter.entityNames?.allSatisfy { store.schema.entitiesByName[$0] != nil } ?? true
            return containsModels ? provider : nil
        }
        guard let store = providers.first, providers.count == 1 else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: providers.isEmpty
                    ? "no store of the container has transactions of type \(type) and all models of the filter"
                    : "several stores of the container have transactions of type \(type); pass the name of one of them")
        }
        guard store.recordsHistory else {
            throw SwiftDataError.historyDisabled.with(
                detail: "enable the history in the configuration of the store", storeIdentifier: store.identifier,
                storeName: store.configuration.name)
        }
        return store
    }
}

extension ModelContext {
    /// The models that a merge changed.
    public struct MergedChanges: Equatable, Sendable {
        /// The identifiers of the models in memory that were read again.
        public internal(set) var refreshed: Set<PersistentIdentifier> = []
        /// The identifiers of the models in memory whose rows no longer exist.
        public internal(set) var deleted: Set<PersistentIdentifier> = []
        /// The identifiers of the models whose rows no longer exist, but which have unsaved changes.
        public internal(set) var deletedWithUnsavedChanges: Set<PersistentIdentifier> = []
    }

    /// Merges changes that other contexts, processes or programs saved.
    ///
    /// ```swift
    /// let transactions = try context.fetchHistory(.after(token))
    /// try context.merge(transactions)
    /// ```
    ///
    /// The transactions only determine which models are affected. Their current rows are read from the store, so the order of the
    /// calls does not matter, and merging a transaction twice has no further effect:
    ///
    /// - A model in memory receives the values of its row. Its **unsaved changes are kept**: a property that was set in this
    ///   context since the last save keeps its value, and the next save writes it.
    /// - A model in memory whose row was deleted is marked as deleted: ``PersistentModel/isDeleted`` is `true`, its
    ///   ``PersistentModel/modelContext`` is `nil`, and fetches do not return it.
    /// - A model in memory whose row was deleted, and which has unsaved changes, keeps them. ``save()`` drops and reports them, or
    ///   throws ``SwiftDataError/modelNotFound``; see ``mergePolicy``. ``rollback()`` discards them. Both mark the model as
    ///   deleted.
    /// - Lists of relationships are read again on their next use, if models at one of their ends were changed.
    /// - Other models are not loaded. The next fetch returns inserted models.
    /// - If transactions that were deleted from the history are missing between them
    ///   (``DefaultHistoryTransaction/followsDeletion``), all models in memory are read again.
    ///
    /// The container's main context merges automatically; see ``ModelContainer/mergesChangesIntoMainContext``. Use this method in
    /// other contexts, for example in a ``ModelActor``. Core Data's counterpart is `mergeChanges(fromContextDidSave:)`.
    ///
    /// - Parameter transactions: The transactions to merge. Transactions of this context have no effect.
    /// - Returns: The models in memory that were refreshed or deleted.
    /// - Throws: ``SwiftDataError/undecodableValue`` if another program stored a value of the wrong type; correct the row.
    ///   ``SwiftDataError/storeBusy`` or another error of the store. Some models may have been refreshed in that case; call the
    ///   method again with the same transactions.
    /// - Complexity: O(*n* + *m*), where *n* is the number of changes and *m* that of the models in memory, if the changed models
    ///   have relationships; otherwise O(*n*).
    @discardableResult
    public func merge(_ transactions: some Sequence<some HistoryTransaction>) throws -> MergedChanges {
        var identifiers: [PersistentIdentifier] = []
        var isIncomplete = false
        for transaction in transactions {
            identifiers += transaction.changes.lazy.map(\.changedPersistentIdentifier)
            if (transaction as? DefaultHistoryTransaction)?.followsDeletion == true { isIncomplete = true }
        }
        return try merge(isIncomplete ? identifiers + identifiersInMemory : identifiers)
    }

    /// Merges one transaction that another context, process or program saved; see ``merge(_:)-(Sequence)``.
    ///
    /// - Parameter transaction: The transaction to merge.
    /// - Returns: The models in memory that were refreshed or deleted.
    /// - Throws: ``SwiftDataError/storeBusy`` or another error of the store; call the method again.
    @discardableResult
    public func merge(_ transaction: some HistoryTransaction) throws -> MergedChanges {
        try merge(CollectionOfOne(transaction))
    }

    /// Reads all models in memory again, as if each of them had been changed; see ``merge(_:)-(Sequence)``. Call this method if the
    /// changes are not known, for example after ``SwiftDataError/historyTokenExpired``.
    ///
    /// - Returns: The models in memory that were refreshed or deleted.
    /// - Throws: ``SwiftDataError/storeBusy`` or another error of the store; call the method again.
    /// - Complexity: O(*n*), where *n* is the number of models in memory.
    @discardableResult
    public func refreshAllModels() throws -> MergedChanges {
        try merge(identifiersInMemory)
    }

    private var identifiersInMemory: [PersistentIdentifier] {
        var identifiers: [PersistentIdentifier] = []
        registry.forEach { backing in
            if let identifier = backing.knownIdentifier, !identifier.isTemporary { identifiers.append(identifier) }
        }
        return identifiers
    }

    /// Merges changes, for example of a page of a ``HistoryChangeReader`` or a ``HistoryReader``; see ``merge(_:)-(Sequence)``.
    ///
    /// - Parameter changes: The changes to merge.
    /// - Returns: The models in memory that were refreshed or deleted.
    /// - Throws: ``SwiftDataError/storeBusy`` or another error of the store; call the method again.
    @discardableResult
    public func merge(_ changes: [HistoryChange]) throws -> MergedChanges {
        try merge(changes.lazy.map(\.changedPersistentIdentifier))
    }

    private func merge(_ identifiers: some Sequence<PersistentIdentifier>) throws -> MergedChanges {
        checkIsolation()
        return try storage.notifyingObservers { try mergeRows(identifiers) }
    }

    @discardableResult
    func mergeRows(_ identifiers: some Sequence<PersistentIdentifier>) throws -> MergedChanges {
        // A container that lacks a subclass reads its rows as models of the superclass.
        let schema = coordinator.schema
        let changed = Dictionary(grouping: identifiers) { identifier in
            schema.entitiesByName[identifier.entityName] == nil ? identifier.rootEntityName : identifier.entityName
        }.mapValues { Set($0) }
        verifyLists()
        var result = MergedChanges()
        defer {
            forgetLists(of: changed.keys)
            storage.didChange()
        }
        for (entityName, identifiers) in changed.sorted(by: { $0.key < $1.key }) {
            // References to the models, so that the fetch refreshes them and creates no others.
            let models = identifiers.compactMap { registeredBacking($0)?.model }
            for (model, isFound) in try readRows(of: models, entityName) {
                let backing = model.persistentBackingData
                if isFound {
                    result.refreshed.insert(backing.identifier)
                } else if backing.state == .missing {
                    result.deletedWithUnsavedChanges.insert(backing.identifier)
                } else if backing.state == .gone {
                    result.deleted.insert(backing.identifier)
                }
            }
        }
        return result
    }

    /// Reports to each model whether its row exists.
    ///
    /// - Parameter event: Returns the event to report to a model whose row does not exist.
    @discardableResult
    func readRows(
        of models: [any PersistentModel], _ entityName: String,
        ifMissing event: (AnyBackingData) -> ModelState.Event = { _ in .rowNotFound }
    ) throws -> [(model: any PersistentModel, isFound: Bool)] {
        guard !models.isEmpty else { return [] }
        let found = Set(
            try load(entityName, .identifiers(Set(models.map(\.persistentModelID)))).map { ObjectIdentifier($0) })
        return models.map { model in
            let isFound = found.contains(ObjectIdentifier(model))
            if !isFound {
                let backing: AnyBackingData = model.persistentBackingData
                report(event(backing), backing)
                // As after a row was read. Those of a model that has left the context do not change.
                if backing.state == .missing { backing.removeLists() }
            }
            return (model, isFound)
        }
    }

    func forgetLists(of entityNames: some Sequence<String>) {
        let areListed = entityNames.contains { name in
            guard let entity = coordinator.schema.entitiesByName[name] else { return false }
            return entity.relationshipProperties.isEmpty == false
        }
        if areListed { forgetAllLists() }
    }

    func forgetAllLists() {
        registry.forEach {
            $0.didChangeLists()
            $0.removeLists()
        }
        links.forgetLists()
    }
}

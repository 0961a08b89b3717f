extension ModelContext {
    /// Saves all unsaved changes and records them in the history, in one transaction per store.
    ///
    /// If nothing changed, the method writes nothing and records no transaction. After an error, the context keeps all changes that
    /// were not saved. Resolve the reported problem and save again, or call ``rollback()``.
    ///
    /// Several stores are saved one after the other, in the order of the container's configurations, after all models were
    /// validated. The first error ends the save: the changes in the stores before remain saved, and the changes for the other
    /// stores remain in the context. A `SwiftDataError` names the store that failed and the stores that were saved. A custom store
    /// may throw an error of another type, which is not changed.
    ///
    /// If an inserted model has the unique values of an existing row, the save updates the row, and the inserted instance takes its
    /// identifier. Another instance of that row in this context is replaced: its ``PersistentModel/isDeleted`` is `true`, its
    /// ``PersistentModel/modelContext`` is `nil`, and setting a property of it is an error of the next save. If a row of a changed
    /// model was deleted by another writer, the save drops the changes of that model and writes the rest; see ``lastSaveResult``.
    /// ``mergePolicy`` determines both.
    ///
    /// - Throws: ``SwiftDataError/modelValidationFailure`` (also for ``SwiftDataError/valueOutOfRange``,
    ///   ``SwiftDataError/uniquenessViolation`` and ``SwiftDataError/deleteDenied``) if a model cannot be saved in its current
    ///   state; correct the property that the error names. ``SwiftDataError/modelNotFound`` if a property of a replaced instance
    ///   was set, or, with the policy ``MergePolicy/error``, if another writer deleted the row of a changed model; roll back, or
    ///   delete the model. ``SwiftDataError/missingModelContext`` if changes were lost with a released context.
    ///   ``SwiftDataError/storeBusy`` or another error of the store; try again. Also an unresolved error of a relationship that
    ///   could not be loaded; see ``retryFailedLoads()``.
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public func save() throws {
        try save(acknowledging: nil, isAutomatic: false)
    }

    /// Saves like ``save()``, and moves the position of a consumer past a batch in the same transaction.
    ///
    /// For work that a ``HistoryConsumer`` does in its own store: either the changes are saved and the batch is acknowledged, or
    /// neither, so the work is done exactly once. If the context has no changes, only the position moves.
    ///
    /// ```swift
    /// while let batch = try consumer.nextBatch() {
    ///     for change in try batch.changes { … }
    ///     try context.save(acknowledging: batch)
    /// }
    /// ```
    ///
    /// The save is part of the history. To ignore it, set an author and exclude it with the filter of the consumer. If the
    /// container has several stores, the store of the consumer is saved last. The changes in the other stores may therefore be
    /// saved without the acknowledgement.
    ///
    /// - Parameter batch: The batch that ``HistoryConsumer/nextBatch(limit:)`` returned last, or a prefix of it.
    /// - Throws: The errors of ``save()``, such as ``SwiftDataError/modelValidationFailure``, or one of the following errors. The
    ///   context keeps its changes; call ``rollback()``, and request the next batch.
    ///   - ``SwiftDataError/invalidHistoryAcknowledgement`` if the batch was acknowledged before, or belongs to a store of another
    ///     container.
    ///   - ``SwiftDataError/historyConsumerEvicted`` if another instance took over, or if the consumer was reset.
    ///   - ``SwiftDataError/historyConsumerNotFound`` if the consumer was removed or renamed.
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public func save<Transaction: HistoryTransaction>(acknowledging batch: HistoryBatch<Transaction>) throws {
        try save(acknowledging: batch.acknowledgement, isAutomatic: false)
        batch.didAcknowledge()
    }

    func save(acknowledging acknowledgement: HistoryAcknowledgement?, isAutomatic: Bool) throws {
        checkIsolation()
        try ReadCancellation.suspended {
            // The result includes those of observers that save.
            let acknowledged = willSave(acknowledgement)
            var saves: [StoreSave] = []
            var result = storage.lastSaveResult
            // The notifications of these saves contain what they have dropped.
            let reported = result.droppedChanges.count
            defer {
                postDidSave(saves, Array(result.droppedChanges.dropFirst(reported)))
                // Observers may have saved, too.
                storage.lastSaveResult = result
            }
            let wasSaving = storage.isSaving
            storage.isSaving = true
            defer { storage.isSaving = wasSaving }
            try storage.notifyingObservers {
                defer { result = storage.lastSaveResult }
                verifyLists()
                try throwFailures(isAutomatic: isAutomatic)
                storage.isOutcomeUnknown = false
                do { try saveChanges(acknowledged, &saves) } catch let error as SwiftDataError
                    where SwiftDataError.saveOutcomeUnknown ~= error
                {
                    storage.isOutcomeUnknown = true
                    throw error
                }
                if acknowledgement == nil { storage.postponedAcknowledgement = nil }
                if !mayHaveChanges { storage.firstChangeAuthor = nil }
            }
        }
    }

    /// Posts `willSave` unless an observer of it saves, and returns the batch to acknowledge, unless the observer has done it.
    private func willSave(_ acknowledgement: HistoryAcknowledgement?) -> HistoryAcknowledgement? {
        guard !storage.isPostingWillSave else { return acknowledgement ?? storage.postponedAcknowledgement }
        storage.lastSaveResult = SaveResult()
        storage.postponedAcknowledgement = acknowledgement
        defer { storage.postponedAcknowledgement = nil }
        postWillSave()
        return storage.postponedAcknowledgement
    }

    /// - Parameter saves: Receives the changes of each store, also after an error.
    private func saveChanges(_ acknowledgement: HistoryAcknowledgement?, _ saves: inout [StoreSave]) throws {
        try finishDeletes()
        // Keeps the models alive while their own code runs.
        var models = pendingModels
        try findReturnedRows(models)
        // Before the snapshots are taken, because the check reads rows of the models again.
        if coordinator.schema.validatesRelationships {
            var check = RelationshipCheck(self)
            try check.check(models)
            // The rows of further models may be gone.
            models = pendingModels
        }
        saves = try storeSaves(models)
        if !saves.isEmpty { try coordinator.requirePresent() }
        if let acknowledgement { try add(acknowledgement, to: &saves) }
        defer { removePending(models, saves) }
        for index in saves.indices {
            let store = saves[index].store
            do { saves[index].isWritten = try write(&saves[index], to: store) } catch {
                updateDiscarded(models, after: saves[..<index])
                throw Self.error(error, after: saves.filter(\.isWritten).map(\.store))
            }
        }
        for listed in models where listed.backing.state == .discarded { report(.written, listed.backing) }
        unsavedReferrers = [:]
        storage.deletedWithoutRow = []
        deletedByRules = [:]
        storage.didChange()
    }

    /// Another writer may have restored the rows.
    private func findReturnedRows(_ models: [PendingModel]) throws {
        let missing = models.lazy.filter { $0.backing.state == .missing || $0.backing.state == .restored }.map(\.model)
        guard !missing.isEmpty else { return }
        for (name, models) in Dictionary(grouping: missing, by: \.persistentModelID.entityName) {
            for (model, isFound) in try readRows(of: models, name) where !isFound {
                leaveIfUnlinked(model.persistentBackingData)
            }
        }
    }

    /// The store of the acknowledgement is saved last.
    private func add(_ acknowledgement: HistoryAcknowledgement, to saves: inout [StoreSave]) throws {
        let identifier = acknowledgement.storeIdentifier
        guard let store = coordinator.stores.first(where: { $0.identifier == identifier }) else {
            throw SwiftDataError.invalidHistoryAcknowledgement.with(
                detail:
                    "the batch of the consumer \"\(acknowledgement.consumerName)\" belongs to a store of another container",
                storeIdentifier: identifier)
        }
        let index = saves.firstIndex { $0.store === store }
        var save = index.map { saves.remove(at: $0) } ?? StoreSave(store: store)
        save.acknowledgement = acknowledgement
        saves.append(save)
    }

    /// Calls a block and saves its changes together with all earlier unsaved changes.
    ///
    /// If the block throws, nothing is saved. Its changes remain in the context; call ``rollback()`` to discard them.
    ///
    /// - Parameter block: A closure that changes models of this context.
    /// - Throws: The error that `block` throws, or the errors of ``save()``, such as ``SwiftDataError/modelValidationFailure``.
    /// - Complexity: O(*n*), where *n* is the number of models with unsaved changes.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    private func removePending(_ models: [PendingModel], _ saves: [StoreSave]) {
        // Usually, no pending models remain. By index, because an element would be copied.
        let savedCount = saves.indices.reduce(0) { $0 + saves[$1].savedCount }
        if pendingModels.count == models.count, savedCount == models.count {
            pendingModels = []
            return
        }
        // After an error, a discarded model can still return.
        for listed in models where !listed.backing.hasChanges && listed.backing.state != .discarded {
            listed.backing.endPending()
        }
        // A model that was changed after its store was saved has another entry.
        pendingModels = pendingModels.filter(\.isCurrent)
    }

    private static func error(_ error: any Error, after written: [any DataStore]) -> any Error {
        guard !written.isEmpty, let error = error as? SwiftDataError else { return error }
        let names = written.map { "\"\($0.configuration.name)\"" }.joined(separator: ", ")
        let isUnknown = SwiftDataError.saveOutcomeUnknown ~= error
        let rest = "the changes for \(names) were saved before" + (isUnknown ? "" : ", the others were not")
        return error.with(detail: error.detail.map { "\($0) (\(rest))" } ?? rest)
    }

    /// In the order of the stores.
    private func storeSaves(_ models: [PendingModel]) throws -> [StoreSave] {
        var saves: [StoreSave] = []
        // Consecutive models usually have the same entity.
        var latest: (membership: ContextEntity, index: Int)?
        let sharesModels = coordinator.sharesModels
        // The models are not retained one by one: `models` retains them.
        for position in models.indices {
            try models[position].unmanagedBacking._withUnsafeGuaranteedRef { backing in
                guard backing.hasChanges else { return }
                if latest == nil || latest?.membership !== backing.membership || sharesModels {
                    guard let membership = backing.membership else { return }
                    let store = try coordinator.store(
                        for: membership.entity.type,
                        of: backing.state == .new ? nil : backing.identifier)
                    let index = saves.firstIndex { $0.store === store } ?? saves.count
                    if index == saves.count { saves.append(StoreSave(store: store)) }
                    saves[index].hasReferences =
                        saves[index].hasReferences || !membership.entity.relationshipProperties.isEmpty
                    latest = (membership, index)
                }
                guard let (membership, index) = latest else { return }
                let count = models.count - position
                switch backing.state {
                case .new, .restored:
                    saves[index].inserted.add(backing, try insertSnapshot(backing, membership), of: count)
                case .saved, .missing:
                    if let snapshot = try updateSnapshot(backing, membership.entity) {
                        saves[index].addUpdate(backing, snapshot, of: count)
                    } else {
                        saves[index].dropped.add(backing, try droppedSnapshot(backing, membership.entity), of: count)
                    }
                case .deleted:
                    saves[index].deleted.add(backing, deleteSnapshot(backing, membership.entity), of: count)
                case .detached, .discarded, .gone, .replaced: break
                }
            }
        }
        if sharesModels {
            for save in saves {
                try requireReferences(of: save.inserted.snapshots + save.updated.snapshots, within: save.store)
            }
        }
        for change in linkChanges() {
            let store = try coordinator.store(for: change.entity.type, of: change.link.owner)
            if sharesModels, change.isAdded { try requireLinkWithinStore(change.link) }
            guard let index = saves.firstIndex(where: { $0.store === store }) else { continue }
            if change.isAdded {
                saves[index].linked.append(change.link)
            } else {
                saves[index].unlinked.append(change.link)
            }
        }
        guard saves.count > 1 else { return saves }
        return coordinator.stores.compactMap { store in saves.first { $0.store === store } }
    }

    /// Returns whether the store had changes to write.
    private func write<Store: DataStore>(_ save: inout StoreSave, to store: Store) throws -> Bool {
        do { return try writeOnce(&save, to: store) } catch {
            var conflicts = SaveConflicts(self, save)
            var failure = error
            while true {
                do {
                    guard var resolved = try conflicts.resolve(after: failure) else { throw failure }
                    do {
                        let isWritten = try writeOnce(&resolved, to: store)
                        save = resolved
                        return isWritten
                    } catch { failure = error }
                } catch {
                    keepIdentifiers(conflicts.original)
                    throw store.attributed(error)
                }
            }
        }
    }

    /// After an error, no model has changed.
    private func writeOnce<Store: DataStore>(_ save: inout StoreSave, to store: Store) throws -> Bool {
        guard save.hasChanges else {
            if let acknowledgement = save.acknowledgement {
                try attributingErrors(to: store) {
                    try (store as? any DataStoreConsuming)?.acknowledge(acknowledgement)
                }
            }
            apply(&save, [])
            return false
        }
        let changedRows = try send(&save, to: store)
        apply(&save, save.insertedIdentifiers)
        if let changedRows { refreshModels(from: changedRows.values, storeIdentifier: store.identifier) }
        return true
    }

    /// Returns the rows that the store wrote with other values, or `nil` if there are none. The result of the store is not
    /// returned, because it contains the inserted snapshots, which would then be copied when they are changed.
    private func send<Store: DataStore>(
        _ save: inout StoreSave, to store: Store
    ) throws -> [PersistentIdentifier: Store.Snapshot]? {
        let request: DataStoreSaveChangesRequest<Store.Snapshot> = try request(save, to: store)
        let result = try store.save(request)
        do {
            let changed = try check(result, of: request, &save, store)
            if !coordinator.plainStores.isEmpty { try requireKept(save, store) }
            return changed
        } catch {
            applyWithoutResult(save)
            throw error
        }
    }

    /// The save was committed.
    private func check<Store: DataStore>(
        _ result: DataStoreSaveChangesResult<Store.Snapshot>, of request: DataStoreSaveChangesRequest<Store.Snapshot>,
        _ save: inout StoreSave, _ store: Store
    ) throws -> [PersistentIdentifier: Store.Snapshot]? {
        if storage.savedTokens != nil, !result.mayHaveOtherChanges { storage.didSave(result.historyToken) }
        coordinator.commits.didSave(to: store)
        save.insertedIdentifiers = try SaveCheck(store).check(
            result, of: request.inserted, save.inserted.snapshots, beside: registry, &storage.validToken)
        save.historyToken = result.historyToken
        return result.changesRows ? result.snapshotsToReregister : nil
    }

    // MARK: Updating the models

    /// Moves the rows from the snapshots to the models.
    private func apply(_ save: inout StoreSave, _ identifiers: [PersistentIdentifier]) {
        if save.hasReferences { save.replaceIdentifiers(identifiers) }
        registry.reserve(identifiers.count)
        save.inserted.forEach { index, backing, row in
            if backing.origin != nil { registry.remove(backing) }
            backing.identifier = identifiers[index]
            registry.add(backing, identifiers[index])
            backing.hasRow = true
            backing.change(.written)
            backing.exchangeWritten(&row)
            backing.endPending()
        }
        save.updated.forEach { _, backing, row in
            backing.change(.written)
            backing.exchangeWritten(&row)
            backing.endPending()
        }
        save.deleted.forEach { _, backing, _ in
            removeFailures(of: backing)
            backing.change(.written)
            backing.endPending()
            registry.remove(backing)
        }
        save.savedCount = save.inserted.count + save.updated.count + save.deleted.count
        if save.isResolved { applyResolvedConflicts(save, identifiers) }
        links.removeChanges { isSaved($0, by: save) }
    }

    /// After an error of another store, a discarded model can still return. No save has a snapshot of it, so its references to models
    /// that were inserted are replaced here.
    private func updateDiscarded(_ models: [PendingModel], after saves: ArraySlice<StoreSave>) {
        let discarded = models.lazy.map(\.backing).filter { $0.state == .discarded && !$0.pending.isEmpty }
        guard !discarded.isEmpty else { return }
        var saved: [PersistentIdentifier: PersistentIdentifier] = [:]
        for save in saves { saved.merge(save.permanentIdentifiers) { first, _ in first } }
        for backing in discarded {
            for case (let slot, .reference(let identifier)) in backing.pending {
                if let permanent = saved[identifier] { backing.pending[slot] = .reference(permanent) }
            }
        }
    }

    private func isSaved(_ end: ContextLinks.Changes, by save: StoreSave) -> Bool {
        let backing = end.model.persistentBackingData
        guard let entity = backing.membership?.entity else { return true }
        if coordinator.sharesModels {
            if let identifier = backing.identifier.storeIdentifier { return identifier == save.store.identifier }
            // A new model is saved to the first store with its class.
            return coordinator.stores.first { $0.schema.entitiesByName[entity.name]?.type == entity.type }
                === save.store
        }
        return save.store.schema.entitiesByName[entity.name]?.type == entity.type
    }

    /// Updates the models after a save that was committed, but whose result is invalid. Nothing is pending, because a second save
    /// would write the changes again. The updated models are read again, and the inserted ones, whose identifiers are not known,
    /// leave the context.
    private func applyWithoutResult(_ save: StoreSave) {
        for changes in [save.inserted, save.merged, save.replaced, save.updated, save.dropped, save.deleted] {
            changes.forEachModel { _, backing in
                report(.writtenUnidentified, backing)
                backing.endPending()
                if backing.state == .saved { backing.forgetRow() }
            }
        }
        links.removeChanges { isSaved($0, by: save) }
        forgetAllLists()
    }

    /// The error of a failed save may contain a temporary identifier that was created for it.
    private func keepIdentifiers(_ save: StoreSave) {
        for (backing, identifier) in save.inserted.identifiers where backing.origin == nil && backing.state.isInserted {
            backing.identifier = identifier
            registry.add(backing, identifier)
        }
    }
}

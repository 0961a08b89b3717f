public import Foundation

extension ModelContext {
    /// Deletes all models of a class that match, whether they were ever fetched or not, and does what their relationships'
    /// delete rules say.
    ///
    /// ```swift
    /// try context.delete(model: Trip.self, where: #Predicate { $0.endDate < lastYear })
    /// ```
    ///
    /// This is a save of its own: when it returns, the rows are gone, in one transaction with ``author`` and ``name`` that
    /// has every delete, every cascade and every reference that was nullified. ``rollback()`` does not bring them back.
    /// (SwiftData deletes them with the next save.)
    ///
    /// What is stored counts. Unsaved changes of this context are neither looked at nor saved: ``save()`` before, where
    /// they should count. New models stay. Models of this context whose rows are gone are deleted models afterwards, what
    /// was changed in them and not saved is lost with them, and unsaved references to them lead nowhere. The other models
    /// that rows were changed of are brought up to date. Another context notices what it would notice of another program.
    ///
    /// ``DefaultStore`` deletes in the file: no row comes into memory, however many there are. A store that is not
    /// ``DataStoreBatching``, or leaves the request to the context, has its matching rows fetched and deleted one by one.
    ///
    /// - Parameters:
    ///   - model: The class.
    ///   - predicate: Which models; `nil` for all of them.
    ///   - includeSubclasses: There for code that is written for SwiftData. A class has no rows of another.
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unknownSchema``,
    ///   ``SwiftDataError/storeBusy``, ``SwiftDataError/storeReadOnly`` and other failures of the store, which the
    ///   error names; and what reading a relationship could not throw. After an error nothing is deleted.
    public func delete<Model: PersistentModel>(
        model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true
    ) throws {
        settleLists()
        try storage.failures.throwForSave()
        let entity = try contextEntity(for: model).entity
        let store = try coordinator.store(for: model)
        let request = DataStoreBatchDeleteRequest(
            predicate: predicate, includeSubclasses: includeSubclasses, editingState: editingState)
        try ReadCancellation.suspended {
            try delete(request, from: store)
            settleModels(afterDeleting: entity)
        }
    }

    private func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>, from store: any DataStore) throws {
        try attributingErrors(to: store) {
            guard let batching = store as? any DataStoreBatching else { return try deleteByFetching(request) }
            do { try batching.delete(request) } catch DataStoreError.preferInMemoryFilter {
                try deleteByFetching(request)
            }
        }
    }

    /// Does it with models of a context of their own: what counts is what the store has.
    private func deleteByFetching<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        let deleter = ModelContext(coordinator)
        (deleter.author, deleter.name) = (author, name)
        for model in try deleter.fetch(FetchDescriptor(predicate: request.predicate)) { deleter.deleteAny(model) }
        try deleter.save()
    }
}

// MARK: - Afterwards

extension ModelContext {
    /// Brings the models of this context in line with the store after rows of an entity were deleted there.
    private func settleModels(afterDeleting entity: Schema.Entity) {
        var gone: Set<PersistentIdentifier> = []
        for entity in entitiesTouched(byDeleting: entity) {
            // The delete is done, whatever comes of this.
            deferring { gone.formUnion(try missingRows(of: entity)) }
        }
        links.forgetLists()
        guard !gone.isEmpty else { return }
        clearReferences(to: gone)
        let models = gone.compactMap { registeredBacking($0)?.model }
        for model in models { leave(model.persistentBackingData) }
        pendingModels = pendingModels.filter { $0.backing.isPending }
        registry.forEach { backing in
            // A list that was read before may have models that are gone.
            backing.removeLists()
        }
    }

    /// The entities whose rows may be deleted or changed when rows of one are deleted.
    private func entitiesTouched(byDeleting entity: Schema.Entity) -> [Schema.Entity] {
        let all = coordinator.schema.entitiesByName
        var deleted = [entity]
        var next = 0
        while next < deleted.count {
            for case let relationship? in deleted[next].relationshipProperties.lazy.map(\.relationship)
            where relationship.deleteRule == .cascade
                && !deleted.contains(where: { $0.name == relationship.destination })
            {
                if let destination = all[relationship.destination] { deleted.append(destination) }
            }
            next += 1
        }
        let names = Set(deleted.map(\.name))
        let referring = coordinator.schema.entities.filter { entity in
            !names.contains(entity.name)
                && entity.storedProperties.contains { names.contains($0.relationship?.destination ?? "") }
        }
        return deleted + referring
    }

    /// Reads the rows of this context's models of an entity anew.
    ///
    /// - Returns: Those that are not there any more, also of models that are only referred to by what was not saved.
    private func missingRows(of entity: Schema.Entity) throws -> Set<PersistentIdentifier> {
        var wanted = Set(pendingReferences().filter { $0.entityName == entity.name })
        var models: [any PersistentModel] = []
        registry.forEach { backing in
            guard backing.hasRow, let membership = backing.membership, membership.entity === entity,
                let model = backing.model
            else { return }
            models.append(model)
            wanted.insert(backing.identifier)
        }
        // The models stay alive until their rows were looked for.
        return try withExtendedLifetime(models) {
            wanted.isEmpty ? [] : wanted.subtracting(try existing(wanted, entity.type))
        }
    }

    private func existing<Model: PersistentModel>(
        _ identifiers: Set<PersistentIdentifier>, _ type: Model.Type
    ) throws -> [PersistentIdentifier] {
        // { identifiers.contains($0.persistentModelID) }
        let predicate = Predicate<Model> { model in
            PredicateExpressions.build_contains(
                PredicateExpressions.build_Arg(identifiers),
                PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID))
        }
        var descriptor = FetchDescriptor<Model>(predicate: predicate)
        descriptor.includePendingChanges = false
        return try fetch(descriptor).map(\.persistentModelID)
    }

    // MARK: References

    /// Where relationships lead that were set and not saved.
    private func pendingReferences() -> [PersistentIdentifier] {
        pendingModels.flatMap { listed in
            listed.backing.pending.values.compactMap { value in
                if case .reference(let identifier) = value, !identifier.isTemporary { identifier } else { nil }
            }
        }
    }

    private func clearReferences(to gone: Set<PersistentIdentifier>) {
        for backing in pendingModels.map(\.backing) {
            for (slot, value) in backing.pending {
                guard case .reference(let identifier) = value, gone.contains(identifier) else { continue }
                backing.pending[slot] = .null
            }
        }
        for identifier in gone { unsavedReferrers[identifier] = nil }
    }

    /// The model has no row any more, as after a delete that was saved.
    private func leave(_ backing: BackingData) {
        links.forget(backing)
        backing.status = .deleted
        backing.isPending = false
        registry.remove(backing)
    }
}

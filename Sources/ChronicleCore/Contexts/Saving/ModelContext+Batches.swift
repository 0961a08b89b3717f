public import Foundation

extension ModelContext {
    /// Deletes all stored models of a class that match a predicate, and applies the delete rules of their relationships.
    ///
    /// ```swift
    /// try context.delete(model: Trip.self, where: #Predicate { $0.endDate < lastYear })
    /// ```
    ///
    /// This method saves immediately, unlike in SwiftData, where the next save deletes the models. It writes all deletes, cascades
    /// and nullified references in one transaction with the context's ``author``, ``name`` and ``transactionMetadata``.
    /// ``rollback()`` does not restore the rows.
    ///
    /// The predicate is evaluated against the stored values. Unsaved changes of this context are not considered and not saved; call
    /// ``save()`` first if they should be. New models remain in the context. Models of this context whose rows were deleted become
    /// deleted models: their unsaved changes are discarded, and unsaved references to them become `nil`. The method refreshes the
    /// other models whose rows changed. Other contexts see the delete like one by another process.
    ///
    /// For a store that does not conform to ``DataStoreBatching``, or that returns the request to the context, the context fetches
    /// the matching models and deletes each of them.
    ///
    /// - Parameters:
    ///   - model: The model class.
    ///   - predicate: The condition that the models must match; `nil` for all models of the class.
    ///   - includeSubclasses: Whether to delete instances of subclasses that match.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the store cannot evaluate the predicate; rewrite it.
    ///   ``SwiftDataError/deleteDenied`` if a delete rule denies a delete; delete the referencing models first.
    ///   ``SwiftDataError/unknownSchema`` if the container does not have the model. ``SwiftDataError/storeBusy``,
    ///   ``SwiftDataError/storeReadOnly`` or another error of the store. Also an unresolved error of a relationship that could not
    ///   be loaded; see ``retryFailedLoads()``. After an error, nothing is deleted. If several stores contain the model, they are
    ///   processed in the order of the container's configurations up to the first error; the rows of the stores before it are
    ///   deleted.
    /// - Complexity: Depends on the predicate and the indices of the store, plus O(*n*), where *n* is the number of deleted rows
    ///   and of the models of affected classes that are in memory.
    public func delete<Model: PersistentModel>(
        model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true
    ) throws {
        try coordinator.requirePresent()
        verifyLists()
        try throwFailures()
        let entity = try contextEntity(for: model).entity
        let stores = try coordinator.stores(for: model)
        let request = DataStoreBatchDeleteRequest(
            predicate: predicate, includeSubclasses: includeSubclasses, editingState: try storage.writingState())
        try ReadCancellation.suspended {
            let existing = try storage.notifyingObservers { try existingRows(affectedByDeleting: entity) }
            var hasDeleted = false
            defer {
                if hasDeleted { storage.notifyingObservers { updateModels(afterDeleting: entity, existing) } }
            }
            for store in stores {
                try delete(request, from: store)
                hasDeleted = true
            }
        }
    }

    private func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>, from store: any DataStore) throws {
        try attributingErrors(to: store) {
            guard let batching = batchingStore(store, for: Model.self) else {
                return try deleteByFetching(request, from: store)
            }
            do {
                try batching.delete(request)
                coordinator.commits.didSave(to: store)
            } catch DataStoreError.preferInMemoryFilter { try deleteByFetching(request, from: store) }
        }
    }

    /// A store with separate classes performs batch operations only on a class without subclasses.
    func batchingStore(_ store: any DataStore, for type: any PersistentModel.Type) -> (any DataStoreBatching)? {
        separateKinds(of: type, in: store) == nil ? store as? any DataStoreBatching : nil
    }

    /// A separate context evaluates the predicate against the stored values.
    private func deleteByFetching<Model>(
        _ request: DataStoreBatchDeleteRequest<Model>, from store: any DataStore
    ) throws {
        let deleter = emptyCopy()
        for model in try deleter.fetchStored(FetchDescriptor(predicate: request.predicate), from: store)
        where request.includeSubclasses || type(of: model) == Model.self {
            deleter.deleteAny(model)
        }
        try deleter.save()
    }
}

// MARK: - Updating the context

extension ModelContext {
    /// Returns the rows that a batch delete may delete and that the context has unsaved changes of, or unsaved references to. Those
    /// that are missing before were deleted by other writers, and remain unsaved changes.
    private func existingRows(affectedByDeleting entity: Schema.Entity) throws -> Set<PersistentIdentifier> {
        let pending = pendingModels
        guard !pending.isEmpty else { return [] }
        let names = Set(entitiesAffected(byDeleting: entity).map(\.name))
        let linked = links.addedModels.filter { $0.persistentBackingData.state == .saved }
        let models = (pending.filter(\.backing.mayDifferFromRow).map(\.model) + linked).filter {
            names.contains($0.persistentModelID.entityName)
        }
        var existing = Set<PersistentIdentifier>()
        for (name, models) in Dictionary(grouping: models, by: \.persistentModelID.entityName) {
            existing.formUnion(try readRows(of: models, name).lazy.filter(\.isFound).map(\.model.persistentModelID))
        }
        let references = Set(pendingReferences()).subtracting(existing).filter { names.contains($0.entityName) }
        for (name, identifiers) in Dictionary(grouping: references, by: \.entityName) {
            existing.formUnion(try existingRows(name, Set(identifiers)))
        }
        return existing
    }

    /// - Parameter existing: The result of ``existingRows(affectedByDeleting:)`` before.
    private func updateModels(afterDeleting entity: Schema.Entity, _ existing: Set<PersistentIdentifier>) {
        // The rows are deleted, so an error here must not be thrown by the delete.
        var deleted: Set<PersistentIdentifier> = []
        for entity in entitiesAffected(byDeleting: entity) {
            deferringErrors {
                try readRows(of: registeredModels(of: entity), entity.name) {
                    existing.contains($0.identifier) ? .batchDeleted : .rowNotFound
                }
                let references = Set(pendingReferences()).intersection(existing).filter { $0.entityName == entity.name }
                deleted.formUnion(references.subtracting(try existingRows(entity.name, references)))
            }
        }
        clearReferences(to: deleted)
        forgetAllLists()
    }

    func refreshModels(afterChanging entity: Schema.Entity) {
        let kinds = coordinator.schema.kinds(of: entity.name).compactMap { coordinator.schema.entitiesByName[$0] }
        storage.notifyingObservers {
            // The rows are written, so an error here must not be thrown by the batch operation.
            for entity in kinds {
                deferringErrors { try readRows(of: registeredModels(of: entity), entity.name) }
            }
            forgetLists(of: kinds.lazy.map(\.name))
        }
    }

    private func entitiesAffected(byDeleting entity: Schema.Entity) -> [Schema.Entity] {
        let all = coordinator.schema.entitiesByName
        func kinds(of name: String) -> [Schema.Entity] {
            coordinator.schema.kinds(of: name).sorted().compactMap { all[$0] }
        }
        var deleted = kinds(of: entity.name)
        var next = 0
        while next < deleted.count {
            for case let relationship? in deleted[next].relationshipProperties.lazy.map(\.relationship)
            where relationship.deleteRule == .cascade
                && !deleted.contains(where: { $0.name == relationship.destination })
            {
                deleted += kinds(of: relationship.destination)
            }
            next += 1
        }
        let names = Set(deleted.map(\.name))
        let referring = coordinator.schema.entities.filter { entity in
            !names.contains(entity.name)
                && entity.storedProperties.contains { property in
                    // A reference to a superclass may be one to a deleted subclass.
                    property.relationship.map { !names.isDisjoint(with: kinds(of: $0.destination).map(\.name)) }
                        ?? false
                }
        }
        return deleted + referring
    }

    private func registeredModels(of entity: Schema.Entity) -> [any PersistentModel] {
        var models: [any PersistentModel] = []
        registry.forEach { backing in
            // Others may have inserted the row of a restored model again.
            guard backing.membership?.entity === entity,
                backing.state == .restored || (backing.hasRow && backing.state.mayHaveRow)
            else { return }
            if let model = backing.model { models.append(model) }
        }
        return models
    }

    private func existingRows(
        _ entityName: String, _ identifiers: Set<PersistentIdentifier>
    ) throws -> Set<PersistentIdentifier> {
        guard !identifiers.isEmpty, let entity = coordinator.schema.entitiesByName[entityName] else { return [] }
        var found: Set<PersistentIdentifier> = []
        for store in try coordinator.stores(for: entity.type) {
            let part = identifiers.filter { $0.storeIdentifier == store.identifier }
            guard !part.isEmpty else { continue }
            // The store may ignore the lookup.
            try forEachRow(of: entity, in: store, .identifiers(part)) { identifier, _ in
                if part.contains(identifier) { found.insert(identifier) }
            }
        }
        return found
    }

    // MARK: References

    private func pendingReferences() -> [PersistentIdentifier] {
        pendingModels.flatMap { listed in
            listed.backing.pending.values.compactMap { value in
                if case .reference(let identifier) = value, !identifier.isTemporary { identifier } else { nil }
            }
        }
    }

    private func clearReferences(to deletedIdentifiers: Set<PersistentIdentifier>) {
        for backing in pendingModels.map(\.backing) {
            for (slot, value) in backing.pending {
                guard case .reference(let identifier) = value, deletedIdentifiers.contains(identifier) else { continue }
                backing.pending[slot] = .null
                backing.membership.map { backing.didChange($0.entity.storedProperties[slot]) }
            }
        }
        for identifier in deletedIdentifiers { unsavedReferrers[identifier] = nil }
    }
}

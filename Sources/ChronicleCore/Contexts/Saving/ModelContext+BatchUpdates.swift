public import Foundation

extension ModelContext {
    /// Changes properties of all stored models of a class that match a predicate, without fetching them.
    ///
    /// ```swift
    /// try context.update(
    ///     model: Trip.self, where: #Predicate { $0.endDate < today },
    ///     set: [PropertyUpdate(\.isArchived, to: true), PropertyUpdate(\.rating, to: \.rating + 1)])
    /// ```
    ///
    /// Like ``delete(model:where:includeSubclasses:)``, this method saves immediately, in one transaction with the context's
    /// ``author``, ``name`` and ``transactionMetadata``. ``rollback()`` does not restore the values. The history contains an update
    /// for each row whose values differ from those before.
    ///
    /// The predicate and the expressions are evaluated against the stored values. Unsaved changes of this context are not
    /// considered and not saved; call ``save()`` first if they should be. The method refreshes the models of this context, except
    /// for their unsaved changes. Other contexts see the update like one by another process.
    ///
    /// For a store that does not implement ``DataStoreBatching/update(_:)``, or that returns the request to the context, the
    /// context fetches the matching models and changes each of them.
    ///
    /// - Parameters:
    ///   - model: The model class.
    ///   - predicate: The condition that the models must match; `nil` for all models of the class.
    ///   - updates: The new values. If the array is empty, the method does nothing.
    /// - Returns: The number of matching models, whether or not their values differ.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the store cannot evaluate the predicate or an expression; rewrite it.
    ///   ``SwiftDataError/unsupportedKeyPath`` if a property is not an attribute, or occurs twice; fetch the models to set it.
    ///   ``SwiftDataError/uniquenessViolation`` if two rows would have the same unique value, and
    ///   ``SwiftDataError/valueOutOfRange`` if a calculation overflows; exclude the rows with the predicate.
    ///   ``SwiftDataError/unknownSchema`` if the container does not have the model. ``SwiftDataError/storeBusy``,
    ///   ``SwiftDataError/storeReadOnly`` or another error of the store. Also an unresolved error of a relationship that could not
    ///   be loaded; see ``retryFailedLoads()``. After an error, nothing is changed. If several stores contain the model, they are
    ///   processed in the order of the container's configurations up to the first error; the rows of the stores before it are
    ///   changed.
    /// - Complexity: Depends on the predicate and the indices of the store, plus O(*n*), where *n* is the number of updated rows
    ///   and of the models of the class that are in memory.
    @discardableResult
    public func update<Model: PersistentModel>(
        model: Model.Type, where predicate: Predicate<Model>? = nil, set updates: [PropertyUpdate<Model>]
    ) throws -> Int {
        try coordinator.requirePresent()
        verifyLists()
        try throwFailures()
        let entity = try contextEntity(for: model).entity
        try requireDistinct(updates, of: entity)
        guard !updates.isEmpty else { return 0 }
        let stores = try coordinator.stores(for: model)
        let request = DataStoreBatchUpdateRequest(
            predicate: predicate, updates: updates, editingState: try storage.writingState())
        return try ReadCancellation.suspended {
            var count = 0
            var hasUpdated = false
            defer { if hasUpdated { refreshModels(afterChanging: entity) } }
            for store in stores {
                count += try update(request, in: store)
                hasUpdated = true
            }
            return count
        }
    }

    /// Changes a property of all stored models of a class that match a predicate to a value; see ``update(model:where:set:)``.
    ///
    /// - Parameters:
    ///   - model: The model class.
    ///   - predicate: The condition that the models must match; `nil` for all models of the class.
    ///   - keyPath: The key path of an attribute.
    ///   - value: The new value.
    /// - Returns: The number of matching models.
    /// - Throws: The errors of ``update(model:where:set:)``, such as ``SwiftDataError/uniquenessViolation``.
    @discardableResult
    public func update<Model: PersistentModel, Value: Sendable>(
        model: Model.Type, where predicate: Predicate<Model>? = nil,
        set keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to value: Value
    ) throws -> Int {
        try update(model: model, where: predicate, set: [PropertyUpdate(keyPath, to: value)])
    }

    /// Changes a property of all stored models of a class that match a predicate to the value of an expression, such as `\.rating +
    /// 1`; see ``update(model:where:set:)``.
    ///
    /// - Parameters:
    ///   - model: The model class.
    ///   - predicate: The condition that the models must match; `nil` for all models of the class.
    ///   - keyPath: The key path of an attribute.
    ///   - expression: The new value, calculated from the stored values of a model.
    /// - Returns: The number of matching models.
    /// - Throws: The errors of ``update(model:where:set:)``, such as ``SwiftDataError/valueOutOfRange``.
    @discardableResult
    public func update<Model: PersistentModel, Value>(
        model: Model.Type, where predicate: Predicate<Model>? = nil,
        set keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to expression: Expression<Model, Value>
    ) throws -> Int {
        try update(model: model, where: predicate, set: [PropertyUpdate(keyPath, to: expression)])
    }

    private func requireDistinct<Model>(_ updates: [PropertyUpdate<Model>], of entity: Schema.Entity) throws {
        var slots = PropertySet()
        for update in updates {
            let property = try update.attribute(in: entity)
            guard !slots.contains(property.slot) else {
                throw SwiftDataError.unsupportedKeyPath.with(
                    detail: "a batch update sets the property twice; remove one of the values",
                    entityName: entity.name, propertyName: property.name)
            }
            slots.insert(property.slot)
        }
    }

    private func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>, in store: any DataStore) throws -> Int {
        try attributingErrors(to: store) {
            guard let batching = batchingStore(store, for: Model.self) else {
                return try updateByFetching(request, in: store)
            }
            do {
                let count = try batching.update(request)
                coordinator.commits.didSave(to: store)
                return count
            } catch DataStoreError.preferInMemoryFilter { return try updateByFetching(request, in: store) }
        }
    }

    /// A separate context evaluates the predicate and the expressions against the stored values.
    private func updateByFetching<Model>(
        _ request: DataStoreBatchUpdateRequest<Model>, in store: any DataStore
    ) throws -> Int {
        let editor = emptyCopy()
        let entity = try contextEntity(for: Model.self).entity
        let models = try editor.fetchStored(FetchDescriptor(predicate: request.predicate), from: store)
        // An expression may read a model that is updated as well.
        let setters = try models.flatMap { model in
            try request.updates.map { try $0.setter(for: model, in: entity, coordinator.schema) }
        }
        for set in setters { set() }
        try editor.save()
        return models.count
    }

    // MARK: Inserts

    /// Inserts new models into the store without registering them with this context, to import many rows.
    ///
    /// The sequence creates a model when it is needed, and the model is released after its values were read:
    ///
    /// ```swift
    /// try context.insert(model: Trip.self, from: lines.lazy.map { Trip(name: $0) })
    /// ```
    ///
    /// The method saves immediately, in one transaction with the context's ``author``, ``name`` and ``transactionMetadata``.
    /// Unsaved changes of this context are not saved. The method checks required values and required relationships like
    /// ``save()``. Unlike ``save()``, it does not replace a model with the same unique value, but throws
    /// ``SwiftDataError/uniquenessViolation``. A to-one relationship may reference a model of this context that is saved; to-many
    /// relationships must be empty.
    ///
    /// - Parameters:
    ///   - model: The model class.
    ///   - models: New models that are not in a context. They do not become part of one, so they do not have the identifiers of the
    ///     rows.
    /// - Returns: The number of inserted models.
    /// - Throws: ``SwiftDataError/modelValidationFailure`` if a model cannot be saved in its current state (also for
    ///   ``SwiftDataError/valueOutOfRange`` and ``SwiftDataError/uniquenessViolation``); correct the property that the error names.
    ///   ``SwiftDataError/contextMismatch`` if a model, or the destination of a relationship, is in another context.
    ///   ``SwiftDataError/unsupportedKeyPath`` for relationships that a batch cannot set; insert these models with ``insert(_:)``.
    ///   The errors of the store, such as ``SwiftDataError/storeBusy``. After an error, nothing is inserted.
    /// - Complexity: O(*n*), where *n* is the number of models. The encoded values of all models are in memory at once.
    @discardableResult
    public func insert<Model: PersistentModel>(model: Model.Type, from models: some Sequence<Model>) throws -> Int {
        verifyLists()
        try throwFailures()
        let membership = try contextEntity(for: model)
        let store = try coordinator.store(for: model, of: nil)
        var snapshots: [DefaultSnapshot] = []
        snapshots.reserveCapacity(models.underestimatedCount)
        for model in models {
            // An instance of a subclass has the values of its own class.
            snapshots.append(try batchSnapshot(of: model, contextEntity(for: type(of: model))))
        }
        guard !snapshots.isEmpty else { return 0 }
        if coordinator.sharesModels { try requireReferences(of: snapshots, within: store) }
        try ReadCancellation.suspended {
            try attributingErrors(to: store) { try insert(snapshots, into: store) }
            refreshModels(afterChanging: membership.entity)
        }
        return snapshots.count
    }

    private func insert<Store: DataStore>(_ snapshots: [DefaultSnapshot], into store: Store) throws {
        let inserted = try Store.Snapshot.all(addingEmptyLists(to: snapshots, for: store), in: coordinator.schema)
        let request = DataStoreSaveChangesRequest(
            editingState: try storage.writingState(), inserted: inserted, updated: [], deleted: [])
        let result = try store.save(request)
        if !result.mayHaveOtherChanges { storage.didSave(result.historyToken) }
        coordinator.commits.didSave(to: store)
        _ = try SaveCheck(store).check(result, of: request.inserted, snapshots, beside: registry, &storage.validToken)
    }

    private func batchSnapshot(of model: some PersistentModel, _ membership: ContextEntity) throws -> DefaultSnapshot {
        let backing = model.persistentBackingData
        guard backing.membership == nil, !backing.isProbe else {
            throw SwiftDataError.contextMismatch.with(
                detail: "a batch insert requires new models; this one is in a context",
                entityName: membership.entity.name)
        }
        if let counted = membership.entity.counted.first { throw notInBatch(counted, of: membership.entity) }
        let references = try references(of: model, membership.entity)
        // As if the model were inserted, but the context does not register it.
        backing.join(membership)
        backing.model = model
        backing.change(.inserted)
        defer {
            backing.join(nil)
            backing.model = nil
            backing.change(.rolledBack)
        }
        for (slot, identifier) in references { backing.pending[slot] = .reference(identifier) }
        return try insertSnapshot(backing, membership)
    }

    private func references(
        of model: some PersistentModel, _ entity: Schema.Entity
    ) throws -> [(slot: Int, PersistentIdentifier)] {
        try entity.relationshipProperties.flatMap { property -> [(Int, PersistentIdentifier)] in
            guard let destinations = property.relationshipAccess?.destinations(of: model), !destinations.isEmpty else {
                return []
            }
            let inverse = property.relationship.flatMap { coordinator.schema.inverse(of: $0)?.relationship }
            guard property.slot >= 0, inverse?.isToMany != false, inverse?.hasCounts != true else {
                throw notInBatch(property, of: entity)
            }
            return try destinations.map { destination in
                let other = destination.persistentBackingData
                guard other.membership?.registry === registry, other.state == .saved else {
                    throw SwiftDataError.contextMismatch.with(
                        detail: "a batch insert can only reference models that are saved in the same context",
                        entityName: entity.name, propertyName: property.name)
                }
                return (property.slot, other.identifier)
            }
        }
    }

    private func notInBatch(_ property: Schema.Property, of entity: Schema.Entity) -> SwiftDataError {
        .unsupportedKeyPath.with(
            detail: "a batch insert cannot set to-many and one-to-one relationships, or check the number of models of "
                + "one; insert the models with insert(_:) and save",
            entityName: entity.name, propertyName: property.name)
    }
}

import Foundation

extension ModelContext {
    /// Returns the models that match a descriptor, one instance per row.
    ///
    /// The values of a model that is already in memory are refreshed from the store, except for unsaved changes.
    /// ``FetchDescriptor/includePendingChanges`` determines whether unsaved changes affect which models match.
    ///
    /// - Parameter descriptor: The models to fetch, their order, and the relationships to prefetch.
    /// - Returns: The matching models, in the order of the descriptor.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` if the store cannot
    ///   evaluate the descriptor; rewrite it. ``SwiftDataError/unsupportedKeyPath`` if a property to prefetch is not a
    ///   relationship. ``SwiftDataError/unknownSchema`` if the container does not have the model.
    ///   ``SwiftDataError/undecodableValue`` if another program stored a value of the wrong type; correct the row.
    ///   ``SwiftDataError/invalidStoreResponse`` or ``SwiftDataError/unsupportedFeature`` if a custom store is incorrect or
    ///   incomplete. ``SwiftDataError/storeBusy`` or another error of the store. `CancellationError` if the task is canceled during
    ///   the fetch. Also an error of a relationship that could not be loaded, once; see ``retryFailedLoads()``. After an error, the
    ///   context can still be used.
    /// - Complexity: Depends on the predicate and the indices of the store. In the context, O(*n* + *m*), where *n* is the number
    ///   of returned models and *m* that of the unsaved models of the class.
    public func fetch<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try storage.notifyingObservers {
            let models = try find(descriptor)
            if !descriptor.relationshipKeyPathsForPrefetching.isEmpty, !models.isEmpty {
                try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
            }
            return models
        }
    }

    /// Returns the model with the given identifier, from memory or from the store.
    ///
    /// Use ``existingModel(for:)`` if the row may not exist, because this method does not throw. If the row cannot be loaded, it
    /// returns a model that loads its row when a property is read. As long as that fails, properties read as empty values and
    /// ``save()`` throws the error. If the row does not exist, properties read as empty values, and a save drops its changes; see
    /// ``lastSaveResult``. In SwiftData, reading such a model ends the program.
    ///
    /// A temporary identifier is only valid while its model is inserted in this context and not saved. For any other one, the returned
    /// model is deleted: ``PersistentModel/isDeleted`` is `true`, changes of it are ignored, and a `fetch` or `save` after assigning
    /// it to a relationship throws ``SwiftDataError/modelNotFound``.
    ///
    /// If the container does not have the entity of the identifier, the returned model has no properties and belongs to no context,
    /// and the next `fetch` or `save` throws ``SwiftDataError/unknownSchema``.
    ///
    /// - Parameter identifier: The identifier of the model.
    /// - Returns: The model, which may not be loaded yet.
    public func model(for identifier: PersistentIdentifier) -> any PersistentModel {
        if let known = registeredBacking(identifier)?.model { return known }
        do {
            if !identifier.isTemporary, let found = try load(identifier, identifier.entityName) { return found }
        } catch SwiftDataError.unknownSchema {
            storage.failures.add(
                SwiftDataError.unknownSchema.with(
                    entityName: identifier.entityName, persistentIdentifier: identifier))
        } catch {
            // Reading a property of the model tries again and records the error.
        }
        return unloadedModel(for: identifier)
    }

    func unloadedModel(for identifier: PersistentIdentifier) -> any PersistentModel {
        do {
            let type = coordinator.schema.entitiesByName[identifier.entityName]?.type ?? UnknownModel.self
            let entity = try contextEntity(for: type)
            let model = type.make(
                entity.backingDataType.type.init(unloaded: identifier, entity), entity.backingDataType)
            model.persistentBackingData.model = model
            registry.add(model.persistentBackingData, identifier)
            return model
        } catch {
            // The container does not have the entity.
            return UnknownModel.placeholder(for: identifier)
        }
    }

    /// Returns `true` if the row exists or the model is new. Throws ``SwiftDataError/modelNotFound`` if another instance, of a
    /// subclass, represents the row.
    @discardableResult
    func loadIfNeeded(_ backing: AnyBackingData) throws -> Bool {
        guard backing.isUnloaded else { return true }
        let identifier = backing.identifier
        if !identifier.isTemporary { _ = try load(identifier, identifier.entityName) }
        guard backing.state != .replaced else {
            throw SwiftDataError.modelNotFound.with(
                detail:
                    "the model was created while its row could not be loaded, and another instance represents the row; call "
                    + "`retryFailedLoads()`, and read the relationship again, or fetch the model",
                persistentIdentifier: identifier)
        }
        return backing.hasRow
    }

    /// A getter cannot throw, so the next fetch or save throws the error.
    func loadForGetter(_ backing: AnyBackingData) {
        let key = ContextFailures.Key(identifier: backing.identifier, propertyName: nil)
        do {
            try loadIfNeeded(backing)
            storage.failures.resolveRead(key)
        } catch {
            storage.failures.addRead(key, error)
        }
    }

    /// Tries again to load the relationships and models that could not be loaded when they were read.
    ///
    /// Such a relationship read as empty, and the program may have acted on that. Therefore ``save()`` throws the error until the
    /// relationship is loaded. Call this method to try again and keep all other changes, or read the relationship again. Then
    /// repeat the steps that depend on it, and save.
    ///
    /// - Throws: ``SwiftDataError/storeBusy`` or another error of the store, if something still cannot be loaded; try again later.
    ///   Also the error of a value that was assigned to a relationship and not stored; assign it again. To continue without these
    ///   changes, call ``rollback()``.
    /// - Complexity: O(*n*), where *n* is the number of relationships and models to load.
    public func retryFailedLoads() throws {
        for key in storage.failures.readKeys {
            let model = try loadedModel(key.identifier) ?? load(key.identifier, key.identifier.entityName)
            // If the row no longer exists, there is nothing to load.
            if let backing = model?.persistentBackingData, try loadIfNeeded(backing), let name = key.propertyName,
                let property = backing.membership?.entity.propertiesByName[name]
            {
                _ = try ManagedRelationship(self, backing, property)?.destinations()
            }
            storage.failures.resolveRead(key)
        }
        try throwFailures()
    }

    /// Fetches models.
    ///
    /// - Parameters:
    ///   - descriptor: The criteria.
    ///   - leavingFailures: Whether the errors of earlier operations are left to the next fetch or save.
    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, leavingFailures: Bool) throws -> [Model] {
        storage.failures.areLeft = leavingFailures
        defer { storage.failures.areLeft = false }
        return try fetch(descriptor)
    }

    func throwForFetch() throws {
        verifyLists()
        try storage.failures.throwForFetch()
    }

    /// Returns the model with the given identifier, from memory or from the store, and throws if it does not exist.
    ///
    /// - Parameter identifier: The identifier of the model.
    /// - Returns: The model, loaded.
    /// - Throws: ``SwiftDataError/modelNotFound`` if the row does not exist or the model was deleted in this context.
    ///   ``SwiftDataError/unknownSchema`` if the container does not have the entity. ``SwiftDataError/storeBusy`` or another error
    ///   of the store.
    public func existingModel(for identifier: PersistentIdentifier) throws -> any PersistentModel {
        let known = registeredBacking(identifier)
        if known?.state.isInContext == true, let model = loadedModel(identifier) { return model }
        guard !identifier.isTemporary, known?.state.isInContext != false,
            let model = try load(identifier, identifier.entityName)
        else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model was deleted, or no store of the container has it; fetch the models again",
                persistentIdentifier: identifier)
        }
        return model
    }

    /// Returns the model with an identifier as an instance of its class, after checking that its row exists.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the model.
    ///   - type: The class of the model, or a superclass.
    /// - Returns: The model.
    /// - Throws: The errors of ``existingModel(for:)``. ``SwiftDataError/modelNotFound`` also if the model has another class.
    public func existingModel<Model: PersistentModel>(
        for identifier: PersistentIdentifier, as type: Model.Type
    ) throws -> Model {
        let model = try existingModel(for: identifier)
        guard let model = model as? Model else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model is a \(Swift.type(of: model)) and not a \(type); pass its class",
                persistentIdentifier: identifier)
        }
        return model
    }

    /// Returns `nil` if the row has to be loaded.
    func loadedModel(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
        guard let known = registeredBacking(identifier), !known.isUnloaded else { return nil }
        return known.model
    }

    // MARK: Rows and instances

    func request<Model>(
        _ descriptor: FetchDescriptor<Model>, excluding excluded: Set<PersistentIdentifier> = []
    ) -> DataStoreFetchRequest<Model> {
        DataStoreFetchRequest(descriptor: descriptor, editingState: editingState, excludedIdentifiers: excluded)
    }

    func fetchStored<Model>(_ descriptor: FetchDescriptor<Model>, _ entity: ContextEntity) throws -> [Model] {
        try fetchStored(request(descriptor), entity)
    }

    func fetchStored<Model: PersistentModel>(_ lookup: DataStoreLookup) throws -> [Model] {
        let request = DataStoreFetchRequest<Model>(
            descriptor: FetchDescriptor(), editingState: editingState, lookup: lookup)
        return try fetchStored(request, contextEntity(for: Model.self))
    }

    func fetchStored<Model>(_ request: DataStoreFetchRequest<Model>, _ entity: ContextEntity) throws -> [Model] {
        // A fetch replaces rows and lists, so changes of lists are applied first.
        verifyLists()
        let stores = try coordinator.stores(for: Model.self)
        return try storage.notifyingObservers {
            try stores.count == 1 ? fetch(request, from: stores[0], entity) : fetchMerged(request, stores, entity)
        }
    }

    /// Ignores unsaved changes.
    func fetchStored<Model>(_ descriptor: FetchDescriptor<Model>, from store: any DataStore) throws -> [Model] {
        let models = try storage.notifyingObservers {
            try fetch(request(descriptor), from: store, contextEntity(for: Model.self))
        }
        if !descriptor.relationshipKeyPathsForPrefetching.isEmpty, !models.isEmpty {
            try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
        }
        return models
    }

    func fetch<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, from store: Store, _ entity: ContextEntity
    ) throws -> [Model] {
        let checks = RowChecker(
            entity.entity, coordinator.schema, storeIdentifier: store.identifier, isPast: coordinator.positions != nil)
        var identifiers = FetchCheck(entity.entity, coordinator.schema, storeIdentifier: store.identifier)
        var subentities = SubentityRows(self, entity.entity, storeIdentifier: store.identifier)
        let known = registry.count
        let lookup = request.lookup
        // Not `[Model]`, because appending to it is slower in generic code. Arrays of objects have the same layout.
        var found: [AnyObject] = []
        try rows(request, of: store) { identifier, row in
            try identifiers.row(identifier)
            // The store may ignore the lookup.
            if let lookup, !lookup.matches(identifier, row) { return }
            if let model = try subentities?.instance(identifier, row) {
                found.append(model)
                return
            }
            found.append(try instance(identifier, consume row, entity, checks) as Model)
        }
        let models = unsafeBitCast(found, to: [Model].self)
        try attributingErrors(to: store) { try identifiers.requireDistinct(models, in: self, known: known) }
        return models
    }

    /// Refreshes a registered instance.
    func instance<Model: PersistentModel>(
        _ identifier: PersistentIdentifier, _ row: consuming DataStoreRow, _ entity: ContextEntity,
        _ checks: RowChecker
    ) throws -> Model {
        var search: ModelRegistry.Search? = registry.search(identifier)
        if search?.isFound == true {
            if let model = try refreshed(identifier, row, entity, checks) as Model? { return model }
            replaceUnloaded(identifier)
            search = nil
        }
        let decoded = try checks.check(row, identifier)
        let backing = entity.backingData(identifier, consume row)
        if let decoded { backing.decoded = decoded }
        let model = Model.make(backing, entity.backingDataType)
        if backing.hasRow {
            register(model, backing, identifier, entity, search)
        } else {
            // A class that creates its own backing data has adopted the state and left this object empty.
            register(model, model.persistentBackingData, identifier, entity, nil)
            entity.keepForReuse(backing)
        }
        return model
    }

    /// Returns `nil` if the registered model has another class.
    @inline(never)
    private func refreshed<Model: PersistentModel>(
        _ identifier: PersistentIdentifier, _ row: DataStoreRow, _ entity: ContextEntity, _ checks: RowChecker
    ) throws -> Model? {
        guard let known = registeredBacking(identifier), let model = known.model as? Model else { return nil }
        if known.row != row || known.state != .saved { try refresh(known, row, checks) }
        // A row does not contain to-many lists, and another writer may have changed them.
        known.removeLists()
        if !entity.linkProperties.isEmpty { links.forgetLists(of: entity.linkProperties) }
        return model
    }

    /// For an instance of a superclass, which was created for a reference while the row could not be loaded.
    @inline(never)
    func replaceUnloaded(_ identifier: PersistentIdentifier) {
        guard let known = registeredBacking(identifier) else { return }
        let hasChanges = known.hasChanges || links.isChanged(known)
        report(.replaced, known)
        // The changes cannot be saved.
        if hasChanges { storage.rejectChange(of: known) }
    }

    @inline(__always)
    private func register(
        _ model: some PersistentModel, _ backing: AnyBackingData, _ identifier: PersistentIdentifier,
        _ entity: ContextEntity, _ search: ModelRegistry.Search?
    ) {
        backing.model = model
        registry.add(backing, identifier, search)
        // Another program restored the row.
        if !storage.deletedWithoutRow.isEmpty { storage.deletedWithoutRow.remove(identifier) }
        // The list of the destination may have been read before this row existed.
        for (slot, index) in entity.lists {
            guard case .reference(let owner) = backing.row[slot], let owner = registeredBacking(owner) else { continue }
            // A list contains all its models while it is kept, so this one is new.
            if owner.isObserved, let property = owner.membership?.entity.properties[index], owner.list(property) != nil
            {
                owner.didChange(property)
            }
            owner.removeList(at: index)
        }
    }

    func refresh(_ backing: AnyBackingData, _ row: DataStoreRow, _ checks: RowChecker) throws {
        var decoded = try checks.check(row, backing.identifier) ?? [:]
        // Moves unsaved values from the wrappers to the pending values, because all wrappers read the row again.
        for slot in backing.changed where slot < checks.entity.storedProperties.count {
            let property = checks.entity.storedProperties[slot]
            backing.pending[slot] = try backing.currentValue(of: property)
            decoded[slot] = nil
        }
        for property in checks.entity.storedProperties {
            guard let relationship = property.relationship, relationship.inverseName != nil, backing.hasRow,
                backing.row[property.slot] != row[property.slot]
            else { continue }
            for case .reference(let identifier) in [backing.row[property.slot], row[property.slot]] {
                guard let destination = registeredBacking(identifier) else { continue }
                if destination.isObserved, let inverse = coordinator.schema.inverse(of: property) {
                    destination.didChange(inverse)
                }
                destination.removeLists()
            }
        }
        if backing.isObserved { reportChanges(of: backing, row, checks.entity) }
        backing.adopt(row: row, decoded: decoded)
        report(.rowRead, backing)
    }

    /// Unsaved changes are kept.
    private func reportChanges(of backing: AnyBackingData, _ row: DataStoreRow, _ entity: Schema.Entity) {
        guard backing.hasRow else { return backing.didChangeAllProperties() }
        for property in entity.storedProperties
        where !backing.changed.contains(property.slot) && backing.row[property.slot] != row[property.slot] {
            backing.didChange(property)
        }
    }

    /// For a step after a completed save or delete. The next fetch or save throws the first error of such steps.
    func deferringErrors(_ body: () throws -> Void) {
        do { try body() } catch { storage.failures.addIfFirst(error) }
    }

    func load(_ identifier: PersistentIdentifier, _ entityName: String) throws -> (any PersistentModel)? {
        guard let entity = coordinator.schema.entitiesByName[entityName] else {
            throw SwiftDataError.unknownSchema.with(entityName: entityName, persistentIdentifier: identifier)
        }
        return try load(identifier, as: entity.type)
    }

    private func load<Model: PersistentModel>(_ identifier: PersistentIdentifier, as: Model.Type) throws -> Model? {
        let models: [Model] = try fetchStored(.identifiers([identifier]))
        guard let model = models.first else { return nil }
        recentDestinations.keep(model)
        return model
    }

    func load(_ entityName: String, _ lookup: DataStoreLookup) throws -> [AnyObject] {
        guard let entity = coordinator.schema.entitiesByName[entityName] else { return [] }
        return try load(entity.type, lookup)
    }

    private func load<Model: PersistentModel>(_: Model.Type, _ lookup: DataStoreLookup) throws -> [AnyObject] {
        try fetchStored(lookup) as [Model]
    }
}

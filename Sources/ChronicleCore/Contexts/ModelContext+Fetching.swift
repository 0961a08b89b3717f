import Foundation

extension ModelContext {
    /// The models that match, one instance per row.
    ///
    /// A model that was fetched before comes as the same instance, brought up to date with the store except for what
    /// was changed in this context and not saved. Unsaved changes count as ``FetchDescriptor/includePendingChanges`` says.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``,
    ///   ``SwiftDataError/unsupportedKeyPath`` for what is to be prefetched and is no relationship,
    ///   ``SwiftDataError/unknownSchema``; ``SwiftDataError/undecodableValue`` when another program stored a value that the
    ///   model's property cannot have; ``SwiftDataError/invalidStoreResponse`` and ``SwiftDataError/unsupportedFeature`` for
    ///   a store that breaks its rules or lacks something; the store's failures; what reading a relationship could not
    ///   throw; and `CancellationError` when the task is cancelled while the store reads. The context can be used as before
    ///   then.
    public func fetch<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        let models = try find(descriptor)
        if !descriptor.relationshipKeyPathsForPrefetching.isEmpty, !models.isEmpty {
            try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
        }
        return models
    }

    /// The model with this identifier, from memory or from the store.
    ///
    /// Use it where the row is known to exist, and ``existingModel(for:)`` where it may not. This function does not throw: if
    /// the row cannot be loaded now, it returns a model that is loaded when a property is read. As long as that fails,
    /// properties read as empty values, and ``save()`` throws the error. If the row is gone, properties read as empty
    /// values, and a save that would write to it throws ``SwiftDataError/modelNotFound``. (SwiftData ends the program
    /// when such a model is read.)
    ///
    /// For an identifier of an entity that the container does not know, the model has no properties and belongs to no
    /// context, and the next fetch or save throws ``SwiftDataError/unknownSchema``.
    public func model(for identifier: PersistentIdentifier) -> any PersistentModel {
        if let known = registeredBacking(identifier)?.model { return known }
        do {
            if !identifier.isTemporary, let found = try load(identifier, identifier.entityName) { return found }
        } catch SwiftDataError.unknownSchema {
            storage.failures.add(
                SwiftDataError.unknownSchema.with(
                    entityName: identifier.entityName, persistentIdentifier: identifier))
        } catch {
            // It is thrown when a property of the model cannot be loaded either.
        }
        return unloadedModel(for: identifier)
    }

    /// A model of this context that is loaded when it is read.
    func unloadedModel(for identifier: PersistentIdentifier) -> any PersistentModel {
        do {
            let type = coordinator.schema.entitiesByName[identifier.entityName]?.type ?? UnknownModel.self
            let model = type.init(backingData: BackingData(unloaded: identifier, try contextEntity(for: type)))
            model.persistentBackingData.model = model
            registry.add(model.persistentBackingData, identifier)
            return model
        } catch {
            // It belongs to no entity of the container.
            return UnknownModel.placeholder(for: identifier)
        }
    }

    /// Loads the row of a model that was made without.
    ///
    /// - Returns: Whether there is a row, or the model is new.
    @discardableResult
    func loadIfNeeded(_ backing: BackingData) throws -> Bool {
        guard backing.isUnloaded else { return true }
        let identifier = backing.identifier
        if !identifier.isTemporary { _ = try load(identifier, identifier.entityName) }
        return backing.hasRow
    }

    /// The same for a getter, which cannot throw.
    func loadForGetter(_ backing: BackingData) {
        let key = ContextFailures.Key(identifier: backing.identifier, propertyName: nil)
        do {
            try loadIfNeeded(backing)
            storage.failures.resolveRead(key)
        } catch {
            storage.failures.addRead(key, error)
        }
    }

    /// Loads again what a relationship, or a model, could not load when it was read.
    ///
    /// While something that a program has read could not be loaded, ``save()`` throws the error: the program may have acted
    /// on a list that only seemed to be empty. Call this function to try again without losing other edits, or read the
    /// relationship again. Then repeat what depends on it, and save.
    ///
    /// - Throws: The error of what cannot be loaded this time either, or of an assignment to a relationship that could not
    ///   be carried out: assign the value again. ``rollback()`` gives everything up.
    public func retryFailedLoads() throws {
        for key in storage.failures.readKeys {
            let model = try registeredBacking(key.identifier)?.model ?? load(key.identifier, key.identifier.entityName)
            // Of a model whose row is gone there is nothing to load.
            if let backing = model?.persistentBackingData, try loadIfNeeded(backing), let name = key.propertyName,
                let property = backing.membership?.entity.propertiesByName[name]
            {
                _ = try ManagedRelationship(self, backing, property)?.destinations()
            }
            storage.failures.resolveRead(key)
        }
        try storage.failures.throwForSave()
    }

    func throwForFetch() throws {
        settleLists()
        try storage.failures.throwForFetch()
    }

    /// The model with this identifier, from memory or from the store.
    ///
    /// - Throws: ``SwiftDataError/modelNotFound`` when there is no such row, or it was deleted in this context;
    ///   ``SwiftDataError/unknownSchema``, and the store's failures.
    public func existingModel(for identifier: PersistentIdentifier) throws -> any PersistentModel {
        if let known = registeredBacking(identifier), known.status != .deleted, let model = known.model,
            try loadIfNeeded(known)
        {
            return model
        }
        guard !identifier.isTemporary, registeredBacking(identifier) == nil,
            let model = try load(identifier, identifier.entityName)
        else { throw SwiftDataError.modelNotFound.with(persistentIdentifier: identifier) }
        return model
    }

    // MARK: Parts

    func request<Model>(
        _ descriptor: FetchDescriptor<Model>, excluding excluded: Set<PersistentIdentifier> = []
    ) -> DataStoreFetchRequest<Model> {
        DataStoreFetchRequest(descriptor: descriptor, editingState: editingState, excludedIdentifiers: excluded)
    }

    func fetchStored<Model>(_ descriptor: FetchDescriptor<Model>, _ entity: ContextEntity) throws -> [Model] {
        try fetchStored(request(descriptor), entity)
    }

    func fetchStored<Model>(_ request: DataStoreFetchRequest<Model>, _ entity: ContextEntity) throws -> [Model] {
        // What is fetched is read anew, lists included.
        settleLists()
        return try fetch(request, from: try coordinator.store(for: Model.self), entity)
    }

    private func fetch<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, from store: Store, _ entity: ContextEntity
    ) throws -> [Model] {
        let checks = RowChecker(entity.entity, storeIdentifier: store.identifier)
        var identifiers = FetchCheck(entityName: entity.entity.name, storeIdentifier: store.identifier)
        let known = registry.count
        // Of no class, so that appending is not generic; arrays of objects are alike in memory.
        var found: [AnyObject] = []
        try rows(request, of: store) { identifier, values in
            try identifiers.row(identifier)
            found.append(try instance(identifier, values, entity, checks) as Model)
        }
        let models = unsafeBitCast(found, to: [Model].self)
        try attributingErrors(to: store) { try identifiers.requireDistinct(models, in: self, known: known) }
        return models
    }

    /// The instance for a row: the one that is registered, brought up to date, or a new one.
    func instance<Model: PersistentModel>(
        _ identifier: PersistentIdentifier, _ row: consuming [PropertyValue], _ entity: ContextEntity,
        _ checks: RowChecker
    ) throws -> Model {
        if let known = registeredBacking(identifier), let model = known.model as? Model {
            if known.row != row { try refresh(known, row, checks) }
            // To-many lists have no place in the row; another writer may have changed them.
            known.removeLists()
            if !entity.linkProperties.isEmpty { links.forgetLists(of: entity.linkProperties) }
            return model
        }
        let decoded = try checks.check(row, identifier)
        let backing = entity.backingData(identifier, row)
        if !decoded.isEmpty { backing.decoded = decoded }
        let model = Model(backingData: backing)
        if backing.hasRow {
            register(model, backing, identifier, entity)
        } else {
            // A class that makes its own has taken over what it was given, and left it empty.
            register(model, model.persistentBackingData, identifier, entity)
            entity.keepForReuse(backing)
        }
        return model
    }

    @inline(__always)
    private func register(
        _ model: some PersistentModel, _ backing: BackingData, _ identifier: PersistentIdentifier,
        _ entity: ContextEntity
    ) {
        backing.model = model
        registry.add(backing, identifier)
        // A list that was read before the row was there.
        for (slot, index) in entity.lists {
            guard case .reference(let owner) = backing.row[slot] else { continue }
            registeredBacking(owner)?.removeList(at: index)
        }
    }

    func refresh(_ backing: BackingData, _ row: [PropertyValue], _ checks: RowChecker) throws {
        var decoded = try checks.check(row, backing.identifier)
        guard backing.status == .saved else {
            (backing.row, backing.hasRow) = (row, true)
            return
        }
        // What was set and not saved stays: it moves out of the wrappers, which will all read anew.
        for slot in backing.changed where slot < checks.entity.storedProperties.count {
            let property = checks.entity.storedProperties[slot]
            backing.pending[slot] = try backing.currentValue(of: property)
            decoded[slot] = nil
        }
        for property in checks.entity.storedProperties {
            guard let inverse = property.relationship, inverse.inverseName != nil, backing.hasRow,
                backing.row[property.slot] != row[property.slot]
            else { continue }
            for case .reference(let identifier) in [backing.row[property.slot], row[property.slot]] {
                registeredBacking(identifier)?.removeLists()
            }
        }
        backing.adopt(row: row, decoded: decoded)
    }

    /// Runs what follows a save that is done; the next fetch or save throws the error.
    func deferring(_ body: () throws -> Void) {
        do { try body() } catch { storage.failures.add(error) }
    }

    /// The model of a row by its entity's name, or `nil` when it is gone.
    func load(_ identifier: PersistentIdentifier, _ entityName: String) throws -> (any PersistentModel)? {
        guard let entity = coordinator.schema.entitiesByName[entityName] else {
            throw SwiftDataError.unknownSchema.with(entityName: entityName, persistentIdentifier: identifier)
        }
        return try load(identifier, as: entity.type)
    }

    private func load<Model: PersistentModel>(_ identifier: PersistentIdentifier, as: Model.Type) throws -> Model? {
        // { $0.persistentModelID == identifier }
        let predicate = Predicate<Model> { model in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID),
                rhs: PredicateExpressions.build_Arg(identifier))
        }
        let descriptor = FetchDescriptor<Model>(predicate: predicate)
        guard let model = try fetchStored(descriptor, contextEntity(for: Model.self)).first else { return nil }
        recentDestinations.keep(model)
        return model
    }

    /// The models of an entity whose to-one relationship leads to a row.
    func load(
        _ entityName: String, where property: Schema.Property, is identifier: PersistentIdentifier
    ) throws -> [AnyObject] {
        guard let entity = coordinator.schema.entitiesByName[entityName] else { return [] }
        return try load(entity.type, where: property, is: identifier)
    }

    private func load<Model: PersistentModel>(
        _ type: Model.Type, where property: Schema.Property, is identifier: PersistentIdentifier
    ) throws -> [AnyObject] {
        guard let predicate = property.access.predicate(leadingTo: identifier) as? Predicate<Model> else { return [] }
        return try fetchStored(FetchDescriptor(predicate: predicate), contextEntity(for: Model.self))
    }
}

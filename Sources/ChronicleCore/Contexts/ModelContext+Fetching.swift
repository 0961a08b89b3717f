import Foundation

extension ModelContext {
    /// The models that match, one instance per row.
    ///
    /// A model that was fetched before comes as the same instance, brought up to date with the store except for what
    /// was changed in this context and not saved. Unsaved changes count as ``FetchDescriptor/includePendingChanges`` says.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``,
    ///   ``SwiftDataError/unknownSchema``; ``SwiftDataError/undecodableValue`` when another program stored a value that the
    ///   model's property cannot have; ``SwiftDataError/invalidStoreAnswer`` and ``SwiftDataError/unsupportedFeature`` for
    ///   a store that breaks its rules or lacks something; the store's failures; and what reading a relationship could not
    ///   throw.
    public func fetch<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try throwDeferredError()
        let entity = try contextEntity(for: Model.self)
        let pending = descriptor.includePendingChanges ? pendingModels(of: Model.self) : []
        guard !pending.isEmpty else { return try fetchStored(descriptor, entity) }

        var wide = descriptor
        wide.fetchLimit = nil
        wide.fetchOffset = nil
        let changed = Set(pending.map { ObjectIdentifier($0) })
        var models = try fetchStored(wide, entity).filter { !changed.contains(ObjectIdentifier($0)) }
        for model in pending where model.persistentBackingData.status != .deleted {
            if try descriptor.predicate?.evaluate(model) ?? true { models.append(model) }
        }
        if descriptor.sortBy.isEmpty {
            models.sort { $0.persistentModelID.comesBefore($1.persistentModelID) }
        } else {
            models.sort(using: descriptor.sortBy)
        }
        return Array(models.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max))
    }

    /// How many models match.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchCount<Model>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        if descriptor.includePendingChanges, !pendingModels(of: Model.self).isEmpty {
            return try fetch(descriptor).count
        }
        try throwDeferredError()
        _ = try contextEntity(for: Model.self)
        return try count(request(descriptor), of: container.store(for: Model.self))
    }

    /// The identifiers of the models that match, without the models.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchIdentifiers<Model>(_ descriptor: FetchDescriptor<Model>) throws -> [PersistentIdentifier] {
        if descriptor.includePendingChanges, !pendingModels(of: Model.self).isEmpty {
            return try fetch(descriptor).map(\.persistentModelID)
        }
        try throwDeferredError()
        _ = try contextEntity(for: Model.self)
        return try identifiers(request(descriptor), of: container.store(for: Model.self))
    }

    /// The model with this identifier, from memory or from the store.
    ///
    /// SwiftData's counterpart does not throw, and hands out a model that crashes when it is read if the row is gone.
    /// This one says so at once.
    ///
    /// - Throws: ``SwiftDataError/modelNotFound`` when there is no such row, or it was deleted in this context.
    public func model(for identifier: PersistentIdentifier) throws -> any PersistentModel {
        if let known = registeredBacking(identifier), known.status != .deleted, let model = known.model { return model }
        guard !identifier.isTemporary, registeredBacking(identifier) == nil,
            let model = try load(identifier, identifier.entityName)
        else { throw SwiftDataError.modelNotFound.adding(persistentIdentifier: identifier) }
        return model
    }

    // MARK: Parts

    private func request<Model>(_ descriptor: FetchDescriptor<Model>) -> DataStoreFetchRequest<Model> {
        DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
    }

    private func pendingModels<Model: PersistentModel>(of type: Model.Type) -> [Model] {
        listed.compactMap { model in
            guard model.persistentBackingData.hasChanges else { return nil }
            return model as? Model
        }
    }

    private func fetchStored<Model>(_ descriptor: FetchDescriptor<Model>, _ entity: ContextEntity) throws -> [Model] {
        let store = try container.store(for: Model.self)
        return try fetch(request(descriptor), from: store, entity)
    }

    private func fetch<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, from store: Store, _ entity: ContextEntity
    ) throws -> [Model] {
        let snapshots = try snapshots(request, of: store)
        var models: [Model] = []
        models.reserveCapacity(snapshots.count)
        if snapshots.count > 64 { registry.reserveCapacity(registry.count + snapshots.count) }
        let checks = RowChecker(entity.entity, storeIdentifier: store.identifier)
        var identifiers = FetchCheck(entityName: entity.entity.name, storeIdentifier: store.identifier)
        for snapshot in snapshots {
            try identifiers.row(snapshot.persistentIdentifier)
            models.append(try instance(snapshot.persistentIdentifier, snapshot.values, entity, checks))
        }
        try identifiers.requireDistinct(models, in: self)
        return models
    }

    /// The instance for a row: the one that is registered, brought up to date, or a new one.
    private func instance<Model: PersistentModel>(
        _ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity, _ checks: RowChecker
    ) throws -> Model {
        if let known = registeredBacking(identifier), let model = known.model as? Model {
            if known.row != row { try refresh(known, row, checks) }
            // To-many lists have no place in the row; another writer may have changed them.
            if !known.destinations.isEmpty { known.destinations = [:] }
            return model
        }
        let backing = BackingData()
        backing.membership = entity
        backing.status = .saved
        backing.identifier = identifier
        backing.hasRow = true
        backing.row = row
        try checks.check(row, identifier, decoded: &backing.decoded)
        let model = Model(backingData: backing)
        backing.model = model
        registry[identifier] = Unmanaged.passUnretained(backing)
        return model
    }

    func refresh(_ backing: BackingData, _ row: [PropertyValue], _ checks: RowChecker) throws {
        var decoded: [Int: Any] = [:]
        try checks.check(row, backing.identifier, decoded: &decoded)
        guard backing.status == .saved else {
            backing.row = row
            return
        }
        // What was set and not saved stays: it moves out of the wrappers, which will all read anew.
        for slot in backing.changed {
            let property = checks.entity.storedProperties[slot]
            backing.pending[slot] = try backing.currentValue(of: property)
        }
        for property in checks.entity.storedProperties {
            guard let inverse = property.relationship, inverse.inverseName != nil,
                backing.row[property.slot] != row[property.slot]
            else { continue }
            for case .reference(let identifier) in [backing.row[property.slot], row[property.slot]] {
                registeredBacking(identifier)?.destinations = [:]
            }
        }
        backing.adopt(row: row, decoded: decoded)
    }

    /// Runs what a getter cannot throw; the error comes out at the next call that can.
    func deferring<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            deferredError = deferredError ?? error
            return nil
        }
    }

    /// The model of a row by its entity's name, or `nil` when it is gone.
    func load(_ identifier: PersistentIdentifier, _ entityName: String) throws -> (any PersistentModel)? {
        guard let entity = container.schema.entitiesByName[entityName] else {
            throw SwiftDataError.unknownSchema.adding(entityName: entityName, persistentIdentifier: identifier)
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
    ) throws -> [any PersistentModel] {
        guard let entity = container.schema.entitiesByName[entityName] else { return [] }
        return try load(entity.type, where: property, is: identifier)
    }

    private func load<Model: PersistentModel>(
        _ type: Model.Type, where property: Schema.Property, is identifier: PersistentIdentifier
    ) throws -> [any PersistentModel] {
        guard let predicate = property.access.predicate(leadingTo: identifier) as? Predicate<Model> else { return [] }
        return try fetchStored(FetchDescriptor(predicate: predicate), contextEntity(for: Model.self))
    }
}

extension PersistentIdentifier {
    /// Rows by primary key, and what has none yet after them.
    fileprivate func comesBefore(_ other: PersistentIdentifier) -> Bool {
        isTemporary == other.isTemporary ? self < other : !isTemporary
    }
}

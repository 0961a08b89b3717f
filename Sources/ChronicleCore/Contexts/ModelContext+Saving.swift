extension ModelContext {
    /// Writes the changes since the last save, in one transaction per store, with their history.
    ///
    /// With nothing to write, nothing is written and no transaction recorded. After an error the context is as it was,
    /// its changes included.
    ///
    /// Several stores are written one after the other, in the order of the container's configurations. The first that
    /// fails ends the save: what was written to the stores before it stays written, and those models count as saved; that
    /// store and the ones after it are as they were, and the context keeps the changes that they have not got. The error
    /// names the store, and those before it; one of a type of the store's own comes as it is. Mend what it says and save
    /// again, or ``rollback()``, for the rest. All models are checked before the first store is written, so that a value
    /// that is missing stops the whole save.
    ///
    /// - Throws: ``SwiftDataError/modelNotFound`` when another writer deleted a row that was changed here,
    ///   ``SwiftDataError/modelValidationFailure`` (``SwiftDataError/valueOutOfRange``,
    ///   ``SwiftDataError/uniquenessViolation``, ``SwiftDataError/deleteDenied``) for models that cannot be saved as they
    ///   are,
    ///   ``SwiftDataError/storeBusy`` and other failures of the store; and what reading a relationship could not throw.
    public func save() throws {
        checkIsolation()
        try ReadCancellation.suspended(saveChanges)
    }

    private func saveChanges() throws {
        settleLists()
        try storage.failures.throwForSave()
        try finishDeletes()
        // Keeps the models alive, whatever their own code does meanwhile.
        let models = pendingModels
        var saves = try storeSaves(models)
        if coordinator.schema.asksOfRelationships {
            var check = RelationshipCheck(self)
            try check.check(models)
        }
        defer { removePending(models) }
        for index in saves.indices {
            do { saves[index].isWritten = try write(saves[index], to: saves[index].store) } catch {
                throw Self.error(error, after: saves.filter(\.isWritten).map(\.store))
            }
        }
        unsavedReferrers = [:]
    }

    /// Runs a block, and saves what it changed together with what was changed before.
    ///
    /// - Throws: What the block throws; then nothing is saved, its changes stay in the context, and ``rollback()`` takes them
    ///   back. Otherwise what ``save()`` throws.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Takes the models off the list that have nothing to save any more.
    private func removePending(_ models: [PendingModel]) {
        for listed in models where !listed.backing.hasChanges { listed.backing.isPending = false }
        // Mostly there are none left.
        pendingModels =
            pendingModels.contains { $0.backing.isPending } ? pendingModels.filter { $0.backing.isPending } : []
    }

    /// The error of one store, which says what other stores have got meanwhile.
    private static func error(_ error: any Error, after written: [any DataStore]) -> any Error {
        guard !written.isEmpty, let error = error as? SwiftDataError else { return error }
        let names = written.map { "\"\($0.configuration.name)\"" }.joined(separator: ", ")
        let rest = "the changes for \(names) were saved before, the others were not"
        return error.with(detail: error.detail.map { "\($0) (\(rest))" } ?? rest)
    }

    /// What each store has to write, in the order of the stores.
    private func storeSaves(_ models: [PendingModel]) throws -> [StoreSave] {
        var saves: [StoreSave] = []
        // Most models are of the same entity as the one before.
        var latest: (membership: ContextEntity, index: Int)?
        for listed in models where listed.backing.hasChanges {
            let backing = listed.backing
            guard let membership = backing.membership else { continue }
            if latest?.membership !== membership {
                let store = try coordinator.store(for: membership.entity.type)
                let index = saves.firstIndex { $0.store === store } ?? saves.count
                if index == saves.count { saves.append(StoreSave(store: store)) }
                saves[index].hasReferences =
                    saves[index].hasReferences || !membership.entity.relationshipProperties.isEmpty
                latest = (membership, index)
            }
            guard let index = latest?.index else { continue }
            switch backing.status {
            case .inserted: saves[index].inserted.add(backing, try insertSnapshot(backing, membership))
            case .saved: saves[index].updated.add(backing, try updateSnapshot(backing, membership.entity))
            case .deleted: saves[index].deleted.add(backing, deleteSnapshot(backing, membership.entity))
            case .detached: break
            }
        }
        for change in linkChanges() {
            let store = try coordinator.store(for: change.entity.type)
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

    /// - Returns: Whether there was something to write.
    private func write<Store: DataStore>(_ save: StoreSave, to store: Store) throws -> Bool {
        // What was set to the value that the row has already is no change.
        let isChange = { (snapshot: DefaultSnapshot) in !snapshot.changed.isEmpty }
        let (inserted, deleted) = (save.inserted.snapshots, save.deleted.snapshots)
        var updated = save.updated.snapshots
        if !updated.allSatisfy(isChange) { updated = updated.filter(isChange) }
        guard !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty && save.linked.isEmpty && save.unlinked.isEmpty)
        else {
            apply(save, [])
            return false
        }
        let request = DataStoreSaveChangesRequest(
            editingState: editingState, inserted: Store.Snapshot.all(inserted),
            updated: Store.Snapshot.all(updated), deleted: Store.Snapshot.all(deleted), linked: save.linked,
            unlinked: save.unlinked)
        let (result, identifiers): (DataStoreSaveChangesResult<Store.Snapshot>, [PersistentIdentifier])
        do {
            result = try store.save(request)
            identifiers = try SaveCheck(store).check(
                result, of: request.inserted, inserted, beside: registry)
        } catch {
            keepIdentifiers(save)
            throw store.attributed(error)
        }
        apply(save, identifiers)
        takeOver(result.snapshotsToReregister.values, of: store)
        return true
    }

    // MARK: Snapshots

    private func insertSnapshot(_ backing: BackingData, _ membership: ContextEntity) throws -> DefaultSnapshot {
        let entity = membership.entity
        try checkComplete(backing, entity)
        let values =
            entity.relationshipProperties.isEmpty
            ? try backing.currentRow(entity) : try entity.storedProperties.map { try savedValue(of: $0, backing) }
        try checkReferences(entity, values, backing)
        return DefaultSnapshot(
            persistentIdentifier: backing.identifier(in: membership), values: values, changed: entity.allSlots)
    }

    private func deleteSnapshot(_ backing: BackingData, _ entity: Schema.Entity) -> DefaultSnapshot {
        // Of a row that is gone nothing is known.
        let values = backing.hasRow ? backing.row : Array(repeating: .null, count: entity.storedProperties.count)
        return DefaultSnapshot(persistentIdentifier: backing.identifier, values: values, changed: PropertySet())
    }

    /// The values as they are now; changed is what differs from the row.
    private func updateSnapshot(_ backing: BackingData, _ entity: Schema.Entity) throws -> DefaultSnapshot {
        guard try loadIfNeeded(backing) else {
            throw SwiftDataError.modelNotFound.with(persistentIdentifier: backing.identifier)
        }
        var values = backing.row
        var changed = PropertySet()
        // What stands behind the slots are links, which no row has a value for.
        for slot in backing.changed where slot < entity.storedProperties.count {
            let value = try savedValue(of: entity.storedProperties[slot], backing)
            guard value != values[slot] else { continue }
            values[slot] = value
            changed.insert(slot)
        }
        try checkReferences(entity, values, backing)
        return DefaultSnapshot(persistentIdentifier: backing.identifier, values: values, changed: changed)
    }

    /// Looks for a relationship that is not optional and leads nowhere.
    private func checkReferences(_ entity: Schema.Entity, _ values: [PropertyValue], _ backing: BackingData) throws {
        guard let property = entity.requiredReferences.first(where: { values[$0.slot].isNull }) else { return }
        throw SwiftDataError.modelValidationFailure.with(
            detail: "it leads nowhere, and is not optional", entityName: entity.name, propertyName: property.name,
            persistentIdentifier: backing.identifier)
    }

    /// The value as it is after the save: a relationship without an inverse may lead to a model that is deleted with it,
    /// or that was new and left the context again.
    private func savedValue(of property: Schema.Property, _ backing: BackingData) throws -> PropertyValue {
        let value = try backing.currentValue(of: property)
        guard case .reference(let identifier) = value else { return value }
        let destination = registeredBacking(identifier)
        return destination?.status == .deleted || (destination == nil && identifier.isTemporary) ? .null : value
    }

    /// Looks for the attribute that was never set. An attribute set after the insert was not counted, so that a short
    /// count is a reason to look and not yet an error.
    func checkComplete(_ backing: BackingData, _ entity: Schema.Entity) throws {
        guard backing.assignedCount < entity.requiredCount, backing.status == .inserted, let model = backing.model
        else { return }
        for child in Mirror(reflecting: model).children {
            guard let wrapper = child.value as? any PropertyDeclaration, wrapper.isUnset else { continue }
            throw SwiftDataError.modelValidationFailure.with(
                detail: "it has no value", entityName: entity.name,
                propertyName: child.label.map { String($0.dropFirst()) },
                persistentIdentifier: backing.identifier)
        }
    }

    // MARK: Afterwards

    /// - Parameter identifiers: Those that the store gave to the inserted models.
    private func apply(_ save: StoreSave, _ identifiers: [PersistentIdentifier]) {
        var replaced: [PersistentIdentifier: PersistentIdentifier] = [:]
        if save.hasReferences {
            for (snapshot, identifier) in zip(save.inserted.snapshots, identifiers) {
                replaced[snapshot.persistentIdentifier] = identifier
            }
        }
        registry.reserve(save.inserted.models.count)
        for (index, backing) in save.inserted.models.enumerated() {
            registry.remove(backing)
            backing.identifier = identifiers[index]
            registry.add(backing, identifiers[index])
            backing.hasRow = true
            backing.status = .saved
            backing.keepWritten(save.inserted.snapshots[index].values.remapped(replaced))
        }
        for (index, backing) in save.updated.models.enumerated() {
            backing.keepWritten(save.updated.snapshots[index].values.remapped(replaced))
        }
        for backing in save.deleted.models {
            backing.isPending = false
            registry.remove(backing)
        }
        links.removeChanges { end in
            guard let entity = end.model.persistentBackingData.membership?.entity else { return true }
            return save.store.schema.entitiesByName[entity.name]?.type == entity.type
        }
    }

    /// The error of a failed save may name a model by an identifier that was made for the save.
    private func keepIdentifiers(_ save: StoreSave) {
        for (backing, snapshot) in zip(save.inserted.models, save.inserted.snapshots) where backing.origin == nil {
            backing.identifier = snapshot.persistentIdentifier
            registry.add(backing, snapshot.persistentIdentifier)
        }
    }
}

/// What one store has to write.
private struct StoreSave {
    /// Models, and what they are at this moment.
    struct Changes {
        private(set) var models: [BackingData] = []
        private(set) var snapshots: [DefaultSnapshot] = []

        mutating func add(_ model: BackingData, _ snapshot: DefaultSnapshot) {
            models.append(model)
            snapshots.append(snapshot)
        }
    }

    let store: any DataStore
    var inserted = Changes()
    /// What was set to the value that the row has already is among them.
    var updated = Changes()
    var deleted = Changes()
    var linked: [DataStoreLink] = []
    var unlinked: [DataStoreLink] = []
    /// Whether one of the models has relationships.
    var hasReferences = false
    /// Whether the store has it.
    var isWritten = false

    init(store: any DataStore) { self.store = store }
}

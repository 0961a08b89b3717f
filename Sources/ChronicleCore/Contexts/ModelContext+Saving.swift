extension ModelContext {
    /// Writes the changes since the last save, in one transaction per store, with their history.
    ///
    /// With nothing to write, nothing is written and no transaction recorded. After an error the context is as it was,
    /// its changes included.
    ///
    /// - Throws: ``SwiftDataError/modelNotFound`` when another writer deleted a row that was changed here,
    ///   ``SwiftDataError/modelValidationFailure`` (``SwiftDataError/valueOutOfRange``,
    ///   ``SwiftDataError/uniquenessViolation``) for models that cannot be saved as they are,
    ///   ``SwiftDataError/storeIsBusy`` and other failures of the store; and what reading a relationship could not throw.
    public func save() throws {
        try throwDeferredError()
        var saves: [StoreSave] = []
        for model in listed {
            let backing = model.persistentBackingData
            guard backing.hasChanges, let membership = backing.membership else { continue }
            let store = try container.store(for: membership.entity.type)
            if let index = saves.firstIndex(where: { $0.store === store }) {
                saves[index].add(model, backing)
            } else {
                var save = StoreSave(store: store)
                save.add(model, backing)
                saves.append(save)
            }
        }
        for save in saves { try write(save) }
        for model in listed where !model.persistentBackingData.hasChanges {
            model.persistentBackingData.isListed = false
        }
        listed.removeAll { !$0.persistentBackingData.isListed }
        arrivals = [:]
    }

    private func write(_ save: StoreSave) throws {
        try write(save, to: save.store)
    }

    private func write<Store: DataStore>(_ save: StoreSave, to store: Store) throws {
        let inserted: [Store.Snapshot] = try save.inserted.map { try insertSnapshot($0.backing) }
        let changed: [Store.Snapshot] = try save.updated.map { try updateSnapshot($0.backing) }
        // What was set to the value that the row has already is no change.
        let updated = changed.filter { !$0.changed.isEmpty }
        let deleted = save.deleted.map {
            Store.Snapshot(persistentIdentifier: $0.backing.identifier, values: $0.backing.row, changed: PropertySet())
        }
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        var different: [Store.Snapshot] = []
        if !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty) {
            let result = try asking(store) {
                try store.save(
                    DataStoreSaveChangesRequest(
                        editingState: editingState, inserted: inserted, updated: updated, deleted: deleted))
            }
            try SaveCheck(store).check(result, of: inserted)
            remapped = result.remappedIdentifiers
            different = result.snapshotsToReregister
        }
        apply(save, inserted, changed, remapped)
        takeOver(different, of: store)
    }

    // MARK: Snapshots

    private func insertSnapshot<Snapshot: DataStoreSnapshot>(_ backing: BackingData) throws -> Snapshot {
        guard let entity = backing.membership?.entity else { throw SwiftDataError.missingModelContext }
        try checkComplete(backing, entity)
        var changed = PropertySet()
        var values: [PropertyValue] = []
        values.reserveCapacity(entity.storedProperties.count)
        for property in entity.storedProperties {
            values.append(try savedValue(of: property, backing))
            changed.insert(property.slot)
        }
        return Snapshot(persistentIdentifier: backing.identifier, values: values, changed: changed)
    }

    /// The values as they are now; changed is what differs from the row.
    private func updateSnapshot<Snapshot: DataStoreSnapshot>(_ backing: BackingData) throws -> Snapshot {
        guard let entity = backing.membership?.entity else { throw SwiftDataError.missingModelContext }
        var values = backing.row
        var changed = PropertySet()
        for slot in backing.changed {
            let value = try savedValue(of: entity.storedProperties[slot], backing)
            guard value != values[slot] else { continue }
            values[slot] = value
            changed.insert(slot)
        }
        return Snapshot(persistentIdentifier: backing.identifier, values: values, changed: changed)
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
            throw SwiftDataError.modelValidationFailure.adding(
                detail: "it has no value", entityName: entity.name,
                propertyName: child.label.map { String($0.dropFirst()) },
                persistentIdentifier: backing.identifier)
        }
    }

    // MARK: Afterwards

    private func apply<Snapshot: DataStoreSnapshot>(
        _ save: StoreSave, _ inserted: [Snapshot], _ updated: [Snapshot],
        _ remapped: [PersistentIdentifier: PersistentIdentifier]
    ) {
        for ((_, backing), snapshot) in zip(save.inserted, inserted) {
            registry.remove(backing)
            backing.identifier = remapped[backing.identifier] ?? backing.identifier
            registry.add(backing, backing.identifier)
            backing.hasRow = true
            backing.status = .saved
            backing.keepWritten(snapshot.values.remapped(remapped))
        }
        for ((_, backing), snapshot) in zip(save.updated, updated) {
            backing.keepWritten(snapshot.values.remapped(remapped))
        }
        for (_, backing) in save.deleted {
            backing.isListed = false
            registry.remove(backing)
        }
    }
}

/// What one store has to write.
private struct StoreSave {
    let store: any DataStore
    var inserted: [(model: any PersistentModel, backing: BackingData)] = []
    var updated: [(model: any PersistentModel, backing: BackingData)] = []
    var deleted: [(model: any PersistentModel, backing: BackingData)] = []

    init(store: any DataStore) { self.store = store }

    mutating func add(_ model: any PersistentModel, _ backing: BackingData) {
        switch backing.status {
        case .inserted: inserted.append((model, backing))
        case .saved: updated.append((model, backing))
        case .deleted: deleted.append((model, backing))
        case .detached: break
        }
    }
}

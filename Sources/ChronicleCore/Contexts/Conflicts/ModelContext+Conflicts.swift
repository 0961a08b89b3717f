// Updates the models after a save whose conflicts were resolved.
extension ModelContext {
    /// For a save that ``SaveConflicts`` created.
    func applyResolvedConflicts(_ save: StoreSave, _ identifiers: [PersistentIdentifier]) {
        var permanent: [PersistentIdentifier: PersistentIdentifier] = [:]
        if !save.adopting.isEmpty || save.replaced.count > 0 {
            permanent = Dictionary(
                zip(save.inserted.snapshots.lazy.map(\.persistentIdentifier), identifiers),
                uniquingKeysWith: { first, _ in first })
        }
        let adopting = Set(save.adopting.compactMap { permanent[$0] })
        storage.lastSaveResult.mergedIdentifiers.reserveCapacity(save.merged.count)
        var checks: RowChecker?
        save.merged.forEachSnapshot { _, backing, snapshot in
            if backing.isObserved { reportChanges(of: backing, snapshot.row) }
            takeOver(snapshot.persistentIdentifier, backing)
            adopt(snapshot.row, backing, save.store, &checks)
        }
        save.inserted.forEachSnapshot { index, backing, _ in
            guard adopting.contains(identifiers[index]) else { return }
            backing.didChangeAllProperties()
            adopt(backing.row, backing, save.store, &checks)
        }
        save.replaced.forEachSnapshot { _, backing, snapshot in
            registry.remove(backing)
            if let target = save.targets[snapshot.persistentIdentifier] {
                backing.identifier = permanent[target] ?? target
            }
            backing.hasRow = true
            backing.row = snapshot.row
            report(.replaced, backing)
        }
        save.dropped.forEachSnapshot { _, backing, snapshot in
            storage.lastSaveResult.droppedChanges.append(droppedChange(backing, snapshot))
        }
        save.dropped.forEachSnapshot { _, backing, _ in report(.dropped, backing) }
        refreshModels(from: save.related, storeIdentifier: save.store.identifier)
        // Lists that were read before may contain models that have left, or lack the destinations of the survivors.
        if save.hasReferences { forgetAllLists() }
    }

    private func reportChanges(of backing: AnyBackingData, _ row: DataStoreRow) {
        guard let entity = backing.membership?.entity else { return }
        deferringErrors {
            for property in entity.storedProperties where try backing.currentValue(of: property) != row[property.slot] {
                backing.didChange(property)
            }
        }
    }

    private func takeOver(_ identifier: PersistentIdentifier, _ backing: AnyBackingData) {
        if let known = registeredBacking(identifier), known !== backing { report(.replaced, known) }
        if backing.origin != nil { registry.remove(backing) }
        backing.identifier = identifier
        registry.add(backing, identifier)
        backing.change(.merged)
        backing.endPending()
        storage.lastSaveResult.mergedIdentifiers.insert(identifier)
    }

    /// - Parameter known: The checks of the latest entity, which are replaced if the instance has another one.
    private func adopt(
        _ row: DataStoreRow, _ backing: AnyBackingData, _ store: any DataStore, _ known: inout RowChecker?
    ) {
        guard let entity = backing.membership?.entity else { return }
        let checks: RowChecker
        if let known, known.entity === entity {
            checks = known
        } else {
            checks = RowChecker(entity, coordinator.schema, storeIdentifier: store.identifier)
            known = checks
        }
        // The values are saved, so an error here must not be thrown by the save.
        deferringErrors {
            backing.revert()
            backing.adopt(row: row, decoded: try checks.check(row, backing.identifier) ?? [:])
        }
    }

    private func droppedChange(_ backing: AnyBackingData, _ snapshot: DefaultSnapshot) -> DroppedChange {
        guard let entity = backing.membership?.entity else { return DroppedChange(backing.identifier, []) }
        let changes = entity.properties.compactMap { property -> (name: String, value: (any Sendable)?)? in
            if property.isLinked {
                guard let added = links[changesOf: backing, property]?.added else { return nil }
                return (property.name, added.map(\.persistentModelID))
            }
            guard property.slot >= 0, snapshot.changed.contains(property.slot) else { return nil }
            let value = snapshot.values[property.slot]
            guard property.isAttribute else { return (property.name, value.plainValue) }
            return (property.name, property.decodePreserved(value, entityName: entity.name, model: backing.identifier))
        }
        return DroppedChange(backing.identifier, changes)
    }
}

// Saves to stores that use only declarations of SwiftData.
extension ModelContext {
    func request<Store: DataStore>(
        _ save: StoreSave, to store: Store
    ) throws -> DataStoreSaveChangesRequest<Store.Snapshot> {
        let editingState = try storage.writingState()
        let isRow =
            Store.Snapshot.self == DefaultSnapshot.self || Store.Snapshot.self is any DataStoreRowSnapshot.Type
        guard isRow, !coordinator.plainStores.keepsLists(store) else {
            return try plainRequest(save, to: store, editingState)
        }
        let schema = coordinator.schema
        return DataStoreSaveChangesRequest(
            editingState: editingState, inserted: try Store.Snapshot.all(save.inserted.snapshots, in: schema),
            updated: try Store.Snapshot.all(save.changedSnapshots, in: schema),
            deleted: try Store.Snapshot.all(save.deletedSnapshots, in: schema), linked: save.linked,
            unlinked: save.unlinked, acknowledgement: save.acknowledgement)
    }

    private func plainRequest<Store: DataStore>(
        _ save: StoreSave, to store: Store, _ editingState: EditingState
    ) throws -> DataStoreSaveChangesRequest<Store.Snapshot> {
        var parts = (
            inserted: save.inserted.snapshots, updated: save.changedSnapshots, deleted: save.deletedSnapshots
        )
        let keepsLists = coordinator.plainStores.keepsLists(store)
        if keepsLists {
            let lists = try KeptLists(self, save, store)
            parts.updated = try lists.updated(save)
            parts.inserted = try parts.inserted.map { try lists.complete($0) }
            parts.deleted = addingEmptyLists(to: parts.deleted, for: store)
        }
        // The snapshot type of a store reads the identifiers.
        for (backing, identifier) in save.inserted.identifiers where backing.origin == nil {
            backing.identifier = identifier
            registry.add(backing, identifier)
        }
        let models = Dictionary(
            (save.inserted.identifiers + save.updated.identifiers + save.deleted.identifiers).map { ($1, $0) },
            uniquingKeysWith: { first, _ in first })
        func made(_ snapshot: DefaultSnapshot) throws -> Store.Snapshot {
            try self.made(snapshot, models[snapshot.persistentIdentifier])
        }
        return DataStoreSaveChangesRequest(
            editingState: editingState, inserted: try parts.inserted.map(made), updated: try parts.updated.map(made),
            // The values of a row that does not exist are unknown.
            deleted: try parts.deleted.filter { models[$0.persistentIdentifier]?.hasRow != false }.map(made),
            linked: keepsLists ? [] : save.linked, unlinked: keepsLists ? [] : save.unlinked,
            acknowledgement: save.acknowledgement)
    }

    /// Uses the values if they differ from those of the model.
    private func made<Snapshot: DataStoreSnapshot>(
        _ snapshot: DefaultSnapshot, _ backing: AnyBackingData?
    ) throws -> Snapshot {
        if !(Snapshot.self is any DataStoreRowSnapshot.Type), let backing, let entity = backing.membership?.entity,
            let data = backing.model?.persistentBackingData,
            try backing.currentRow(entity)[...] == snapshot.values.prefix(entity.storedProperties.count)
        {
            var related: [PersistentIdentifier: any BackingData] = [:]
            let made = try Snapshot(from: data, relatedBackingDatas: &related)
            // A relationship that could not be loaded would be saved as empty.
            try throwFailures()
            return made
        }
        return try Snapshot.make(snapshot, in: coordinator.schema)
    }

    func addingEmptyLists(to snapshots: [DefaultSnapshot], for store: any DataStore) -> [DefaultSnapshot] {
        guard coordinator.plainStores.keepsLists(store) else { return snapshots }
        let schema = coordinator.schema
        return snapshots.map { snapshot in
            let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName]
            let lists = entity.map(schema.listsInRows) ?? []
            if lists.isEmpty { return snapshot }
            return DefaultSnapshot(
                persistentIdentifier: snapshot.persistentIdentifier,
                values: snapshot.values + lists.map { _ in .references([]) }, changed: snapshot.changed)
        }
    }

    // MARK: Checking what a store keeps

    /// Reads a row after the first save of a list, or of a reference to a subclass, to find stores that keep neither. Otherwise, a
    /// program would notice only when it fetches the models. Throws ``SwiftDataError/unsupportedFeature``.
    func requireKept(_ save: StoreSave, _ store: any DataStore) throws {
        do { try checkKept(save, store) } catch let error as SwiftDataError where error == .unsupportedFeature {
            throw error
        } catch {
            // The save was committed, so an error of this read must not end it. The next save reads again.
        }
    }

    private func checkKept(_ save: StoreSave, _ store: any DataStore) throws {
        let plain = coordinator.plainStores
        guard plain.keepsLists(store) || plain.separatesKinds(store) else { return }
        let inserted = zip(save.insertedIdentifiers, save.inserted.snapshots).map { ($0, $1) }
        for (identifier, snapshot) in inserted + save.updated.snapshots.map({ ($0.persistentIdentifier, $0) }) {
            guard let entity = coordinator.schema.entitiesByName[identifier.entityName] else { continue }
            let references = zip(entity.storedProperties, snapshot.values).compactMap { property, value in
                if case .reference(let destination) = value,
                    destination.entityName != property.relationship?.destination
                {
                    property
                } else {
                    nil as Schema.Property?
                }
            }
            let lists = coordinator.schema.listsInRows(of: entity)
            let unchecked = plain.unchecked(references + lists, in: store)
            if unchecked.isEmpty { continue }
            // Reading the row requires its lists.
            var row: [PropertyValue]?
            try forEachRow(of: entity, in: store, .identifiers([identifier])) { if $0 == identifier { row = $1 } }
            guard let row else { continue }
            for property in unchecked where property.slot >= 0 {
                try requireSubclass(of: property, in: row, identifier, store)
            }
            plain.didCheck(unchecked, in: store)
        }
    }

    private func requireSubclass(
        of property: Schema.Property, in row: [PropertyValue], _ identifier: PersistentIdentifier,
        _ store: any DataStore
    ) throws {
        guard let name = property.relationship?.destination, case .reference(let destination) = row[property.slot],
            destination.entityName == name, let entity = coordinator.schema.entitiesByName[name]
        else { return }
        // Another process may have set a reference to the superclass since.
        var exists = false
        try forEachRow(of: entity, in: store, .identifiers([destination])) { identifier, _ in
            exists = exists || identifier == destination
        }
        if exists { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "the store returned a reference to a \(name) instead of one to its subclass; keep the whole "
                + "identifier of a reference, or declare the capability inheritance",
            entityName: identifier.entityName, propertyName: property.name, persistentIdentifier: identifier,
            storeIdentifier: store.identifier, storeName: store.configuration.name)
    }
}

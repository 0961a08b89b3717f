// Relationships between models in different stores, which a save rejects.
extension ModelContext {
    func requireReferences(of snapshots: [DefaultSnapshot], within store: any DataStore) throws {
        for snapshot in snapshots {
            guard let entity = coordinator.schema.entitiesByName[snapshot.persistentIdentifier.entityName] else {
                continue
            }
            for (property, value) in zip(entity.storedProperties, snapshot.values) {
                guard case .reference(let destination) = value else { continue }
                let other = try self.store(of: destination)
                guard other === store else {
                    throw Self.crossesStores(from: store, snapshot.persistentIdentifier, property, to: other)
                }
            }
        }
    }

    func requireLinkWithinStore(_ link: DataStoreLink) throws {
        let (owner, destination) = (try store(of: link.owner), try store(of: link.destination))
        guard owner !== destination else { return }
        let property = coordinator.schema.links.first { $0.name == link.name }?.property
        throw Self.crossesStores(from: owner, link.owner, property, to: destination)
    }

    /// Includes the store into which a model will be inserted.
    private func store(of identifier: PersistentIdentifier) throws -> any DataStore {
        guard let entity = coordinator.schema.entitiesByName[identifier.entityName] else {
            throw SwiftDataError.unknownSchema.with(entityName: identifier.entityName)
        }
        return try coordinator.store(for: entity.type, of: identifier)
    }

    private static func crossesStores(
        from store: any DataStore, _ model: PersistentIdentifier, _ property: Schema.Property?, to other: any DataStore
    ) -> SwiftDataError {
        .modelValidationFailure.with(
            detail: "the model belongs to the store \"\(store.configuration.name)\" and the destination to "
                + "\"\(other.configuration.name)\", but relationships cannot cross stores; new models belong to the "
                + "first configuration that contains their class",
            entityName: model.entityName, propertyName: property?.name, persistentIdentifier: model,
            storeIdentifier: store.identifier, storeName: store.configuration.name)
    }
}

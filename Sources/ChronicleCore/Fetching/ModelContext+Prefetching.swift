import Foundation

extension ModelContext {
    func prefetch<Model: PersistentModel>(_ keyPaths: [PartialKeyPath<Model>], of models: [Model]) throws {
        let entity = try contextEntity(for: Model.self).entity
        for keyPath in keyPaths {
            guard let property = entity.property(at: keyPath), let relationship = property.relationship,
                let destination = coordinator.schema.entitiesByName[relationship.destination]
            else {
                throw SwiftDataError.unsupportedKeyPath.with(
                    detail: "\(coordinator.schema.text(of: keyPath, from: entity)) cannot be prefetched because it is "
                        + "not a relationship",
                    entityName: entity.name)
            }
            // The destinations of new models are in memory.
            let owners = models.lazy.map(\.persistentBackingData).filter(\.hasRow)
            if relationship.isToMany {
                try prefetchLists(property, relationship, of: Array(owners), destination.type)
            } else {
                try prefetchDestinations(property, of: Array(owners), destination.type)
            }
        }
    }

    private func prefetchDestinations<Destination: PersistentModel>(
        _ property: Schema.Property, of owners: [AnyBackingData], _: Destination.Type
    ) throws {
        let missing = Set(owners.compactMap { $0.reference(property) }.filter { registeredBacking($0) == nil })
        guard !missing.isEmpty else { return }
        recentDestinations.keep(try fetchStored(.identifiers(missing)) as [Destination])
    }

    func prefetchLists<Destination: PersistentModel>(
        _ property: Schema.Property, _ relationship: Schema.Relationship, of owners: [AnyBackingData],
        _: Destination.Type
    ) throws {
        if relationship.isLinked {
            let unloaded = owners.filter { links.list(of: $0, property) == nil }
            let found = try loadLinked(Set(unloaded.map(\.identifier)), property)
            for owner in unloaded {
                ManagedRelationship(self, owner, property, relationship).rememberLinks(found[owner.identifier] ?? [])
            }
            return
        }
        let unloaded = owners.filter { $0.list(property) == nil }
        guard !unloaded.isEmpty, let inverse = coordinator.schema.inverse(of: relationship) else { return }
        let found: [Destination] = try fetchStored(.references(inverse, to: Set(unloaded.map(\.identifier))))
        // Groups by stored references. The list excludes models whose unsaved reference differs.
        var lists: [ObjectIdentifier: [AnyObject]] = [:]
        for model in found {
            guard let owner = model.persistentBackingData.savedReference(inverse).flatMap(registeredBacking) else {
                continue
            }
            lists[ObjectIdentifier(owner), default: []].append(model)
        }
        for owner in unloaded {
            ManagedRelationship(self, owner, property, relationship).remember(lists[ObjectIdentifier(owner)] ?? [])
        }
    }
}

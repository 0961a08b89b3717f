import Foundation

extension ModelContext {
    /// Reads what relationships of fetched models lead to, for all models at once.
    func prefetch<Model: PersistentModel>(_ keyPaths: [PartialKeyPath<Model>], of models: [Model]) throws {
        let entity = try contextEntity(for: Model.self).entity
        for keyPath in keyPaths {
            guard let property = entity.property(at: keyPath), let relationship = property.relationship,
                let destination = coordinator.schema.entitiesByName[relationship.destination]
            else {
                throw SwiftDataError.unsupportedKeyPath.with(
                    detail: "what is to be prefetched is a relationship, and "
                        + "\(coordinator.schema.text(of: keyPath, from: entity)) is none",
                    entityName: entity.name)
            }
            // New models know what they lead to.
            let owners = models.lazy.map(\.persistentBackingData).filter(\.hasRow)
            if relationship.isToMany {
                try prefetchLists(property, relationship, of: Array(owners), destination.type)
            } else {
                try prefetchDestinations(property, of: Array(owners), destination.type)
            }
        }
    }

    private func prefetchDestinations<Destination: PersistentModel>(
        _ property: Schema.Property, of owners: [BackingData], _: Destination.Type
    ) throws {
        let sought = Set(owners.compactMap { $0.reference(property) }.filter { registeredBacking($0) == nil })
        guard !sought.isEmpty else { return }
        let descriptor = FetchDescriptor<Destination>(identifiers: sought)
        recentDestinations.keep(try fetchStored(descriptor, contextEntity(for: Destination.self)))
    }

    private func prefetchLists<Destination: PersistentModel>(
        _ property: Schema.Property, _ relationship: Schema.Relationship, of owners: [BackingData],
        _: Destination.Type
    ) throws {
        if relationship.isLinked {
            let unread = owners.filter { links.list(of: $0, property) == nil }
            let found = try loadLinked(Set(unread.map(\.identifier)), property)
            for owner in unread {
                ManagedRelationship(self, owner, property, relationship).rememberLinks(found[owner.identifier] ?? [])
            }
            return
        }
        let unread = owners.filter { $0.list(property) == nil }
        guard !unread.isEmpty, let inverse = coordinator.schema.inverse(of: relationship),
            let predicate = inverse.access.predicate(leadingToAnyOf: Set(unread.map(\.identifier)))
                as? Predicate<Destination>
        else { return }
        let found = try fetchStored(FetchDescriptor(predicate: predicate), contextEntity(for: Destination.self))
        // By where the rows lead; what leads elsewhere in this context is left out by the list.
        var lists: [ObjectIdentifier: [AnyObject]] = [:]
        for model in found {
            guard let owner = model.persistentBackingData.savedReference(inverse).flatMap(registeredBacking) else {
                continue
            }
            lists[ObjectIdentifier(owner), default: []].append(model)
        }
        for owner in unread {
            ManagedRelationship(self, owner, property, relationship).remember(lists[ObjectIdentifier(owner)] ?? [])
        }
    }
}

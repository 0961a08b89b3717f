// Loads and saves relationships that stores keep as links.
extension ModelContext {
    func loadLinked(
        _ identifiers: Set<PersistentIdentifier>, _ property: Schema.Property
    ) throws -> [PersistentIdentifier: [AnyObject]] {
        verifyLists()
        guard let links = coordinator.schema.links(of: property), let relationship = property.relationship,
            let entity = coordinator.schema.entitiesByName[relationship.destination]
        else { return [:] }
        func load<Model: PersistentModel>(_: Model.Type) throws -> [PersistentIdentifier: [AnyObject]] {
            let stores = try coordinator.stores(for: Model.self)
            if stores.count == 1 { return try load(Model.self, identifiers, from: stores[0]) }
            var found: [PersistentIdentifier: [AnyObject]] = [:]
            for store in stores {
                let identifiers = identifiers.filter { $0.storeIdentifier == store.identifier }
                guard !identifiers.isEmpty else { continue }
                // Each model is in one store.
                found.merge(try load(Model.self, identifiers, from: store)) { first, _ in first }
            }
            return found
        }
        func load<Model: PersistentModel>(
            _: Model.Type, _ identifiers: Set<PersistentIdentifier>, from store: any DataStore
        ) throws -> [PersistentIdentifier: [AnyObject]] {
            guard let linking = store as? any DataStoreLinking else {
                return try attributingErrors(to: store) {
                    try loadListed(identifiers, property, links, Model.self, from: store)
                }
            }
            let request = DataStoreLinksRequest<Model>(
                links: links, property: property, identifiers: identifiers, editingState: editingState)
            return try attributingErrors(to: linking) {
                try models(request, of: linking, contextEntity(for: Model.self))
            }
        }
        return try load(entity.type)
    }

    private func models<Model, Store: DataStoreLinking>(
        _ request: DataStoreLinksRequest<Model>, of store: Store, _ entity: ContextEntity
    ) throws -> [PersistentIdentifier: [AnyObject]] {
        let checks = RowChecker(
            entity.entity, coordinator.schema, storeIdentifier: store.identifier, isPast: coordinator.positions != nil)
        var identifiers = FetchCheck(entity.entity, coordinator.schema, storeIdentifier: store.identifier)
        var subentities = SubentityRows(self, entity.entity, storeIdentifier: store.identifier)
        let found = try store.fetchLinked(request)
        var models: [PersistentIdentifier: any PersistentModel] = [:]
        for snapshot in found.fetchedSnapshots {
            let identifier = snapshot.persistentIdentifier
            try identifiers.row(identifier)
            // A destination that is already in memory is not refreshed.
            let model =
                try loadedModel(identifier)
                ?? subentities?.instance(identifier, snapshot.row(in: coordinator.schema))
                ?? instance(identifier, snapshot.row(in: coordinator.schema), entity, checks) as Model
            guard models.updateValue(model, forKey: identifier) == nil else {
                throw invalidResponse("the store returned a row more than once", identifier)
            }
        }
        return try found.destinations.mapValues { destinations in
            try destinations.map { destination in
                guard let model = models[destination] else {
                    throw invalidResponse("a link references a row that the store did not return", destination)
                }
                return model
            }
        }
    }

    private func invalidResponse(_ detail: String, _ identifier: PersistentIdentifier) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: detail, entityName: identifier.entityName, persistentIdentifier: identifier)
    }

    func linkChanges() -> [LinkChange] {
        let ends = links.changedEnds
        if ends.isEmpty { return [] }
        var found: [LinkChange] = []
        var seen = Set<DataStoreLink>()
        for end in ends {
            guard let entity = end.model.persistentBackingData.membership?.entity,
                let links = coordinator.schema.links(of: end.property), links.property === end.property
            else { continue }
            func add(_ model: any PersistentModel, isAdded: Bool) {
                let (owner, destination) = (end.model.persistentBackingData, model.persistentBackingData)
                // A store deletes the links of a deleted model with its row. Links that were removed before the delete
                // are still reported. Links to a row that is gone are dropped with its other changes.
                guard
                    isAdded
                        ? owner.state.isLinkable && destination.state.isLinkable : owner.hasRow && destination.hasRow
                else {
                    return
                }
                let link = DataStoreLink(links, owner: owner.identifier, destination: destination.identifier)
                // A change of a symmetric relationship is recorded at both ends.
                if !links.isSymmetric || seen.insert(link).inserted {
                    found.append(LinkChange(entity: entity, link: link, isAdded: isAdded))
                }
            }
            for model in end.removed { add(model, isAdded: false) }
            for model in end.added { add(model, isAdded: true) }
        }
        return found
    }
}

struct LinkChange {
    let entity: Schema.Entity
    let link: DataStoreLink
    let isAdded: Bool
}

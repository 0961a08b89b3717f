// Between the links of a context and the stores that keep them.
extension ModelContext {
    /// The models that the links of rows lead to.
    func loadLinked(
        _ identifiers: Set<PersistentIdentifier>, _ property: Schema.Property
    ) throws -> [PersistentIdentifier: [AnyObject]] {
        settleLists()
        guard let links = coordinator.schema.links(of: property), let relationship = property.relationship,
            let entity = coordinator.schema.entitiesByName[relationship.destination]
        else { return [:] }
        func load<Model: PersistentModel>(_: Model.Type) throws -> [PersistentIdentifier: [AnyObject]] {
            let store = try coordinator.store(for: Model.self)
            guard let linking = store as? any DataStoreLinking else {
                throw store.attributed(DataStoreError.unsupportedFeature.with(detail: "relationships that are links"))
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
        let checks = RowChecker(entity.entity, storeIdentifier: store.identifier)
        var identifiers = FetchCheck(entityName: entity.entity.name, storeIdentifier: store.identifier)
        let found = try store.fetchLinked(request)
        var models: [PersistentIdentifier: any PersistentModel] = [:]
        for snapshot in found.fetchedSnapshots {
            let identifier = snapshot.persistentIdentifier
            try identifiers.row(identifier)
            // Who is reached and alive already stays as it was read.
            let model =
                try registeredBacking(identifier)?.model
                ?? instance(identifier, snapshot.values, entity, checks) as Model
            guard models.updateValue(model, forKey: identifier) == nil else {
                throw oddAnswer("a fetch has no row twice", identifier)
            }
        }
        return try found.destinations.mapValues { destinations in
            try destinations.map { destination in
                guard let model = models[destination] else {
                    throw oddAnswer("a link leads to a row of the answer", destination)
                }
                return model
            }
        }
    }

    private func oddAnswer(_ rule: String, _ identifier: PersistentIdentifier) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: rule, entityName: identifier.entityName, persistentIdentifier: identifier)
    }

    /// What changed of the links since the last save, for the stores that keep them.
    func linkChanges() -> [LinkChange] {
        var found: [LinkChange] = []
        var seen = Set<DataStoreLink>()
        for end in links.changedEnds {
            guard let entity = end.model.persistentBackingData.membership?.entity,
                let links = coordinator.schema.links(of: end.property), links.property === end.property
            else { continue }
            func add(_ model: any PersistentModel, isAdded: Bool) {
                let (owner, destination) = (end.model.persistentBackingData, model.persistentBackingData)
                // The links of a deleted model go with it, but do not take along what was removed from them.
                guard isAdded ? owner.isInContext && destination.isInContext : owner.hasRow && destination.hasRow else {
                    return
                }
                let link = DataStoreLink(links, owner: owner.identifier, destination: destination.identifier)
                // Of a symmetric relationship both ends changed.
                if !links.isSymmetric || seen.insert(link).inserted {
                    found.append(LinkChange(entity: entity, link: link, isAdded: isAdded))
                }
            }
            for model in end.removed.models { add(model, isAdded: false) }
            for model in end.added.models { add(model, isAdded: true) }
        }
        return found
    }
}

/// A link that a save adds or removes.
struct LinkChange {
    /// That of the owner.
    let entity: Schema.Entity
    let link: DataStoreLink
    let isAdded: Bool
}

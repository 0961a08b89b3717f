// Relationships that are kept as links: what the store has, and what came and went since.
extension ManagedRelationship {
    func readLinks() -> [any PersistentModel] {
        if let known = context.links.list(of: backing, property) { return known }
        var saved: [any PersistentModel] = []
        if backing.hasRow {
            // Not remembered when it could not be loaded, so that the next read tries again.
            guard let loaded = context.deferring({ try context.loadLinked([backing.identifier], property) })
            else { return [] }
            saved = loaded[backing.identifier] ?? []
        }
        return rememberLinks(saved)
    }

    /// Keeps what the store has, with what came and went since.
    @discardableResult
    func rememberLinks(_ stored: [any PersistentModel]) -> [any PersistentModel] {
        var saved = stored
        if let changes = context.links[changesOf: backing, property] {
            saved.removeAll { changes.removed.contains($0) }
            let known = Set(saved.map { ObjectIdentifier($0) })
            saved += changes.added.models.filter { !known.contains(ObjectIdentifier($0)) }
        }
        if let inverse, let own = backing.model {
            let known = context.links.known(of: inverse, about: own)
            let members = Set(saved.map { ObjectIdentifier($0) })
            saved.removeAll { known.others.contains(ObjectIdentifier($0)) }
            saved += known.members.filter { !members.contains(ObjectIdentifier($0)) }
        }
        saved.removeAll { !$0.persistentBackingData.isThere }
        context.links.keep(saved, of: backing, property)
        return saved
    }

    func writeLinks(_ destinations: [any PersistentModel]) {
        let old = readLinks()
        let same = zip(old, destinations).prefix { $0 === $1 }.count
        if same == old.count, destinations.count == same + 1 {
            // Appending touches what is new.
            let model = destinations[same]
            if !context.links.isListed(model, of: backing, property) { setLinked(true, model) }
            return
        }
        var seen = Set<ObjectIdentifier>()
        let new = destinations.filter { seen.insert(ObjectIdentifier($0)).inserted }
        for model in old where !seen.contains(ObjectIdentifier(model)) { setLinked(false, model) }
        let known = Set(old.map { ObjectIdentifier($0) })
        for model in new where !known.contains(ObjectIdentifier(model)) { setLinked(true, model) }
        context.links.keep(new, of: backing, property)
    }

    /// Adds destinations to those that the model came to have by its destinations.
    func joinLinks(_ destinations: [any PersistentModel]) -> [any PersistentModel] {
        let known = readLinks()
        let members = Set(known.map { ObjectIdentifier($0) })
        return known + destinations.filter { !members.contains(ObjectIdentifier($0)) }
    }

    private func setLinked(_ isLinked: Bool, _ model: any PersistentModel) {
        guard let own = backing.model else { return }
        let other = model.persistentBackingData
        // The save has to find both by their identifiers.
        _ = (backing.identifier, other.identifier)
        context.links.set(isLinked, model, of: backing, property)
        backing.markChanged(property.mark)
        guard let inverse, other !== backing || inverse !== property else { return }
        context.links.set(isLinked, own, of: other, inverse)
        other.markChanged(inverse.mark)
    }
}

extension BackingData {
    /// Whether the model is in a context and not deleted.
    var isThere: Bool { status == .inserted || status == .saved }
}

extension ModelContext {
    /// The models that the links of rows lead to.
    func loadLinked(
        _ identifiers: Set<PersistentIdentifier>, _ property: Schema.Property
    ) throws -> [PersistentIdentifier: [any PersistentModel]] {
        guard let links = container.schema.links(of: property), let relationship = property.relationship,
            let entity = container.schema.entitiesByName[relationship.destination]
        else { return [:] }
        func load<Model: PersistentModel>(_: Model.Type) throws -> [PersistentIdentifier: [any PersistentModel]] {
            let store = try container.store(for: Model.self)
            guard let linking = store as? any DataStoreLinking else {
                throw store.named(DataStoreError.unsupportedFeature.adding(detail: "relationships that are links"))
            }
            let request = DataStoreLinksRequest<Model>(
                links: links, property: property, identifiers: identifiers, editingState: editingState)
            return try asking(linking) { try models(request, of: linking, contextEntity(for: Model.self)) }
        }
        return try load(entity.type)
    }

    private func models<Model, Store: DataStoreLinking>(
        _ request: DataStoreLinksRequest<Model>, of store: Store, _ entity: ContextEntity
    ) throws -> [PersistentIdentifier: [any PersistentModel]] {
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
        .invalidStoreAnswer.adding(
            detail: rule, entityName: identifier.entityName, persistentIdentifier: identifier)
    }

    /// What changed of the links since the last save, for the stores that keep them.
    func linkChanges() -> [LinkChange] {
        var found: [LinkChange] = []
        var seen = Set<DataStoreLink>()
        for end in links.changedEnds {
            guard let entity = end.model.persistentBackingData.membership?.entity,
                let links = container.schema.links(of: end.property), links.property === end.property
            else { continue }
            func add(_ model: any PersistentModel, isAdded: Bool) {
                let (owner, destination) = (end.model.persistentBackingData, model.persistentBackingData)
                // The links of a deleted model go with it, but do not take along what was removed from them.
                guard isAdded ? owner.isThere && destination.isThere : owner.hasRow && destination.hasRow else {
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

import Chronicle

// Links for a store whose backend has none: many-to-many relationships, and to-many relationships without an inverse,
// as a set of pairs.
extension MemoryStore: DataStoreLinking {
    public func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        let contents = configuration.memory.contents
        let destinations = request.destinations(in: contents.links)
        let keys = Set(destinations.values.joined().compactMap(\.integerPrimaryKey)).sorted()
        let origin = PersistentIdentifier.Origin(storeIdentifier: identifier, entityName: Model.entityName)
        return DataStoreLinksResult(
            fetchedSnapshots: try contents.table(Model.entityName).snapshots(keys, origin), destinations: destinations)
    }
}

extension MemorySave {
    mutating func writeLinks(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        for link in request.unlinked where contents.links.remove(link) != nil { note(link) }
        for link in request.linked.map({ $0.copy(remappedIdentifiers: permanent) }) {
            for end in [link.owner, link.destination] where try row(end) == nil {
                throw SwiftDataError.modelValidationFailure.with(
                    detail: "a link references a model that was deleted", propertyName: link.name,
                    persistentIdentifier: end)
            }
            // Two contexts may add the same link.
            if contents.links.insert(link).inserted { note(link) }
        }
        recordLinks()
    }

    /// Deletes the links of a deleted model.
    mutating func removeLinks(of model: PersistentIdentifier) {
        for link in contents.links where link.owner == model || link.destination == model {
            contents.links.remove(link)
            note(link)
        }
    }

    private mutating func note(_ link: DataStoreLink) {
        guard let links = schema.links.first(where: { $0.name == link.name }) else { return }
        linked[link.owner, default: []].insert(links.property.name)
        if let inverse = links.inverse { linked[link.destination, default: []].insert(inverse.name) }
    }

    /// History: an update of each model whose links were added or removed, combined with its other changes. Inserted
    /// and deleted models have no such update.
    private mutating func recordLinks() {
        let places = Dictionary(written.enumerated().map { ($1.model, $0) }, uniquingKeysWith: { first, _ in first })
        for (model, names) in linked.sorted(by: { $0.key < $1.key }) {
            guard let place = places[model] else {
                written.append(.update(model, names: names.sorted()))
                continue
            }
            if case .update(_, let known) = written[place] {
                written[place] = .update(model, names: known + names.sorted())
            }
        }
    }
}

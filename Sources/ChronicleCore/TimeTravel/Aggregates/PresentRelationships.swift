import Foundation

/// Reads relationships of the rows of a store, without creating models.
struct PresentRelationships {
    let store: any DataStore

    private var editingState: EditingState { EditingState(id: UUID()) }

    /// Returns the references of models. Rows that do not exist are missing.
    func references(
        _ hop: RelationshipHop, of models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier: PersistentIdentifier?] {
        var found: [PersistentIdentifier: PersistentIdentifier?] = [:]
        try forEachReference(hop.property, of: hop.source, .identifiers(models)) { found[$0] = .some($1) }
        return found
    }

    /// Returns the models that reference others.
    func referrers(
        _ inverse: Schema.Property, of entity: Schema.Entity, to models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
        var found: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        try forEachReference(inverse, of: entity, .references(inverse, to: models)) { model, destination in
            if let destination { found[destination, default: []].append(model) }
        }
        return found
    }

    func linked(
        _ hop: RelationshipHop, _ links: Schema.Links, of models: Set<PersistentIdentifier>
    ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
        guard let linking = store as? any DataStoreLinking else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "\(type(of: store)) cannot find the models of this relationship", entityName: hop.source.name,
                propertyName: hop.property.name)
        }
        func fetch<Model: PersistentModel>(
            _: Model.Type, _ store: some DataStoreLinking
        ) throws -> [PersistentIdentifier: [PersistentIdentifier]] {
            try store.fetchLinked(
                DataStoreLinksRequest<Model>(
                    links: links, property: hop.property, identifiers: models, editingState: editingState)
            ).destinations
        }
        return try fetch(hop.destination.type, linking)
    }

    private func forEachReference(
        _ property: Schema.Property, of entity: Schema.Entity, _ lookup: DataStoreLookup,
        _ body: (PersistentIdentifier, PersistentIdentifier?) -> Void
    ) throws {
        func fetch<Model: PersistentModel>(_: Model.Type, _ store: some DataStore) throws {
            let request = DataStoreFetchRequest<Model>(
                descriptor: FetchDescriptor(), editingState: editingState, lookup: lookup, entityName: entity.name)
            try store.fetchRows(request) { identifier, row in
                // A store may ignore the lookup.
                guard lookup.matches(identifier, row), row.indices.contains(property.slot) else { return }
                if case .reference(let destination) = row[property.slot] {
                    body(identifier, destination)
                } else {
                    body(identifier, nil)
                }
            }
        }
        try fetch(entity.type, store)
    }
}

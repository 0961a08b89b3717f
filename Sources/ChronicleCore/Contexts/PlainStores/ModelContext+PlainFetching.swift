// Fetches from stores that use only declarations of SwiftData.
extension ModelContext {
    func storedRows<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, of store: Store,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        if coordinator.plainStores.isEmpty { return try store.fetchRows(request, row) }
        let schema = coordinator.schema
        guard let kinds = separateKinds(of: Model.self, in: store) else {
            guard coordinator.plainStores.keepsLists(store), let entity = schema.entity(for: Model.self),
                !schema.listsInRows(of: entity).isEmpty
            else { return try store.fetchRows(request, row) }
            return try store.fetchRows(request) { identifier, values in
                try requireLists(of: entity, values, identifier)
                try row(identifier, values.withoutLists(of: entity, in: schema))
            }
        }
        // The rows of several classes have no common order, and a predicate of a class is not one of its subclasses.
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        var offset = max(request.descriptor.fetchOffset ?? 0, 0)
        var rest = max(request.descriptor.fetchLimit ?? .max, 0)
        for kind in kinds where rest > 0 {
            try rawRows(of: kind, request.lookup, in: store) { identifier, values in
                if request.excludedIdentifiers.contains(identifier) || rest == 0 { return }
                offset -= 1
                if offset >= 0 { return }
                rest -= 1
                if coordinator.plainStores.keepsLists(store) { try requireLists(of: kind, values, identifier) }
                try row(identifier, values.withoutLists(of: kind, in: schema))
            }
        }
    }

    /// Returns `nil` if one request returns the rows of all entities.
    func separateKinds(of type: any PersistentModel.Type, in store: any DataStore) -> [Schema.Entity]? {
        guard coordinator.plainStores.separatesKinds(store), let entity = coordinator.schema.entity(for: type),
            coordinator.schema.hasSubentities(entity)
        else { return nil }
        return kinds(of: entity.name)
    }

    private func kinds(of entityName: String) -> [Schema.Entity] {
        coordinator.schema.kinds(of: entityName).sorted().compactMap { coordinator.schema.entitiesByName[$0] }
    }

    private func rawRows(
        of entity: Schema.Entity, _ lookup: DataStoreLookup?, in store: any DataStore,
        _ body: (PersistentIdentifier, DataStoreRow) throws -> Void
    ) throws {
        let subentities = coordinator.schema.kinds(of: entity.name).subtracting([entity.name])
        func fetch<Model: PersistentModel>(_: Model.Type) throws {
            let request = DataStoreFetchRequest<Model>(
                descriptor: FetchDescriptor(), editingState: editingState, lookup: lookup)
            try store.fetchRows(request) { identifier, row in
                // A store may return the rows of subclasses, which are requested separately.
                if !subentities.contains(identifier.entityName) { try body(identifier, row) }
            }
        }
        try fetch(entity.type)
    }

    // MARK: Lists

    func rowsWithLists(
        of links: Schema.Links, _ lookup: DataStoreLookup?, in store: any DataStore,
        _ body: (PersistentIdentifier, Schema.Entity, DataStoreRow) throws -> Void
    ) throws {
        for kind in kinds(of: links.owner) where kind.relationshipProperties.contains(where: { $0 === links.property })
        {
            try rawRows(of: kind, lookup, in: store) { identifier, row in
                try identifier.require(entityName: kind.name, storeIdentifier: store.identifier, in: "a fetch")
                try requireLists(of: kind, row, identifier)
                try body(identifier, kind, row)
            }
        }
    }

    func loadListed<Model: PersistentModel>(
        _ identifiers: Set<PersistentIdentifier>, _ property: Schema.Property, _ links: Schema.Links, _: Model.Type,
        from store: any DataStore
    ) throws -> [PersistentIdentifier: [AnyObject]] {
        let isOfOwners = links.property === property
        var found: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        let lookup: DataStoreLookup? = isOfOwners && !links.isSymmetric ? .identifiers(identifiers) : nil
        try rowsWithLists(of: links, lookup, in: store) { owner, entity, row in
            let destinations = try list(of: links.property, entity, row, owner)
            if isOfOwners, identifiers.contains(owner) { found[owner, default: []] += destinations }
            guard !isOfOwners || links.isSymmetric else { return }
            for destination in destinations where identifiers.contains(destination) {
                found[destination, default: []].append(owner)
            }
        }
        // A destination that is already in memory is not refreshed. The others are retained until they are in the result.
        let missing = Set(found.values.joined()).filter { loadedModel($0) == nil }
        let loaded: [Model] = missing.isEmpty ? [] : try fetchStored(.identifiers(missing))
        return withExtendedLifetime(loaded) {
            found.mapValues { destinations in
                // A row that was deleted without the context may remain in a list.
                var seen = Set<PersistentIdentifier>()
                return destinations.compactMap { seen.insert($0).inserted ? loadedModel($0) : nil }
            }
        }
    }

    func list(
        of property: Schema.Property, _ entity: Schema.Entity, _ row: DataStoreRow, _ owner: PersistentIdentifier
    ) throws -> [PersistentIdentifier] {
        let lists = coordinator.schema.listsInRows(of: entity)
        guard let index = lists.firstIndex(where: { $0 === property }) else { return [] }
        let slot = entity.storedProperties.count + index
        guard row.indices.contains(slot), case .references(let destinations) = row[slot] else {
            throw invalidList("a list is not an array of identifiers", property, owner)
        }
        if let temporary = destinations.first(where: \.isTemporary) {
            throw invalidList(
                "a row references the temporary identifier \(temporary); a save must replace it with the permanent one "
                    + "(copy(persistentIdentifier:remappedIdentifiers:))", property, owner)
        }
        return destinations
    }

    private func requireLists(
        of entity: Schema.Entity, _ row: DataStoreRow, _ identifier: PersistentIdentifier
    ) throws {
        guard row.count == entity.storedProperties.count,
            let list = coordinator.schema.listsInRows(of: entity).first
        else { return }
        throw SwiftDataError.unsupportedFeature.with(
            detail: "the store returned a row without the to-many relationship; keep the whole snapshot of a model, or "
                + "conform to DataStoreLinking, or declare a to-one inverse",
            entityName: entity.name, propertyName: list.name, persistentIdentifier: identifier)
    }

    private func invalidList(
        _ detail: String, _ property: Schema.Property, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: detail, entityName: identifier.entityName, propertyName: property.name,
            persistentIdentifier: identifier)
    }
}

extension DataStoreRow {
    func withoutLists(of entity: Schema.Entity, in schema: Schema) -> DataStoreRow {
        let count = entity.storedProperties.count
        guard self.count > count, self.count == count + schema.listsInRows(of: entity).count else { return self }
        return DataStoreRow(Array(prefix(count)))
    }
}

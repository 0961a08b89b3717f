import Foundation

// Fetches from all stores that contain a model.
extension ModelContext {
    /// Without sort descriptors, the rows of each store follow those of the previous store. With sort descriptors, each store
    /// returns the rows up to the end of the page, and the sorted rows are merged. Among rows with the same sort values, those of
    /// the first store come first.
    func fetchMerged<Model>(
        _ request: DataStoreFetchRequest<Model>, _ stores: [any DataStore], _ entity: ContextEntity
    ) throws -> [Model] {
        let descriptor = request.descriptor
        if request.lookup != nil || descriptor.sortBy.isEmpty {
            return try joined(request, stores) { try fetch($0, from: $1, entity) }
        }
        if hasChanges { return try fetchInStoredOrder(request, stores, entity) }
        let (offset, limit) = (max(descriptor.fetchOffset ?? 0, 0), descriptor.fetchLimit.map { max($0, 0) })
        var part = descriptor
        part.fetchOffset = nil
        part.fetchLimit = limit.map { $0.addingClamped(offset) }
        let parts = try stores.map { try fetch(request.part(part, for: $0), from: $0, entity) }
        // The stores have compared the current rows.
        var related = try RelatedModels(self, FetchDescriptor<Model>(sortBy: descriptor.sortBy))
        try related.readDestinations(of: parts.joined())
        let merged = try withExtendedLifetime(related) {
            try evaluating { merge(parts, ModelOrder(descriptor.sortBy, entity.entity, coordinator.schema)) }
        }
        return Array(merged.dropFirst(offset).prefix(limit ?? .max))
    }

    /// Uses a separate context, because the order depends on the stored values and not on unsaved changes.
    private func fetchInStoredOrder<Model>(
        _ request: DataStoreFetchRequest<Model>, _ stores: [any DataStore], _ entity: ContextEntity
    ) throws -> [Model] {
        let reader = emptyCopy()
        let identifiers = try reader.fetchMerged(request, stores, reader.contextEntity(for: Model.self))
            .map(\.persistentBackingData.identifier)
        let models: [Model] = try fetchStored(.identifiers(Set(identifiers)))
        let found = Dictionary(
            models.map { ($0.persistentBackingData.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        return identifiers.compactMap { found[$0] }
    }

    private func merge<Model>(_ parts: [[Model]], _ order: ModelOrder<Model>) -> [Model] {
        var rest = parts.map { $0[...] }
        var merged: [Model] = []
        merged.reserveCapacity(parts.reduce(0) { $0 + $1.count })
        while true {
            var next: (index: Int, model: Model)?
            for (index, part) in rest.enumerated() {
                guard let model = part.first else { continue }
                if let known = next, order.compare(model, known.model) != .orderedAscending { continue }
                next = (index, model)
            }
            guard let next else { return merged }
            merged.append(next.model)
            rest[next.index].removeFirst()
        }
    }

    func identifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        let stores = try coordinator.stores(for: Model.self)
        if stores.count == 1 { return try identifiers(request, of: stores[0]) }
        guard request.descriptor.sortBy.isEmpty else {
            return try fetchStored(request, contextEntity(for: Model.self)).map(\.persistentBackingData.identifier)
        }
        return try joined(request, stores) { try identifiers($0, of: $1) }
    }

    func count<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        let stores = try coordinator.stores(for: Model.self)
        if stores.count == 1 { return try count(request, of: stores[0]) }
        var all = request.descriptor
        (all.fetchOffset, all.fetchLimit, all.sortBy) = (nil, nil, [])
        let total = try stores.reduce(0) { try $0 + count(request.part(all, for: $1), of: $1) }
        let rest = max(total - max(request.descriptor.fetchOffset ?? 0, 0), 0)
        return min(rest, max(request.descriptor.fetchLimit ?? .max, 0))
    }

    private func joined<Model, Element>(
        _ request: DataStoreFetchRequest<Model>, _ stores: [any DataStore],
        _ rows: (DataStoreFetchRequest<Model>, any DataStore) throws -> [Element]
    ) throws -> [Element] {
        var page = request.descriptor
        var offset = max(page.fetchOffset ?? 0, 0)
        var found: [Element] = []
        for store in stores {
            page.fetchOffset = offset > 0 ? offset : nil
            page.fetchLimit = request.descriptor.fetchLimit.map { max($0 - found.count, 0) }
            if page.fetchLimit == 0, !found.isEmpty { break }
            let storeRequest = request.part(page, for: store)
            if storeRequest.lookup?.isEmpty == true { continue }
            let part = try rows(storeRequest, store)
            found += part
            guard offset > 0 else { continue }
            if part.isEmpty {
                // The page begins after the rows of this store.
                (page.fetchOffset, page.fetchLimit) = (nil, nil)
                offset = max(offset - (try count(request.part(page, for: store), of: store)), 0)
            } else {
                offset = 0
            }
        }
        return found
    }
}

extension DataStoreFetchRequest {
    fileprivate func part(_ descriptor: FetchDescriptor<T>, for store: any DataStore) -> DataStoreFetchRequest {
        DataStoreFetchRequest(
            descriptor: descriptor, editingState: editingState,
            excludedIdentifiers: excludedIdentifiers.filter { $0.storeIdentifier == store.identifier },
            lookup: lookup?.part(for: store))
    }
}

extension DataStoreLookup {
    fileprivate func part(for store: any DataStore) -> DataStoreLookup {
        func isPart(_ identifier: PersistentIdentifier) -> Bool { identifier.storeIdentifier == store.identifier }
        return switch self {
        case .identifiers(let identifiers): .identifiers(identifiers.filter(isPart))
        case .references(let property, let identifiers): .references(property, to: identifiers.filter(isPart))
        case .values: self
        }
    }

    fileprivate var isEmpty: Bool {
        switch self {
        case .identifiers(let identifiers), .references(_, to: let identifiers): identifiers.isEmpty
        case .values(_, in: let combinations): combinations.isEmpty
        }
    }
}

import Foundation

// Filters and sorts in memory for stores that do not support a predicate or a sort descriptor.
extension ModelContext {
    func rows<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, of store: Store,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        do { try storedRows(request, of: store, row) } catch let error as DataStoreError {
            for model in try models(request, store, after: error) {
                let backing = model.persistentBackingData
                try row(backing.identifier, backing.row)
            }
        } catch {
            throw store.attributed(error)
        }
    }

    func count<Model, Store: DataStore>(_ request: DataStoreFetchRequest<Model>, of store: Store) throws -> Int {
        if separateKinds(of: Model.self, in: store) != nil {
            var count = 0
            try rows(request, of: store) { _, _ in count += 1 }
            return count
        }
        let count: Int
        do { count = try store.fetchCount(request) } catch let error as DataStoreError {
            return try models(request, store, after: error).count
        } catch {
            throw store.attributed(error)
        }
        guard count >= 0 else {
            throw store.attributed(
                SwiftDataError.invalidStoreResponse.with(
                    detail: "the store returned a negative count", entityName: Model.entityName))
        }
        return count
    }

    func identifiers<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, of store: Store
    ) throws -> [PersistentIdentifier] {
        var identifiers: [PersistentIdentifier] = []
        if separateKinds(of: Model.self, in: store) != nil {
            try rows(request, of: store) { identifier, _ in identifiers.append(identifier) }
            return identifiers
        }
        do { identifiers = try store.fetchIdentifiers(request) } catch let error as DataStoreError {
            return try models(request, store, after: error).map(\.persistentBackingData.identifier)
        } catch {
            throw store.attributed(error)
        }
        var check = FetchCheck(
            try contextEntity(for: Model.self).entity, coordinator.schema, storeIdentifier: store.identifier)
        try attributingErrors(to: store) {
            for identifier in identifiers { try check.row(identifier) }
            try check.requireDistinct(identifiers)
        }
        return identifiers
    }

    /// Applies in memory what the error shows that the store does not support.
    ///
    /// A separate context fetches the models, because unsaved changes of this context must not affect the result. If the store
    /// supports neither a predicate nor a sort, the nested fetch throws and this method runs twice.
    private func models<Model>(
        _ request: DataStoreFetchRequest<Model>, _ store: any DataStore, after error: DataStoreError
    ) throws -> [Model] {
        let descriptor = request.descriptor
        var broader = descriptor
        broader.fetchLimit = nil
        broader.fetchOffset = nil
        if error == .preferInMemoryFilter, descriptor.predicate != nil {
            broader.predicate = nil
        } else if error == .preferInMemorySort, !descriptor.sortBy.isEmpty {
            broader.sortBy = []
        } else {
            throw store.attributed(SwiftDataError(response: error).with(entityName: Model.entityName))
        }
        let reader = emptyCopy()
        var models = try reader.fetchStored(broader, from: store)
        if let predicate = descriptor.predicate, broader.predicate == nil {
            let evaluator = try PredicateEvaluator(predicate, coordinator.schema)
            models = try models.filter(evaluator.matches)
        }
        if !request.excludedIdentifiers.isEmpty {
            models.removeAll { request.excludedIdentifiers.contains($0.persistentBackingData.identifier) }
        }
        if broader.sortBy.isEmpty, !descriptor.sortBy.isEmpty {
            let order = try ModelOrder(
                descriptor.sortBy, contextEntity(for: Model.self).entity, coordinator.schema)
            models.sort { order.compare($0, $1) == .orderedAscending }
        }
        // Throws the errors of relationships that could not be loaded while the models were filtered.
        try reader.throwForFetch()
        return Array(
            models.dropFirst(max(descriptor.fetchOffset ?? 0, 0)).prefix(max(descriptor.fetchLimit ?? .max, 0)))
    }
}

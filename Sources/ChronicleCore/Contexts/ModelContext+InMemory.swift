import Foundation

// What a store would rather leave to the context: filtering and sorting.
extension ModelContext {
    /// Hands over the rows that match, whoever finds them.
    func rows<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, of store: Store,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming [PropertyValue]) throws -> Void
    ) throws {
        do { try store.fetchRows(request, row) } catch let error as DataStoreError {
            for model in try models(request, store, after: error) {
                let backing = model.persistentBackingData
                try row(backing.identifier, backing.row)
            }
        } catch {
            throw store.attributed(error)
        }
    }

    /// How many rows match, whoever counts them.
    func count<Model, Store: DataStore>(_ request: DataStoreFetchRequest<Model>, of store: Store) throws -> Int {
        let count: Int
        do { count = try store.fetchCount(request) } catch let error as DataStoreError {
            return try models(request, store, after: error).count
        } catch {
            throw store.attributed(error)
        }
        guard count >= 0 else {
            throw store.attributed(
                SwiftDataError.invalidStoreResponse.with(
                    detail: "a count is not negative", entityName: Model.entityName))
        }
        return count
    }

    /// The identifiers of the rows that match, whoever finds them.
    func identifiers<Model, Store: DataStore>(
        _ request: DataStoreFetchRequest<Model>, of store: Store
    ) throws -> [PersistentIdentifier] {
        let identifiers: [PersistentIdentifier]
        do { identifiers = try store.fetchIdentifiers(request) } catch let error as DataStoreError {
            return try models(request, store, after: error).map(\.persistentBackingData.identifier)
        } catch {
            throw store.attributed(error)
        }
        var check = FetchCheck(entityName: Model.entityName, storeIdentifier: store.identifier)
        try attributingErrors(to: store) {
            for identifier in identifiers { try check.row(identifier) }
            try check.requireDistinct(identifiers)
        }
        return identifiers
    }

    /// Asks for more and does the rest, with models of a context of their own: what counts is what the store has, and not
    /// what this context has changed and not saved. A store that wants neither filter nor sort comes here twice.
    private func models<Model>(
        _ request: DataStoreFetchRequest<Model>, _ store: any DataStore, after error: DataStoreError
    ) throws -> [Model] {
        let asked = request.descriptor
        var rest = asked
        rest.fetchLimit = nil
        rest.fetchOffset = nil
        if error == .preferInMemoryFilter, asked.predicate != nil {
            rest.predicate = nil
        } else if error == .preferInMemorySort, !asked.sortBy.isEmpty {
            rest.sortBy = []
        } else {
            throw store.attributed(SwiftDataError(response: error).with(entityName: Model.entityName))
        }
        let reader = ModelContext(coordinator)
        (reader.author, reader.name) = (author, name)
        var models = try reader.fetch(rest)
        if let predicate = asked.predicate, rest.predicate == nil {
            let evaluator = try PredicateEvaluator(predicate)
            models = try models.filter(evaluator.matches)
        }
        if !request.excludedIdentifiers.isEmpty {
            models.removeAll { request.excludedIdentifiers.contains($0.persistentBackingData.identifier) }
        }
        if rest.sortBy.isEmpty, !asked.sortBy.isEmpty { models.sort(using: asked.sortBy) }
        // What reading a relationship could not throw.
        try reader.throwForFetch()
        return Array(models.dropFirst(max(asked.fetchOffset ?? 0, 0)).prefix(max(asked.fetchLimit ?? .max, 0)))
    }
}

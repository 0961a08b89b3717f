import Foundation

extension ModelContext {
    /// Calls a block for each matching model in fetch order, and keeps only one batch of models in memory.
    ///
    /// The method fetches the identifiers of all matching models first, and skips models that are deleted in the meantime. Models
    /// that the block references or changes stay in memory; save in the block so that changed models can be released.
    ///
    /// - Parameters:
    ///   - descriptor: The models to fetch, and the relationships to prefetch for each batch.
    ///   - batchSize: The number of models to fetch at a time.
    ///   - allowEscapingMutations: Whether the context may have unsaved changes before the first and after each batch.
    ///   - block: A closure that receives a model. An error that it throws ends the enumeration.
    /// - Throws: ``SwiftDataError/unsavedChanges`` if the context has unsaved changes before the first or after a batch; save in
    ///   the block, or allow them. `CancellationError` if the task is canceled, at the latest after the current batch. Otherwise
    ///   the error that `block` throws, or the errors of ``fetch(_:)``.
    /// - Complexity: O(*n*) in the number of matching models, with memory for their identifiers and one batch of models.
    public func enumerate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
        block: (_ model: Model) throws -> Void
    ) throws {
        func requireNoChanges() throws {
            guard hasChanges, !allowEscapingMutations else { return }
            throw SwiftDataError.unsavedChanges.with(entityName: Model.entityName)
        }
        try requireNoChanges()
        var rest = try fetchIdentifiers(descriptor)[...]
        // A save in the block replaces the identifiers of new models.
        let new = Dictionary(
            rest.lazy.filter(\.isTemporary).compactMap { identifier in
                (self.registeredModel(for: identifier) as Model?).map { (identifier, $0) }
            }, uniquingKeysWith: { first, _ in first })
        while !rest.isEmpty {
            let batch = rest.prefix(max(batchSize, 1))
            rest = rest.dropFirst(batch.count)
            try throwForFetch()
            for (identifier, found) in zip(batch, try models(batch, descriptor)) {
                guard let model = found ?? new[identifier], !model.isDeleted,
                    model.persistentBackingData.state.isInContext
                else { continue }
                try block(model)
            }
            try requireNoChanges()
            // The store may not check for cancellation during a small batch.
            if !rest.isEmpty, ReadCancellation.isCancelled { throw CancellationError() }
        }
    }

    /// Returns `nil` for a row that does not exist.
    func models<Model: PersistentModel>(
        _ identifiers: ArraySlice<PersistentIdentifier>, _ descriptor: FetchDescriptor<Model>
    ) throws -> [Model?] {
        let stored: [Model] = try fetchStored(.identifiers(Set(identifiers.filter { !$0.isTemporary })))
        if !descriptor.relationshipKeyPathsForPrefetching.isEmpty, !stored.isEmpty {
            try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: stored)
        }
        let found = Dictionary(stored.map { ($0.persistentModelID, $0) }, uniquingKeysWith: { first, _ in first })
        return identifiers.map { identifier in
            if let model = found[identifier] { return model }
            // A model without a row is part of the results until the save.
            guard let unsaved = registeredBacking(identifier), unsaved.state.isInContext, unsaved.state != .saved else {
                return nil
            }
            return unsaved.model as? Model
        }
    }
}

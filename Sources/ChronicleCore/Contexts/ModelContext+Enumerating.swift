import Foundation

extension ModelContext {
    /// Runs a block for each model that matches, in order, with one batch of them in memory at a time.
    ///
    /// Which models these are is decided before the first; one that is deleted meanwhile is left out. What the block holds on
    /// to stays in memory, and so does every model with unsaved changes: the block saves them, or
    /// ``SwiftDataError/unsavedChanges`` ends the loop with the batch.
    ///
    /// Takes memory for the identifiers of all, and for one batch of models.
    ///
    /// - Parameters:
    ///   - descriptor: Which models, and what of them to read ahead, a batch at a time.
    ///   - batchSize: How many models are fetched at once.
    ///   - allowEscapingMutations: Whether there may be unsaved changes.
    ///   - block: What it throws ends the loop and is thrown on.
    /// - Throws: As ``fetch(_:)``; ``SwiftDataError/unsavedChanges``. When the task is cancelled, `CancellationError` ends the
    ///   loop, at the latest with the batch.
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
        while !rest.isEmpty {
            let batch = rest.prefix(max(batchSize, 1))
            rest = rest.dropFirst(batch.count)
            for model in try models(batch, descriptor) where !model.isDeleted { try block(model) }
            try requireNoChanges()
            // A batch may be too small for the store to look at the task.
            if !rest.isEmpty, ReadCancellation.isCancelled { throw CancellationError() }
        }
    }

    private func models<Model: PersistentModel>(
        _ identifiers: ArraySlice<PersistentIdentifier>, _ descriptor: FetchDescriptor<Model>
    ) throws -> [Model] {
        let sought = Set(identifiers.filter { !$0.isTemporary })
        var request = FetchDescriptor<Model>(identifiers: sought)
        request.relationshipKeyPathsForPrefetching = descriptor.relationshipKeyPathsForPrefetching
        request.includePendingChanges = false
        let stored = try fetch(request)
        let found = Dictionary(stored.map { ($0.persistentModelID, $0) }, uniquingKeysWith: { first, _ in first })
        return identifiers.compactMap { found[$0] ?? registeredModel(for: $0) }
    }
}

extension FetchDescriptor {
    /// For the models with these identifiers: `{ identifiers.contains($0.persistentModelID) }`
    init(identifiers: Set<PersistentIdentifier>) {
        self.init(
            predicate: Predicate<T> { model in
                PredicateExpressions.build_contains(
                    PredicateExpressions.build_Arg(identifiers),
                    PredicateExpressions.build_KeyPath(root: model, keyPath: \.persistentModelID))
            })
    }
}

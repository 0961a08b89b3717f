extension ModelContext {
    /// Returns the revisions that match a descriptor: the states that models had, each with the transaction that began it.
    ///
    /// ```swift
    /// // Every price above 100 that the trip ever had
    /// let descriptor = RevisionDescriptor<Trip>(
    ///     predicate: #Predicate { $0.price > 100 }, of: [trip.persistentModelID])
    /// for revision in try context.fetchRevisions(descriptor) {
    ///     print(try revision[\.price], revision.transaction?.author ?? "unknown")
    /// }
    /// ```
    ///
    /// Models that have been deleted have revisions, and so have models that have not changed since the history began. Unsaved
    /// changes of the context have no effect. The revisions of several calls can be of different positions; read all pages in
    /// ascending order if others save meanwhile.
    ///
    /// The values come from the history, so it must preserve them; see ``ModelConfiguration/preservesValues``. A value that the
    /// history does not contain is one of ``Revision/missingPropertyNames``. If the predicate or a sort descriptor needs it, the
    /// fetch throws an error, because it is unknown whether the revision matches.
    ///
    /// - Parameter descriptor: The conditions, the order and the limits.
    /// - Returns: The revisions.
    /// - Throws:
    ///   - ``SwiftDataError/unsupportedFeature`` if the store does not support revisions, if it preserves no values, if the model is
    ///     in several stores and the descriptor does not have identifiers of one of them, if the context reads an earlier position,
    ///     or if the predicate or a sort descriptor uses a property of another model.
    ///   - ``SwiftDataError/historyValueMissing`` if the predicate or a sort descriptor needs a value that the history does not
    ///     contain. Use a later ``RevisionDescriptor/lowerBound``.
    ///   - ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` if a part has no equivalent in
    ///     SQL. ``SwiftDataError/unsupportedKeyPath`` if a changed property is not recorded for the model.
    ///   - ``SwiftDataError/historyTokenExpired`` if the history was deleted or has a gap after a bound. Use a later token.
    ///   - ``SwiftDataError/historyDisabled`` if the store does not record history. ``SwiftDataError/unknownSchema`` if the
    ///     container does not have the model. ``SwiftDataError/storeBusy`` or another error of the store.
    /// - Complexity: Proportional to the length of the history and the number of models, or to the number of changes of the given
    ///   models if the default store has an index; see `DefaultStore.setHistoryIndexedByModel(_:)`.
    public func fetchRevisions<Model>(_ descriptor: RevisionDescriptor<Model>) throws -> [Revision<Model>] {
        checkIsolation()
        let store = try revisionProvider(descriptor)
        let container = container
        return try attributingErrors(to: store) { try store.fetchRevisions(descriptor) }
            .map { $0.attached(to: container) }
    }

    /// Returns the number of revisions that match a descriptor, after applying its limit and its offset.
    ///
    /// - Parameter descriptor: The conditions and the limits.
    /// - Returns: The number of revisions.
    /// - Throws: The errors of ``fetchRevisions(_:)``, such as ``SwiftDataError/historyValueMissing``.
    /// - Complexity: That of ``fetchRevisions(_:)``.
    public func fetchRevisionsCount<Model>(_ descriptor: RevisionDescriptor<Model>) throws -> Int {
        checkIsolation()
        let store = try revisionProvider(descriptor)
        return try attributingErrors(to: store) { try store.fetchRevisionsCount(descriptor) }
    }

    private func revisionProvider<Model>(_ descriptor: RevisionDescriptor<Model>) throws -> any RevisionProviding {
        func unsupported(_ detail: String) -> SwiftDataError {
            .unsupportedFeature.with(detail: detail, entityName: descriptor.entityName)
        }
        guard coordinator.positions == nil else {
            throw unsupported("revisions require a context without a position; use a range of positions instead")
        }
        var stores = coordinator.stores.filter { $0.schema.entitiesByName[descriptor.entityName] != nil }
        guard !stores.isEmpty else {
            throw SwiftDataError.unknownSchema.with(
                detail: "no store of the container contains this model", entityName: descriptor.entityName)
        }
        if stores.count > 1, let identifiers = descriptor.identifiers {
            let names = Set(identifiers.map(\.storeIdentifier))
            stores = stores.filter { names.contains($0.identifier) }
        }
        guard stores.count == 1, let store = stores.first else {
            throw unsupported("the model is in several stores; pass the identifiers of models of one store")
        }
        guard let provider = store as? any RevisionProviding else {
            throw unsupported("\(type(of: store)) does not support revisions; use the history of a model instead")
                .with(storeIdentifier: store.identifier, storeName: store.configuration.name)
        }
        return provider
    }
}

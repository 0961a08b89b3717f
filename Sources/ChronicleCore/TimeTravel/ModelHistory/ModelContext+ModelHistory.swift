public import Foundation

extension ModelContext {
    /// Returns all changes of a model, with their transactions and the values that the history preserves.
    ///
    /// ```swift
    /// for entry in try context.history(of: trip, order: .reverse) {
    ///     print(entry.transaction.timestamp, entry.kind, entry.updatedAttributeNames)
    /// }
    /// ```
    ///
    /// The changes are those of the store; unsaved changes of the model have no effect. To read a long history in pages, use
    /// ``historyPage(_:)``.
    ///
    /// - Parameters:
    ///   - model: A model that was saved. It may have been deleted since.
    ///   - attribute: The key path of an attribute or relationship, or `nil` for all changes. Updates that did not change it are
    ///     omitted. A to-many relationship whose inverse is to-one changes with its destinations, so read their history instead.
    ///   - order: Whether the oldest (`.forward`) or the newest change (`.reverse`) is first.
    ///   - type: The type of the transactions.
    /// - Returns: The changes; empty if the history was deleted or does not contain the model.
    /// - Throws:
    ///   - ``SwiftDataError/modelNotFound`` if the model was never saved.
    ///   - ``SwiftDataError/contextMismatch`` if the model belongs to another container.
    ///   - ``SwiftDataError/unsupportedKeyPath`` if the key path is not a property whose changes the history records for this
    ///     model.
    ///   - ``SwiftDataError/historyTokenExpired`` if the history was deleted while it was read. Call the method again.
    ///   - ``SwiftDataError/historyDisabled`` if the store of the model does not record history.
    ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if the store does not provide transactions of the type.
    /// - Complexity: Proportional to the length of the history, or to the number of changes of the model if the default store has
    ///   an index; see `DefaultStore.setHistoryIndexedByModel(_:)`.
    public func history<Model: PersistentModel, Transaction: HistoryTransaction>(
        of model: Model, attribute: PartialKeyPath<Model>? = nil, order: SortOrder = .forward,
        for type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> [ModelHistoryEntry<Transaction>] {
        let identifier = model.persistentModelID
        return try history(
            of: identifier, attributeNamed: attribute.map { try recordedName(of: $0, identifier) }, order: order,
            for: type)
    }

    /// Returns all changes of the model with an identifier, which may have been deleted, with a key path such as `\Trip.name` of
    /// one of its attributes; see ``history(of:attribute:order:for:)-(Model,_,_,_)``.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the model.
    ///   - attribute: The key path of an attribute or relationship.
    ///   - order: Whether the oldest or the newest change is first.
    ///   - type: The type of the transactions.
    /// - Returns: The changes; empty if the history was deleted or does not contain the model.
    /// - Throws: The errors of ``history(of:attribute:order:for:)-(Model,_,_,_)``, such as ``SwiftDataError/historyDisabled``.
    public func history<Model: PersistentModel, Transaction: HistoryTransaction>(
        of identifier: PersistentIdentifier, attribute: PartialKeyPath<Model>, order: SortOrder = .forward,
        for type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> [ModelHistoryEntry<Transaction>] {
        try history(
            of: identifier, attributeNamed: recordedName(of: attribute, identifier), order: order, for: type)
    }

    /// Returns all changes of the model with an identifier, which may have been deleted, or whose class was removed from the
    /// schema; see ``history(of:attribute:order:for:)-(Model,_,_,_)``.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the model.
    ///   - name: The name of a property, which the class may no longer have, or `nil` for all changes. Updates that did not change
    ///     the property are omitted.
    ///   - order: Whether the oldest or the newest change is first.
    ///   - type: The type of the transactions.
    /// - Returns: The changes; empty if the history was deleted or does not contain the model.
    /// - Throws: The errors of ``history(of:attribute:order:for:)-(Model,_,_,_)``: ``SwiftDataError/unsupportedKeyPath`` if neither
    ///   the schema nor a change of the model has a property with the name; check the name.
    public func history<Transaction: HistoryTransaction>(
        of identifier: PersistentIdentifier, attributeNamed name: String? = nil, order: SortOrder = .forward,
        for type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> [ModelHistoryEntry<Transaction>] {
        var request = ModelHistoryRequest<Transaction>(identifier, attributeName: name, order: order, limit: 1_000)
        var entries: [ModelHistoryEntry<Transaction>] = []
        repeat {
            let page = try historyPage(request)
            entries += page.entries
            request.continuation = page.continuation
        } while request.continuation != nil
        if let name { try requireProperty(named: name, of: identifier, entries) }
        return entries
    }

    /// Every insert and delete matches a name, also one that no property ever had.
    private func requireProperty<Transaction: HistoryTransaction>(
        named name: String, of model: PersistentIdentifier, _ entries: [ModelHistoryEntry<Transaction>]
    ) throws {
        // The entity of an identifier from a reference may be a superclass of the model.
        let entities = coordinator.schema.entities.filter { $0.rootName == model.rootEntityName }
        guard !entities.isEmpty, !entities.contains(where: { $0.property(named: name) != nil }),
            !entries.contains(where: { $0.hasProperty(named: name) })
        else { return }
        throw SwiftDataError.unsupportedKeyPath.with(
            detail: "neither the schema nor the history of the model has a property with this name; check the name",
            entityName: model.entityName, propertyName: name, persistentIdentifier: model)
    }

    /// Returns a part of the history of a model, to show its newest changes, or to limit the time of a call in a store without an
    /// index.
    ///
    /// ```swift
    /// var request = ModelHistoryRequest<DefaultHistoryTransaction>(trip.persistentModelID, order: .reverse, limit: 20)
    /// repeat {
    ///     let page = try context.historyPage(request)
    ///     show(page.entries)
    ///     request.continuation = page.continuation
    /// } while request.continuation != nil
    /// ```
    ///
    /// Changes that are saved meanwhile are part of later pages in ascending order.
    ///
    /// - Parameter request: The model, the order, and the place at which the page begins.
    /// - Returns: The changes of the page, and the place at which the next page begins.
    /// - Throws: The errors of ``history(of:attribute:order:for:)-(Model,_,_,_)``, such as ``SwiftDataError/historyTokenExpired``
    ///   if history after the continuation was deleted; begin with the first page again.
    /// - Complexity: With an index, O(*k* log *n*), where *k* is the number of returned changes and *n* the length of the history.
    ///   Without one, the default store visits at most 100,000 rows of the history for each page.
    public func historyPage<Transaction: HistoryTransaction>(
        _ request: ModelHistoryRequest<Transaction>
    ) throws -> ModelHistoryPage<Transaction> {
        checkIsolation()
        let provider: any HistoryProviding<Transaction> = try historyProvider(of: request.model)
        var page = try attributingErrors(to: provider) {
            try provider.fetchModelHistory(request)
        }
        if let name = request.attributeName { page.entries.removeAll { !$0.affects(attributeNamed: name) } }
        return page
    }

    func historyProvider<Transaction: HistoryTransaction>(
        of model: PersistentIdentifier
    ) throws -> any HistoryProviding<Transaction> {
        guard !model.isTemporary else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model was never saved, so it has no history; save it first",
                entityName: model.entityName, persistentIdentifier: model)
        }
        guard let store = coordinator.stores.first(where: { $0.identifier == model.storeIdentifier }) else {
            throw SwiftDataError.contextMismatch.with(
                detail:
                    "the model belongs to a store that is not part of the container; use a context of its container",
                entityName: model.entityName, persistentIdentifier: model, storeIdentifier: model.storeIdentifier)
        }
        guard let provider = store as? any HistoryProviding<Transaction> else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "the store of the model does not provide transactions of type \(Transaction.self)",
                entityName: model.entityName, storeIdentifier: store.identifier, storeName: store.configuration.name)
        }
        return provider
    }

    private func recordedName<Model: PersistentModel>(
        of keyPath: PartialKeyPath<Model>, _ model: PersistentIdentifier
    ) throws -> String {
        // The entity of an identifier from a reference may be a superclass of the model.
        let entity = coordinator.schema.entity(for: Model.self).flatMap {
            $0.rootName == model.rootEntityName ? $0 : nil
        }
        let property = entity?.property(at: keyPath)
        guard let property, property.isRecorded else {
            throw SwiftDataError.unsupportedKeyPath.with(
                detail: property == nil
                    ? "the key path is not a stored property of the model"
                    : "the changes of this relationship are recorded for its destinations; read their history",
                entityName: model.entityName, propertyName: property?.name, persistentIdentifier: model)
        }
        return property.name
    }
}

extension Schema.Property {
    /// Unlike a change of the destinations of a relationship.
    var isRecorded: Bool { slot >= 0 || isLinked }
}

extension ModelHistoryEntry {
    fileprivate func hasProperty(named name: String) -> Bool {
        if case .update = change { return affects(attributeNamed: name) }
        return change.preservedValues.contains { $0.name == name }
    }
}

// Reverting transactions. The changes are unsaved until the program saves them.
extension ModelContext {
    /// Returns what a revert of a transaction would change, and its conflicts, without changing a model.
    ///
    /// The plan compares the values after the transaction with the current ones, so later changes of the same properties are
    /// conflicts and not overwritten. Models of the plan that are in memory are refreshed.
    ///
    /// - Parameter transaction: A transaction of a store of this container, which may have been fetched without its changes.
    /// - Returns: The plan, for ``apply(_:)``.
    /// - Throws: ``SwiftDataError/unsavedChanges`` if the context has unsaved changes; save them or roll back.
    ///   ``SwiftDataError/historyTokenStoreMismatch`` if the transaction belongs to another store.
    ///   ``SwiftDataError/historyTokenExpired``, or an error of its family, if the transaction was deleted from the history.
    ///   ``SwiftDataError/unsupportedFeature`` if the revert restores a model and the store does not have the capability
    ///   ``DataStoreCapabilities/explicitIdentifiers``. ``SwiftDataError/storeBusy`` or another error of the store; try again.
    /// - Complexity: O(*n*) in the number of changes of the transaction, and a request to the store for each relationship of a
    ///   model that the revert deletes.
    public func revertPlan<Transaction: HistoryTransaction>(for transaction: Transaction) throws -> RevertPlan {
        try makePlan(netChanges(of: transaction).inverse).plan
    }

    /// Returns what a revert of all transactions between two positions would change, and its conflicts, without changing a model.
    ///
    /// - Parameters:
    ///   - first: The position before or after the transactions.
    ///   - second: The position at the other end.
    ///   - type: The type of the transactions, which selects the stores.
    /// - Returns: The plan, for ``apply(_:)``.
    /// - Throws: The errors of ``changes(between:and:of:)``, such as ``SwiftDataError/historyTokenExpired``, and of
    ///   ``revertPlan(for:)``, such as ``SwiftDataError/unsavedChanges``.
    /// - Complexity: O(*n*) in the number of changes between the positions.
    public func revertPlan<Transaction: HistoryTransaction>(
        between first: Transaction.TokenType, and second: Transaction.TokenType,
        of type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> RevertPlan {
        try makePlan(netChanges(between: first, and: second, of: type, isForward: true).inverse).plan
    }

    /// Returns a plan with the decisions of another one, which is compared with the current models again.
    ///
    /// Use this method if ``apply(_:)`` throws ``SwiftDataError/revertConflict`` although all conflicts were resolved. Resolving a
    /// conflict can cause another one: if you skip a deleted model, a restored model can no longer reference it. Models may also
    /// have changed since. Resolve the new conflicts, and apply the new plan.
    ///
    /// - Parameter plan: A plan with decisions.
    /// - Returns: The plan, for ``apply(_:)``. A decision is kept unless the current value of its property has changed.
    /// - Throws: ``SwiftDataError/unsavedChanges`` if the context has unsaved changes; save them or roll back.
    ///   ``SwiftDataError/storeBusy`` or another error of the store; try again.
    public func revertPlan(updating plan: RevertPlan) throws -> RevertPlan {
        try makePlan(plan.changes, plan.conflicts).plan.keepingDecisions(of: plan)
    }

    /// Takes back the changes of a transaction, as unsaved changes of this context.
    ///
    /// Deleted models are restored with their identifiers, inserted models are deleted, and updated properties get their old
    /// values. Review the changes, for example in ``changedModelsArray``, and save them as a transaction of this context's author,
    /// or call ``rollback()``:
    ///
    /// ```swift
    /// try context.revert(transaction)
    /// try context.save()
    /// ```
    ///
    /// If there are conflicts, for example because a property was changed again since, the method changes nothing and throws an
    /// error. Use ``revertPlan(for:)`` to inspect and resolve them.
    ///
    /// - Parameter transaction: A transaction of a store of this container.
    /// - Returns: The plan that was applied.
    /// - Throws: ``SwiftDataError/revertConflict`` if there are conflicts; resolve them in a plan. Otherwise the errors of
    ///   ``revertPlan(for:)``, such as ``SwiftDataError/unsavedChanges``. Nothing has changed then.
    /// - Complexity: That of ``revertPlan(for:)``.
    @discardableResult
    public func revert(_ transaction: some HistoryTransaction) throws -> RevertPlan {
        try revert(netChanges(of: transaction))
    }

    /// Takes back the changes of all transactions between two positions, as unsaved changes of this context; see ``revert(_:)``.
    /// Changes in the range that cancel each other out are not made again.
    ///
    /// - Parameters:
    ///   - first: The position before or after the transactions.
    ///   - second: The position at the other end.
    ///   - type: The type of the transactions, which selects the stores.
    /// - Returns: The plan that was applied.
    /// - Throws: ``SwiftDataError/revertConflict`` if there are conflicts; resolve them in a plan. Otherwise the errors of
    ///   ``revertPlan(between:and:of:)``, such as ``SwiftDataError/historyTokenExpired``. Nothing has changed then.
    @discardableResult
    public func revert<Transaction: HistoryTransaction>(
        between first: Transaction.TokenType, and second: Transaction.TokenType,
        of type: Transaction.Type = DefaultHistoryTransaction.self
    ) throws -> RevertPlan {
        try revert(netChanges(between: first, and: second, of: type, isForward: true))
    }

    /// Changes a model back to what it was at a position, as unsaved changes of this context.
    ///
    /// ```swift
    /// try context.revert(trip, to: context.token(tagged: "before-import"))
    /// try context.save()
    /// ```
    ///
    /// The attributes, the to-one relationships, and the relationships without an inverse get the values that they had; see
    /// ``revert(_:)``. Other models do not change, also not those of a to-many relationship whose inverse is a reference. A model
    /// that was deleted since, also in memory, is restored with its identifier, and one that was inserted since is deleted.
    ///
    /// - Parameters:
    ///   - model: A saved model, or one whose row was deleted.
    ///   - token: The position.
    /// - Returns: The plan that was applied, without steps if the model is as it was.
    /// - Throws: ``SwiftDataError/revertConflict`` if the model cannot be as it was, for example because a model that it
    ///   referenced was deleted. ``SwiftDataError/modelNotFound`` if the model was never saved. Otherwise the errors of
    ///   ``revertPlan(between:and:of:)``, such as ``SwiftDataError/historyTokenExpired``. Nothing has changed then.
    /// - Complexity: That of ``changes(between:and:of:)``, from the position to the present.
    @discardableResult
    public func revert(_ model: any PersistentModel, to token: DefaultHistoryToken) throws -> RevertPlan {
        try revert(model.persistentModelID, to: token) { [$0] }
    }

    /// Changes a model, and the models that paths of relationships reach, back to what they were at a position, as unsaved changes
    /// of this context.
    ///
    /// ```swift
    /// try context.revert(order, to: token, including: \.lines, \.shipments)
    /// try context.save()
    /// ```
    ///
    /// The models are those that a path reaches now, and those that it reached at the position: lines that were removed or deleted
    /// since are lines of the order again, and lines that were added since are deleted if they were inserted since, and belong to
    /// their previous order otherwise. See ``revert(_:to:)``.
    ///
    /// - Parameters:
    ///   - model: A saved model, or one whose row was deleted.
    ///   - token: The position.
    ///   - path: A path of relationships from the model.
    ///   - paths: Further paths.
    /// - Returns: The plan that was applied, without steps if all models are as they were.
    /// - Throws: The errors of ``revert(_:to:)``, such as ``SwiftDataError/revertConflict``, and of
    ///   ``history(of:including:_:after:order:)``, such as ``SwiftDataError/historyValueMissing``. Nothing has changed then.
    /// - Complexity: That of ``changes(between:and:of:)``, from the position to the present.
    @discardableResult
    public func revert<Model: PersistentModel>(
        _ model: Model, to token: DefaultHistoryToken, including path: PartialKeyPath<RelationshipPath<Model>>,
        _ paths: PartialKeyPath<RelationshipPath<Model>>...
    ) throws -> RevertPlan {
        try revert(model, to: token, including: RelationshipPath.names([path] + paths))
    }

    /// Changes a model, and the models that paths of relationships reach, back to what they were at a position, as unsaved changes
    /// of this context; see ``revert(_:to:including:_:)``.
    ///
    /// - Parameters:
    ///   - model: A saved model, or one whose row was deleted.
    ///   - token: The position.
    ///   - paths: The names of relationships, or of several ones with a period in between, such as `lines.product`.
    /// - Returns: The plan that was applied, without steps if all models are as they were.
    /// - Throws: The errors of ``revert(_:to:including:_:)``, such as ``SwiftDataError/revertConflict``.
    @discardableResult
    public func revert(
        _ model: any PersistentModel, to token: DefaultHistoryToken, including paths: [String]
    ) throws -> RevertPlan {
        try revert(model.persistentModelID, to: token) { identifier in
            try reading(identifier, paths, after: token) { try $0.membersAtBothEnds() }
        }
    }

    private func revert(
        _ identifier: PersistentIdentifier, to token: DefaultHistoryToken,
        _ members: (PersistentIdentifier) throws -> Set<PersistentIdentifier>
    ) throws -> RevertPlan {
        guard !identifier.isTemporary else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model was never saved, so it has no history", entityName: identifier.entityName,
                persistentIdentifier: identifier)
        }
        guard let store = identifier.storeIdentifier, token.position(in: store) != nil else {
            throw SwiftDataError.historyTokenStoreMismatch.with(
                detail: "the token has no position in the store of the model; use a token of that store",
                persistentIdentifier: identifier)
        }
        let members = try members(identifier)
        let changes = try changes(since: token).filter { members.contains($0.persistentIdentifier) }
        return try revert(NetChanges(changes, coordinator.schema))
    }

    /// Makes the changes of a plan, as unsaved changes of this context.
    ///
    /// The method compares the plan with the current models again. If something changed since the plan was created, or since a
    /// conflict was resolved, it changes nothing and throws an error. Call ``revertPlan(updating:)`` in that case.
    ///
    /// - Parameter plan: A plan whose conflicts are resolved.
    /// - Throws: ``SwiftDataError/revertConflict`` if there are unresolved or new conflicts. ``SwiftDataError/unsavedChanges`` if
    ///   the context has unsaved changes; save them or roll back. ``SwiftDataError/storeBusy`` or another error of the store; try
    ///   again. Nothing has changed then.
    public func apply(_ plan: RevertPlan) throws {
        let current = try makePlan(plan.changes, plan.conflicts)
        try apply(current.plan, current.models)
    }

    private typealias Models = [PersistentIdentifier: any PersistentModel]

    private func revert(_ changes: NetChanges) throws -> RevertPlan {
        let (plan, models) = try makePlan(changes.inverse)
        try apply(plan, models)
        return plan
    }

    private func makePlan(
        _ changes: NetChanges, _ decisions: [RevertConflict] = []
    ) throws -> (plan: RevertPlan, models: Models) {
        try requireNoChanges()
        var planner = RevertPlanner(self, changes, decisions)
        let plan = try planner.plan()
        return (plan, planner.models)
    }

    /// The plan was just created.
    private func apply(_ plan: RevertPlan, _ models: Models) throws {
        let unresolved = plan.unresolvedConflicts
        if let conflict = unresolved.first {
            throw SwiftDataError.revertConflict.with(
                detail: conflict.kind.reason
                    + (unresolved.count == 1 ? "" : "; there are \(unresolved.count - 1) more conflicts")
                    + "; resolve each conflict in a plan and apply the plan, or do not revert",
                entityName: conflict.persistentIdentifier.entityName, propertyName: conflict.propertyName,
                persistentIdentifier: conflict.persistentIdentifier)
        }
        do {
            try storage.notifyingObservers {
                var application = RevertApplication(self, models)
                try application.apply(plan.steps)
            }
        } catch {
            rollback()
            throw error
        }
    }

    private func requireNoChanges() throws {
        checkIsolation()
        try throwForFetch()
        guard !hasChanges else {
            throw SwiftDataError.unsavedChanges.with(
                detail: "a revert requires a context without unsaved changes; save them or roll back")
        }
    }

    /// Reads the changes from the store again, unless the transaction has changes: one of another program grows until a save ends
    /// it, so a read can return a part of it.
    private func netChanges<Transaction: HistoryTransaction>(of transaction: Transaction) throws -> NetChanges {
        let store = try providers(of: Transaction.self).first {
            ($0 as? any DataStore)?.identifier == transaction.storeIdentifier
        }
        guard let store else {
            throw SwiftDataError.historyTokenStoreMismatch.with(
                detail: "the transaction belongs to a store of another container",
                storeIdentifier: transaction.storeIdentifier)
        }
        var collector = NetChangeCollector(coordinator.schema)
        try attributingErrors(to: store) {
            guard let paging = store as? any HistoryPaging<Transaction> else {
                for change in transaction.changes { collector.add(change) }
                return
            }
            let first = transaction.changes.first?.integerChangeIdentifier
            let last = transaction.changes.last?.integerChangeIdentifier
            var reader = HistoryChangeReader(transaction, after: nil, in: paging)
            while let changes = try reader.nextChanges() {
                for change in changes {
                    if let number = change.integerChangeIdentifier, let first, let last {
                        if number < first { continue }
                        if number > last { return }
                    }
                    collector.add(change)
                }
            }
        }
        return NetChanges(collector.changes(), coordinator.schema)
    }
}

extension ModelContext {
    /// Inserts a model and the models that it references into this context.
    ///
    /// The next ``save()`` writes them, to the store of the first configuration that contains their class. Inserting a model twice
    /// has no effect. Inserting a model whose delete is not saved undoes the delete. If a delete rule deleted the model, this also
    /// undoes the deletes that it caused; if the program did, its effects on other models remain.
    ///
    /// This method cannot throw. The next `fetch` or `save` throws ``SwiftDataError/unknownSchema`` if the container does not have
    /// the class, ``SwiftDataError/contextMismatch`` if the model belongs to another context, and ``SwiftDataError/modelNotFound``
    /// if its delete was saved. If several models could not be inserted, the error is that of the first one, and its detail
    /// describes the others.
    ///
    /// - Parameter model: The model to insert.
    /// - Complexity: O(*n*), where *n* is the number of models that become part of the context and of their destinations.
    public func insert(_ model: some PersistentModel) {
        storage.notifyingObservers {
            do { try insertAny(model) } catch { storage.failures.add(error) }
        }
    }

    func insertAny(_ model: any PersistentModel) throws {
        let backing = model.persistentBackingData
        if let membership = backing.membership, try isOwned(backing, membership) {
            if !storage.failures.isEmpty {
                // Inserting a model that could not be deleted means that the program keeps it.
                storage.failures.resolveAssignment(
                    ContextFailures.Key(identifier: backing.identifier, propertyName: nil))
            }
            switch backing.state {
            case .deleted, .discarded:
                storage.failures.removeUnfinishedDeletes(of: backing.identifier)
                try undoDelete(of: backing)
            case .gone, .replaced: throw Self.deleteWasSaved(backing)
            case .detached, .new, .restored, .saved, .missing: break
            }
            return
        }
        guard !backing.isProbe else {
            throw SwiftDataError.modelNotFound.with(
                detail: "the model is a placeholder for a relationship that was never set; set the relationship",
                entityName: type(of: model).entityName)
        }
        let entity = try contextEntity(for: type(of: model))
        if entity.entity.relationshipProperties.isEmpty {
            attach(model, backing, entity)
        } else {
            try insertGraph(model)
        }
    }

    /// Returns whether a model that is or was in a context is in this one. Throws ``SwiftDataError/contextMismatch`` if it is in
    /// another one, and ``SwiftDataError/modelNotFound`` if it was deleted there.
    private func isOwned(_ backing: AnyBackingData, _ membership: ContextEntity) throws -> Bool {
        if membership.registry === registry { return true }
        guard backing.state == .discarded else {
            throw backing.state.hasLeft ? Self.deleteWasSaved(backing) : Self.ofAnotherContext(backing)
        }
        membership.storage.context.report(.rolledBack, backing)
        return false
    }

    private static func deleteWasSaved(_ backing: AnyBackingData) -> SwiftDataError {
        .modelNotFound.with(
            detail: "the delete of this model was saved; insert a new model instead",
            persistentIdentifier: backing.identifier)
    }

    private static func ofAnotherContext(_ backing: AnyBackingData) -> SwiftDataError {
        let first = backing.identifier.isTemporary ? "save it there first, and then " : ""
        return .contextMismatch.with(
            detail:
                "the model belongs to another context; \(first)fetch it here with existingModel(for: persistentModelID)",
            persistentIdentifier: backing.identifier)
    }

    private func attach(_ model: any PersistentModel, _ backing: AnyBackingData, _ entity: ContextEntity) {
        backing.model = model
        backing.join(entity)
        backing.change(.inserted)
        // Registers a model whose identifier was used before the insert. Other models are registered when their
        // identifier is first used.
        if let origin = backing.origin { registry.add(backing, origin.identifier(backing.number)) }
        markPending(backing)
    }

    /// Inserts every model that can be reached, and then connects their relationships. This is not recursive: a chain of references
    /// may be longer than the stack.
    private func insertGraph(_ root: any PersistentModel) throws {
        var models = [root]
        var found: [(any PersistentModel, AnyBackingData, ContextEntity)] = []
        var seen: Set<ObjectIdentifier> = []
        // Retains the destinations, which the models themselves keep only outside of a context.
        var assignments: [(Schema.Property, any PersistentModel, [any PersistentModel])] = []
        var next = 0
        while next < models.count {
            let model = models[next]
            next += 1
            let backing = model.persistentBackingData
            guard backing.membership == nil, seen.insert(ObjectIdentifier(backing)).inserted else { continue }
            let entity = try contextEntity(for: type(of: model))
            found.append((model, backing, entity))
            for property in entity.entity.relationshipProperties {
                guard let destinations = property.relationshipAccess?.destinations(of: model), !destinations.isEmpty
                else { continue }
                assignments.append((property, model, destinations))
                models += destinations.filter { $0.persistentBackingData.membership == nil }
            }
        }
        // Only now, so that nothing has changed if the container lacks one of the classes.
        for (model, backing, entity) in found {
            if backing.extras?.held != nil { backing.removeExtras() }
            attach(model, backing, entity)
        }
        for (property, model, destinations) in assignments {
            // Each end of a relationship stored as links may contain some of the links; all of them are kept.
            let all =
                property.isLinked
                ? try ManagedRelationship(self, model.persistentBackingData, property)?.joinLinks(destinations) ?? []
                : destinations
            property.relationshipAccess?.assign(all, to: model)
        }
    }

    func relationships(of backing: AnyBackingData, _ membership: ContextEntity) -> [ManagedRelationship] {
        membership.entity.relationshipProperties.compactMap { ManagedRelationship(self, backing, $0) }
    }

    /// Deletes a model and applies the delete rules of its relationships. The next ``save()`` deletes the row.
    ///
    /// Deleting a model that was inserted and not saved removes it from the context. Deleting a model that is not in a context has
    /// no effect. A model that only a cascade deleted survives if it gets another owner before the save, whether you set its own
    /// relationship or the list of the other owner:
    ///
    /// ```swift
    /// context.delete(folder)
    /// note.folder = inbox
    /// try context.save()              // Deletes the folder, and keeps the note.
    /// ```
    ///
    /// This method cannot throw. The next `fetch` or `save` throws ``SwiftDataError/contextMismatch`` if the model belongs to
    /// another context. If a relationship of the model could not be loaded when it was read, the model is not deleted and `save`
    /// throws the error. Read the relationship and delete the model again, or insert the model to keep it.
    ///
    /// - Parameter model: The model to delete.
    /// - Complexity: O(*n*), where *n* is the number of deleted models and of the models that reference them.
    public func delete(_ model: some PersistentModel) {
        storage.notifyingObservers { deleteAny(model) }
    }

    func deleteAny(_ model: any PersistentModel) {
        verifyLists()
        let backing = model.persistentBackingData
        if !storage.failures.isEmpty, backing.membership?.registry === registry {
            let key = ContextFailures.Key(identifier: backing.identifier, propertyName: nil)
            if let error = failureToRead(backing) {
                let detail =
                    "the model was not deleted because the relationship could not be loaded; read it and delete the "
                    + "model again, or insert the model to keep it"
                storage.failures.addAssignment(key, (error as? SwiftDataError)?.with(detail: detail) ?? error)
                return
            }
            storage.failures.resolveAssignment(key)
        }
        cascade(from: deleteOne(model, cause: nil))
    }

    /// A relationship that could not be loaded and was not read again since read as empty, which may be the reason for the delete.
    private func failureToRead(_ backing: AnyBackingData) -> (any Error)? {
        backing.membership?.entity.relationshipProperties.lazy
            .map { ContextFailures.Key(identifier: backing.identifier, propertyName: $0.name) }
            .first { self.storage.failures.wasRead($0) }
            .flatMap { self.storage.failures.error(of: $0) }
    }

    /// Works without recursion: a chain may be longer than the stack.
    private func cascade(from models: [DependentModel]) {
        var models = Array(models.reversed())
        while let next = models.popLast() { models += deleteOne(next.model, cause: next.cause).reversed() }
    }

    private struct DependentModel {
        let model: any PersistentModel
        let cause: Deletion.Cause
    }

    /// For relationships that could not be loaded when their model was deleted. Throws the first error of one that still cannot be
    /// loaded, after the others were processed.
    func finishDeletes() throws {
        var failure: (any Error)?
        for key in storage.failures.takeUnfinishedDeletes() {
            // The delete may have been rolled back.
            guard let backing = registeredBacking(key.identifier), backing.state == .deleted,
                let property = key.propertyName.flatMap({ backing.membership?.entity.propertiesByName[$0] }),
                let relationship = ManagedRelationship(self, backing, property)
            else { continue }
            do {
                let destinations = relationship.applyDeleteRule(to: try relationship.readForDelete())
                cascade(from: dependents(destinations, of: backing, relationship))
            } catch {
                storage.failures.addUnfinishedDelete(key)
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// - Parameter cause: The delete that caused this one; `nil` if the program deletes the model.
    /// - Returns: The models that the rules delete next.
    private func deleteOne(_ model: any PersistentModel, cause: Deletion.Cause?) -> [DependentModel] {
        let backing = model.persistentBackingData
        guard let membership = backing.membership, membership.registry === registry else {
            if backing.membership != nil {
                storage.failures.add(Self.ofAnotherContext(backing))
            }
            return []
        }
        guard backing.state.isInContext else {
            addCause(cause, toDeleteOf: backing)
            return []
        }
        let relationships = relationships(of: backing, membership)
        let destinations = relationships.map { relationship in
            do { return try relationship.readForDelete() } catch {
                // The next save applies the rule before it writes.
                storage.failures.addUnfinishedDelete(
                    ContextFailures.Key(
                        identifier: backing.identifier, propertyName: relationship.property.name))
                return []
            }
        }
        // Changed before the rules are applied, to end the cascade of two models that delete each other.
        backing.change(cause == nil ? .deleted : .deletedByRule)
        recordDeletion(of: backing, cause)
        // The model was restored or missing.
        if backing.state == .gone { storage.deletedWithoutRow.insert(backing.identifier) }
        links.forgetLists(deleting: model)
        let deletedNext = zip(relationships, destinations).flatMap { relationship, destinations in
            recordNullified(destinations, of: backing, relationship)
            return dependents(relationship.applyDeleteRule(to: destinations), of: backing, relationship)
        }
        didChangeState(of: backing)
        return deletedNext
    }

    private func dependents(
        _ models: [any PersistentModel], of backing: AnyBackingData, _ relationship: ManagedRelationship
    ) -> [DependentModel] {
        guard !models.isEmpty, let number = backing.deletion?.number else { return [] }
        let cause = Deletion.Cause(number: number, index: relationship.inverse?.index)
        return models.map { DependentModel(model: $0, cause: cause) }
    }

    /// Has no effect, because changes are visible immediately on both sides of a relationship; for compatibility with SwiftData.
    public func processPendingChanges() {}

    /// Discards all unsaved changes and all errors that the next save would throw.
    ///
    /// New models leave the context, changed models have their last fetched or saved values, and deleted models are restored.
    ///
    /// - Complexity: O(*n*), where *n* is the number of models of the context that are in memory.
    public func rollback() {
        checkIsolation()
        storage.notifyingObservers { discardChanges() }
    }

    private func discardChanges() {
        storage.didChange()
        storage.failures = ContextFailures()
        storage.isOutcomeUnknown = false
        unverifiedLists = []
        let models = pendingModels
        pendingModels = []
        links = ContextLinks()
        for listed in models {
            listed.backing.endPending()
            report(.rolledBack, listed.backing)
            if listed.backing.state == .saved {
                listed.backing.didChangeAllProperties()
                listed.backing.revert()
            }
        }
        // The to-many ends of changed relationships are read again on their next use.
        forgetAllLists()
        unsavedReferrers = [:]
        storage.deletedWithoutRow = []
        deletedByRules = [:]
        // Last, because the changes of the models above schedule an autosave.
        storage.firstChangeAuthor = nil
    }
}

extension ModelContext {
    /// Makes a model part of this context, to be saved with the next ``save()``, together with the models that it is
    /// related to. Inserting a model twice does nothing; inserting one that was deleted and not saved takes the delete
    /// back, but not what the delete did to other models.
    ///
    /// A class that the container does not know, or a model of another context, is an error of the next `save` or `fetch`.
    public func insert(_ model: some PersistentModel) {
        do { try insertAny(model) } catch { storage.failures.add(error) }
    }

    func insertAny(_ model: any PersistentModel) throws {
        let backing = model.persistentBackingData
        if let membership = backing.membership {
            guard membership.registry === registry else {
                throw SwiftDataError.contextMismatch.with(persistentIdentifier: backing.identifier)
            }
            if !storage.failures.isEmpty {
                // A delete that was refused is not to be repeated.
                storage.failures.resolveAssignment(
                    ContextFailures.Key(identifier: backing.identifier, propertyName: nil))
            }
            guard backing.status == .deleted else { return }
            guard backing.isPending else {
                throw SwiftDataError.modelNotFound.with(
                    detail: "it was deleted and the delete was saved; make a new model",
                    persistentIdentifier: backing.identifier)
            }
            let relationships = relationships(of: backing, membership)
            backing.status = .saved
            links.forgetLists()
            storage.failures.removeUnfinishedDeletes(of: backing.identifier)
            do { for relationship in relationships { try relationship.rejoin() } } catch {
                // As before: the delete is not taken back by half.
                backing.status = .deleted
                throw error
            }
            return
        }
        guard !backing.isProbe else {
            throw SwiftDataError.modelNotFound.with(
                detail: "it is a placeholder for a relationship that was never set",
                entityName: type(of: model).entityName)
        }
        let entity = try contextEntity(for: type(of: model))
        if entity.entity.relationshipProperties.isEmpty {
            join(model, backing, entity)
        } else {
            try insertGraph(model)
        }
    }

    private func join(_ model: any PersistentModel, _ backing: BackingData, _ entity: ContextEntity) {
        backing.model = model
        backing.membership = entity
        backing.status = .inserted
        // Whoever was asked for its identifier before; the others follow when they are.
        if let origin = backing.origin { registry.add(backing, origin.identifier(backing.number)) }
        list(backing)
    }

    /// Everything that can be reached joins first and is tied together then: a chain may be longer than the stack.
    private func insertGraph(_ root: any PersistentModel) throws {
        var models = [root]
        var ties: [(Schema.Property, any PersistentModel, [any PersistentModel])] = []
        var next = 0
        while next < models.count {
            let model = models[next]
            next += 1
            let backing = model.persistentBackingData
            guard backing.membership == nil else { continue }
            let entity = try contextEntity(for: type(of: model))
            for property in entity.entity.relationshipProperties {
                let destinations = property.access.destinations(model)
                guard !destinations.isEmpty else { continue }
                ties.append((property, model, destinations))
                models += destinations.filter { $0.persistentBackingData.membership == nil }
            }
            join(model, backing, entity)
        }
        for (property, model, destinations) in ties {
            // Each side of links may know some: all of them count.
            let isLinked = property.relationship?.isLinked == true
            let all =
                isLinked
                ? try ManagedRelationship(self, model.persistentBackingData, property)?.joinLinks(destinations) ?? []
                : destinations
            property.access.assign(all, to: model)
        }
    }

    private func relationships(of backing: BackingData, _ membership: ContextEntity) -> [ManagedRelationship] {
        membership.entity.relationshipProperties.compactMap { ManagedRelationship(self, backing, $0) }
    }

    /// Deletes a model with the next ``save()``, and does to the models it is related to what its relationships'
    /// delete rules say.
    public func delete(_ model: some PersistentModel) {
        deleteAny(model)
    }

    func deleteAny(_ model: any PersistentModel) {
        settleLists()
        let backing = model.persistentBackingData
        if !storage.failures.isEmpty, backing.membership?.registry === registry {
            let key = ContextFailures.Key(identifier: backing.identifier, propertyName: nil)
            if let error = failureToRead(backing) {
                let refused =
                    "it was not deleted because this could not be loaded: read it, then delete the model "
                    + "again, or insert it to keep it"
                storage.failures.addAssignment(key, (error as? SwiftDataError)?.with(detail: refused) ?? error)
                return
            }
            storage.failures.resolveAssignment(key)
        }
        cascade(from: deleteOne(model))
    }

    /// Why a relationship of a model read as empty, if the program has not read it since: it may be why it deletes
    /// the model.
    private func failureToRead(_ backing: BackingData) -> (any Error)? {
        backing.membership?.entity.relationshipProperties.lazy
            .map { ContextFailures.Key(identifier: backing.identifier, propertyName: $0.name) }
            .first { self.storage.failures.wasRead($0) }
            .flatMap { self.storage.failures.error(of: $0) }
    }

    /// Not by recursion: a chain of cascades may be longer than the stack.
    private func cascade(from models: [any PersistentModel]) {
        var models = Array(models.reversed())
        while let model = models.popLast() { models += deleteOne(model).reversed() }
    }

    /// Applies the delete rules of relationships that could not be loaded when their model was deleted.
    ///
    /// - Throws: What keeps them from being loaded now. The others are done.
    func finishDeletes() throws {
        var failure: (any Error)?
        for key in storage.failures.takeUnfinishedDeletes() {
            // The delete may have been rolled back.
            guard let backing = registeredBacking(key.identifier), backing.status == .deleted,
                let property = key.propertyName.flatMap({ backing.membership?.entity.propertiesByName[$0] }),
                let relationship = ManagedRelationship(self, backing, property)
            else { continue }
            do { cascade(from: relationship.applyDeleteRule(to: try relationship.readForDelete())) } catch {
                storage.failures.addUnfinishedDelete(key)
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: The models to delete with it.
    private func deleteOne(_ model: any PersistentModel) -> [any PersistentModel] {
        let backing = model.persistentBackingData
        guard let membership = backing.membership, membership.registry === registry else {
            if backing.membership != nil {
                storage.failures.add(
                    SwiftDataError.contextMismatch.with(persistentIdentifier: backing.identifier))
            }
            return []
        }
        guard backing.status == .saved || backing.status == .inserted else { return [] }
        let relationships = relationships(of: backing, membership)
        let destinations = relationships.map { relationship in
            do { return try relationship.readForDelete() } catch {
                // The save does it before it writes.
                storage.failures.addUnfinishedDelete(
                    ContextFailures.Key(
                        identifier: backing.identifier, propertyName: relationship.property.name))
                return []
            }
        }
        let wasSaved = backing.status == .saved
        // Before the rules run: two models that cascade to each other end here.
        backing.status = wasSaved ? .deleted : .detached
        links.forgetLists()
        let cascade = zip(relationships, destinations).flatMap { $0.applyDeleteRule(to: $1) }
        if wasSaved {
            list(backing)
        } else {
            forgetInserted(backing)
        }
        return cascade
    }

    /// Has nothing to do: what is set is seen at once, on both sides of a relationship. For code that is written for
    /// SwiftData.
    public func processPendingChanges() {}

    /// Makes a new model that was deleted, or rolled back, a model of no context again.
    func forgetInserted(_ backing: BackingData) {
        links.forget(backing)
        registry.remove(backing)
        backing.status = .detached
        backing.membership = nil
        backing.changed = PropertySet()
        backing.extras = nil
    }

    /// Forgets every change that was not saved: new models leave the context, changed ones are as they were read,
    /// deleted ones are back.
    public func rollback() {
        checkIsolation()
        storage.failures = ContextFailures()
        unverifiedLists = []
        let models = pendingModels
        pendingModels = []
        links = ContextLinks()
        for listed in models {
            let backing = listed.backing
            // Not listed any more: its delete was saved, before the save failed in another store.
            guard backing.isPending else { continue }
            backing.isPending = false
            switch backing.status {
            case .inserted: forgetInserted(backing)
            case .saved: backing.revert()
            case .deleted:
                backing.status = .saved
                backing.revert()
            case .detached: break
            }
        }
        // The other ends of relationships that were set: read anew when they are asked for.
        registry.forEach { $0.removeLists() }
        unsavedReferrers = [:]
    }
}

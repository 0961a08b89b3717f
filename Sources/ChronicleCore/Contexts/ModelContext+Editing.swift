extension ModelContext {
    /// Makes a model part of this context, to be saved with the next ``save()``, together with the models that it is
    /// related to. Inserting a model twice does nothing; inserting one that was deleted and not saved takes the delete
    /// back.
    ///
    /// A class that the container does not know, or a model of another context, is an error of the next `save` or `fetch`.
    public func insert(_ model: some PersistentModel) {
        do { try insertAny(model) } catch { deferredError = deferredError ?? error }
    }

    func insertAny(_ model: any PersistentModel) throws {
        let backing = model.persistentBackingData
        if let membership = backing.membership {
            guard membership.context === self else {
                throw SwiftDataError.modelOfAnotherContext.adding(persistentIdentifier: backing.identifier)
            }
            guard backing.status == .deleted else { return }
            guard backing.isListed else {
                throw SwiftDataError.modelNotFound.adding(
                    detail: "it was deleted and the delete was saved; make a new model",
                    persistentIdentifier: backing.identifier)
            }
            backing.status = .saved
            return
        }
        let entity = try contextEntity(for: type(of: model))
        let related = entity.entity.properties.filter { $0.relationship != nil }
            .map { ($0, $0.access.destinations(model)) }
        backing.model = model
        backing.membership = entity
        backing.status = .inserted
        register(backing)
        list(backing)
        for (property, destinations) in related where !destinations.isEmpty {
            property.access.assign(destinations, to: model)
        }
    }

    /// Deletes a model with the next ``save()``, and does to the models it is related to what its relationships'
    /// delete rules say.
    public func delete(_ model: some PersistentModel) {
        deleteAny(model)
    }

    func deleteAny(_ model: any PersistentModel) {
        let backing = model.persistentBackingData
        guard let membership = backing.membership, membership.context === self else {
            if backing.membership != nil {
                deferredError =
                    deferredError
                    ?? SwiftDataError.modelOfAnotherContext.adding(persistentIdentifier: backing.identifier)
            }
            return
        }
        guard backing.status == .saved || backing.status == .inserted else { return }
        let relationships = membership.entity.properties.compactMap { property in
            property.relationship.map { ManagedRelationship(self, backing, property, $0) }
        }
        let destinations = relationships.map { $0.read() }
        let wasSaved = backing.status == .saved
        // Before the rules run: two models that cascade to each other end here.
        backing.status = wasSaved ? .deleted : .detached
        for (relationship, destinations) in zip(relationships, destinations) {
            switch relationship.relationship.deleteRule {
            case .cascade:
                for destination in destinations { deleteAny(destination) }
            case .nullify:
                for destination in destinations { relationship.detach(destination) }
            case .noAction:
                break
            }
            relationship.leaveInverses(destinations)
        }
        if wasSaved {
            list(backing)
        } else {
            forgetInserted(backing)
        }
    }

    /// Makes a new model that was deleted, or rolled back, a model of no context again.
    func forgetInserted(_ backing: BackingData) {
        registry.removeValue(forKey: backing.identifier)
        backing.status = .detached
        backing.membership = nil
        backing.changed = PropertySet()
        backing.pending = [:]
        backing.destinations = [:]
    }

    /// Forgets every change that was not saved: new models leave the context, changed ones are as they were read,
    /// deleted ones are back.
    public func rollback() {
        deferredError = nil
        let models = listed
        listed = []
        for model in models {
            let backing = model.persistentBackingData
            backing.isListed = false
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
        for backing in registry.values { backing.takeUnretainedValue().destinations = [:] }
    }
}

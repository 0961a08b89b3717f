// Relationships that are stored as links: the stored links combined with the unsaved changes.
extension ManagedRelationship {
    func loadLinks() throws -> ToManyList {
        try context.loadIfNeeded(backing)
        guard backing.hasRow else { return rememberLinks([]) }
        return rememberLinks(try context.loadLinked([backing.identifier], property)[backing.identifier] ?? [])
    }

    @discardableResult
    func rememberLinks(_ stored: [AnyObject]) -> ToManyList {
        var saved = stored
        context.links.setStored(stored, of: backing, property, inverse: inverse)
        if let changes = context.links[changesOf: backing, property] {
            saved.removeAll(where: changes.isUnwanted)
            let known = Set(saved.map { ObjectIdentifier($0) })
            saved += changes.wanted.filter { !known.contains(ObjectIdentifier($0)) }
        }
        if let inverse, let own = backing.model {
            let known = context.links.known(of: inverse, about: own)
            let members = Set(saved.map { ObjectIdentifier($0) })
            saved.removeAll { known.others.contains(ObjectIdentifier($0)) }
            saved += known.members.filter { !members.contains(ObjectIdentifier($0)) }
        }
        saved.removeAll { !backing(of: $0).state.isInContext }
        let list = context.links.keep(saved, of: backing, property)
        backing.didReadAgain(property, list)
        return list
    }

    func joinLinks(_ destinations: [any PersistentModel]) throws -> [any PersistentModel] {
        let known = try models()
        let members = Set(known.map { ObjectIdentifier($0) })
        return known + destinations.filter { !members.contains(ObjectIdentifier($0)) }
    }

    /// - Parameter list: The list that the destination was added to or removed from.
    func setLinked(_ isLinked: Bool, _ destination: AnyObject, in list: ToManyList) {
        guard let own = backing.model else { return }
        let model = access.model(destination)
        // Creates both identifiers, which the save needs to find the models.
        _ = (backing.identifier, model.persistentModelID)
        list.setMember(isLinked, model)
        recordLink(isLinked, own, model)
    }

    /// The model of the relationship is deleted.
    func removeLink(to destination: any PersistentModel) {
        guard let own = backing.model else { return }
        recordLink(false, own, destination)
        // Another context may have added the link that this one added as well.
        context.links.removeStored(destination, of: backing, property)
        let other = destination.persistentBackingData
        if let inverse { context.links.removeStored(own, of: other, inverse) }
    }

    private func recordLink(_ isLinked: Bool, _ own: any PersistentModel, _ model: any PersistentModel) {
        let other = model.persistentBackingData
        context.links.set(isLinked, model, of: backing, property)
        backing.didChange(property)
        backing.markChanged(property.mark)
        guard let inverse, other !== backing || inverse !== property else { return }
        context.links.set(isLinked, own, of: other, inverse)
        other.didChange(inverse)
        other.markChanged(inverse.mark)
    }
}

// Relationships that are kept as links: what the store has, and what came and went since.
extension ManagedRelationship {
    func readLinks() -> [any PersistentModel] {
        if let known = context.links.list(of: backing, property) { return known }
        var saved: [any PersistentModel] = []
        if backing.hasRow {
            // Not remembered when it could not be loaded, so that the next read tries again.
            guard let loaded = context.deferring({ try context.loadLinked([backing.identifier], property) })
            else { return [] }
            saved = loaded[backing.identifier] ?? []
        }
        return rememberLinks(saved)
    }

    /// Keeps what the store has, with what came and went since.
    @discardableResult
    func rememberLinks(_ stored: [any PersistentModel]) -> [any PersistentModel] {
        var saved = stored
        if let changes = context.links[changesOf: backing, property] {
            saved.removeAll { changes.removed.contains($0) }
            let known = Set(saved.map { ObjectIdentifier($0) })
            saved += changes.added.models.filter { !known.contains(ObjectIdentifier($0)) }
        }
        if let inverse, let own = backing.model {
            let known = context.links.known(of: inverse, about: own)
            let members = Set(saved.map { ObjectIdentifier($0) })
            saved.removeAll { known.others.contains(ObjectIdentifier($0)) }
            saved += known.members.filter { !members.contains(ObjectIdentifier($0)) }
        }
        saved.removeAll { !$0.persistentBackingData.isThere }
        context.links.keep(saved, of: backing, property)
        return saved
    }

    func writeLinks(_ destinations: [any PersistentModel]) {
        let old = readLinks()
        let same = zip(old, destinations).prefix { $0 === $1 }.count
        if same == old.count, destinations.count == same + 1 {
            // Appending touches what is new.
            let model = destinations[same]
            if !context.links.isListed(model, of: backing, property) { setLinked(true, model) }
            return
        }
        var seen = Set<ObjectIdentifier>()
        let new = destinations.filter { seen.insert(ObjectIdentifier($0)).inserted }
        for model in old where !seen.contains(ObjectIdentifier(model)) { setLinked(false, model) }
        let known = Set(old.map { ObjectIdentifier($0) })
        for model in new where !known.contains(ObjectIdentifier(model)) { setLinked(true, model) }
        context.links.keep(new, of: backing, property)
    }

    /// Adds destinations to those that the model came to have by its destinations.
    func joinLinks(_ destinations: [any PersistentModel]) -> [any PersistentModel] {
        let known = readLinks()
        let members = Set(known.map { ObjectIdentifier($0) })
        return known + destinations.filter { !members.contains(ObjectIdentifier($0)) }
    }

    private func setLinked(_ isLinked: Bool, _ model: any PersistentModel) {
        guard let own = backing.model else { return }
        let other = model.persistentBackingData
        // The save has to find both by their identifiers.
        _ = (backing.identifier, other.identifier)
        context.links.set(isLinked, model, of: backing, property)
        backing.markChanged(property.mark)
        guard let inverse, other !== backing || inverse !== property else { return }
        context.links.set(isLinked, own, of: other, inverse)
        other.markChanged(inverse.mark)
    }
}

extension BackingData {
    /// Whether the model is in a context and not deleted.
    var isThere: Bool { status == .inserted || status == .saved }
}

/// A relationship of a model that is in a context: reads and writes it, and keeps the other side in step.
struct ManagedRelationship {
    let context: ModelContext
    let backing: BackingData
    let property: Schema.Property
    let relationship: Schema.Relationship

    init(
        _ context: ModelContext, _ backing: BackingData, _ property: Schema.Property,
        _ relationship: Schema.Relationship
    ) {
        self.context = context
        self.backing = backing
        self.property = property
        self.relationship = relationship
    }

    init?(_ context: ModelContext, _ backing: BackingData, _ property: Schema.Property) {
        guard let relationship = property.relationship else { return nil }
        self.init(context, backing, property, relationship)
    }

    /// The property of the destination that leads back.
    var inverse: Schema.Property? { context.container.schema.inverse(of: relationship) }

    private func back(_ destination: BackingData) -> ManagedRelationship? {
        inverse.flatMap { inverse in
            inverse.relationship.map { ManagedRelationship(context, destination, inverse, $0) }
        }
    }

    // MARK: Values of the property's type

    func read<Value>(as type: Value.Type) -> Value? { value(read(), as: type) ?? value(lastKnown, as: type) }

    func value<Value>(_ destinations: [any PersistentModel], as type: Value.Type) -> Value? {
        property.access.value(leadingTo: destinations, as: type)
    }

    func write<Value>(_ value: Value) { write(property.access.destinations(in: value)) }

    // MARK: Reading

    /// What a relationship that has no `nil` reads as when it leads to nothing, or to what is gone: the model that was
    /// its destination, if it is still there, or one that stands for it.
    private var lastKnown: [any PersistentModel] {
        let identifiers = [backing.reference(property), backing.savedReference(property)]
        let known = identifiers.lazy.compactMap { $0.flatMap { context.registeredBacking($0)?.model } }.first
        let type = context.container.schema.entitiesByName[relationship.destination]?.type
        return (known ?? type?.standIn(for: identifiers.lazy.compactMap { $0 }.first)).map { [$0] } ?? []
    }

    func read() -> [any PersistentModel] {
        relationship.isToMany ? readMany() : readOne().map { [$0] } ?? []
    }

    /// The destinations as the store has them now, with what was changed here.
    func readAnew() -> [any PersistentModel] {
        if relationship.isLinked {
            context.links.forgetLists(of: context.container.schema.links(of: property)?.properties ?? [])
        } else if relationship.isToMany, backing.hasRow {
            backing.destinations[property.index] = nil
        }
        return read()
    }

    private func readOne() -> (any PersistentModel)? {
        guard let identifier = backing.reference(property) else { return nil }
        if let known = context.registeredBacking(identifier) {
            return known.status == .deleted ? nil : known.model
        }
        guard !identifier.isTemporary else { return nil }
        return context.deferring { try context.load(identifier, relationship.destination) } ?? nil
    }

    private func readMany() -> [any PersistentModel] {
        if relationship.isLinked { return readLinks() }
        if let known = backing.destinations[property.index] { return known }
        // Whoever leads to a model that has no row came to its list when the relationship was set.
        guard let inverse, backing.hasRow else { return [] }
        let saved = context.deferring {
            try context.load(relationship.destination, where: inverse, is: backing.identifier)
        }
        // Not remembered when it could not be loaded, so that the next read tries again.
        return saved.map(remember) ?? []
    }

    /// The list that begins with what a store has.
    @discardableResult
    func remember(_ saved: [any PersistentModel]) -> [any PersistentModel] {
        guard let inverse else { return [] }
        var models = saved.filter { refersHere($0.persistentBackingData, inverse) }
        // Mostly there are none.
        if let arrivals = context.arrivals[backing.identifier]?.models {
            let known = Set(models.map { ObjectIdentifier($0) })
            models += arrivals.filter { model in
                let destination = model.persistentBackingData
                return !known.contains(ObjectIdentifier(model))
                    && destination.membership?.entity.name == relationship.destination
                    && refersHere(destination, inverse)
            }
        }
        backing.destinations[property.index] = models
        return models
    }

    /// The destinations that a delete has to do something to.
    func readForDelete() -> [any PersistentModel] {
        // Links go with the model.
        if relationship.isLinked, relationship.deleteRule != .cascade { return [] }
        if relationship.isToMany || relationship.deleteRule == .cascade || (inverse?.slot ?? -1) >= 0 { return read() }
        // A list that nobody has read needs no change: its owner is not loaded for it.
        return backing.reference(property).flatMap { context.registeredBacking($0)?.model }.map { [$0] } ?? []
    }

    private func refersHere(_ destination: BackingData, _ inverse: Schema.Property) -> Bool {
        destination.status != .deleted && destination.status != .detached
            && destination.reference(inverse) == backing.identifier
    }

    // MARK: Writing

    private func write(_ destinations: [any PersistentModel]) {
        // Those that the list begins with already stay as they are: appending touches what is new.
        let known = relationship.isToMany ? knownDestinations : []
        let kept = zip(known, destinations).prefix { $0 === $1 }.count
        for destination in destinations.dropFirst(kept) {
            do { try context.insertAny(destination) } catch {
                context.deferredError = context.deferredError ?? error
                return
            }
        }
        if backing.status == .deleted {
            // The other side does not lead to a deleted model. Taking the delete back ties the two together.
            if !relationship.isToMany { set(destinations.first?.persistentBackingData) }
        } else if relationship.isLinked {
            writeLinks(destinations)
        } else if relationship.isToMany {
            writeMany(destinations)
        } else {
            writeOne(destinations.first?.persistentBackingData)
        }
    }

    /// What was read of a list.
    private var knownDestinations: [any PersistentModel] {
        (relationship.isLinked ? context.links.list(of: backing, property) : backing.destinations[property.index]) ?? []
    }

    private func writeOne(_ destination: BackingData?) {
        let old = backing.reference(property)
        guard old != destination?.identifier else { return }
        if let old, let other = loaded(old), let back = back(other) { back.remove(backing) }
        set(destination)
        if let destination, let back = back(destination) { back.add(backing) }
    }

    private func writeMany(_ destinations: [any PersistentModel]) {
        let old = readMany()
        let same = zip(old, destinations).prefix { $0 === $1 }.count
        if same == old.count, destinations.count == same + 1 {
            // The end of the list is where the other side puts it.
            back(destinations[same].persistentBackingData)?.writeOne(backing)
            return
        }
        let kept = Set(destinations.map { ObjectIdentifier($0) })
        for model in old where !kept.contains(ObjectIdentifier(model)) {
            back(model.persistentBackingData)?.writeOne(nil)
        }
        let known = Set(old.map { ObjectIdentifier($0) })
        for model in destinations where !known.contains(ObjectIdentifier(model)) {
            back(model.persistentBackingData)?.writeOne(backing)
        }
        var seen = Set<ObjectIdentifier>()
        backing.destinations[property.index] = destinations.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Sets a to-one reference without looking at the other side.
    private func set(_ destination: BackingData?) {
        backing.pending[property.slot] = destination.map { .reference($0.identifier) } ?? .null
        backing.markChanged(property.slot)
        if let destination, destination.hasRow, let model = backing.model, inverse?.relationship?.isToMany == true {
            context.arrivals[destination.identifier, default: ModelSet()].insert(model)
        }
    }

    /// The other side of a to-one reference that is about to change. A to-many side that nobody has read needs no
    /// change; a to-one side has a value of its own and is loaded.
    private func loaded(_ identifier: PersistentIdentifier) -> BackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        guard let inverse, inverse.slot >= 0, !identifier.isTemporary else { return nil }
        return context.deferring { try context.load(identifier, relationship.destination)?.persistentBackingData }
            ?? nil
    }

    /// The other side now leads to `other`.
    private func add(_ other: BackingData) {
        if relationship.isToMany {
            // A list that was not read yet finds it when it is.
            guard !backing.hasRow || backing.destinations[property.index] != nil, let model = other.model else {
                return
            }
            backing.destinations[property.index, default: []].append(model)
        } else {
            // One to one: who led to `other`'s new destination before leads nowhere now.
            if let old = backing.reference(property), old != other.identifier, let previous = loaded(old) {
                back(previous)?.set(nil)
            }
            set(other)
        }
    }

    /// The other side no longer leads to `other`.
    private func remove(_ other: BackingData) {
        if relationship.isToMany {
            guard let model = other.model,
                let place = backing.destinations[property.index]?.firstIndex(where: { $0 === model })
            else { return }
            backing.destinations[property.index]?.remove(at: place)
        } else if backing.reference(property) == other.identifier {
            set(nil)
        }
    }

    // MARK: Deleting

    /// The delete rule *nullify*: the destination leads back to nothing.
    func detach(_ destination: any PersistentModel) {
        guard let back = back(destination.persistentBackingData), !back.relationship.isToMany,
            back.backing.status == .saved || back.backing.status == .inserted
        else { return }
        back.remove(backing)
    }

    /// The delete of the model was taken back: both sides agree again.
    func rejoin() {
        guard !relationship.isToMany else {
            backing.destinations[property.index] = nil
            return
        }
        guard let identifier = backing.reference(property), inverse != nil, let other = loaded(identifier),
            let back = back(other)
        else { return }
        if other.status == .deleted {
            set(nil)
        } else if back.relationship.isToMany {
            back.add(backing)
        } else if let taken = other.reference(back.property) {
            if taken != backing.identifier { set(nil) }
        } else {
            back.set(backing)
        }
    }

    /// Takes the deleted model out of the to-many lists that it stands in.
    func leaveInverses(_ destinations: [any PersistentModel]) {
        guard !relationship.isLinked else { return }
        for destination in destinations {
            if let back = back(destination.persistentBackingData), back.relationship.isToMany { back.remove(backing) }
        }
    }
}

// What the wrappers ask for.
extension BackingData {
    /// What a relationship reads as.
    ///
    /// - Parameter held: What the wrapper holds, which counts while the model is in no context.
    @usableFromInline
    func relationship<Value>(_ keyPath: AnyKeyPath, held: Value?) -> Value {
        if let value = managedRelationship(keyPath)?.read(as: Value.self) ?? held { return value }
        return RelationshipShape<Value>.standIn
    }

    /// Sets a relationship.
    ///
    /// - Returns: What the wrapper holds from now on. From the insert on the context knows the destinations: holding them
    ///   here too would make cycles.
    @usableFromInline
    func setRelationship<Value>(_ keyPath: AnyKeyPath, _ value: Value) -> Value? {
        guard let managed = managedRelationship(keyPath) else { return value }
        managed.write(value)
        return managed.value([], as: Value.self)
    }

    /// The relationship at a key path while the model is in a context that is alive.
    private func managedRelationship(_ keyPath: AnyKeyPath) -> ManagedRelationship? {
        guard status != .detached, let membership, let context = membership.context,
            let property = membership.property(at: keyPath)
        else { return nil }
        return ManagedRelationship(context, self, property)
    }
}

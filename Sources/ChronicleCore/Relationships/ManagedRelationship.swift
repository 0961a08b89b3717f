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
    var inverse: Schema.Property? { context.coordinator.schema.inverse(of: property) }

    func back(_ destination: BackingData) -> ManagedRelationship? {
        inverse.flatMap { inverse in
            inverse.relationship.map { ManagedRelationship(context, destination, inverse, $0) }
        }
    }

    func backing(of destination: AnyObject) -> BackingData {
        property.access.model(destination).persistentBackingData
    }

    // MARK: Reading

    /// The destinations, loaded if they were not read before.
    ///
    /// - Throws: What kept the store from loading them.
    func destinations() throws -> [AnyObject] {
        if !relationship.isToMany { return try destination().map { [$0] } ?? [] }
        let list = try list()
        if !list.isVerified, list.hasGaps { context.settleLists() }
        return list.read { isMember($0, of: list) }
    }

    /// The same as models.
    func models() throws -> [any PersistentModel] { try destinations().map { property.access.model($0) } }

    /// The destinations as the store has them now, with what was changed here.
    func loadAgain() throws -> [any PersistentModel] {
        context.settleLists()
        if relationship.isLinked {
            context.links.forgetLists(of: context.coordinator.schema.links(of: property)?.properties ?? [])
        } else if relationship.isToMany, backing.hasRow {
            backing.removeList(property)
        }
        return try models()
    }

    private func destination() throws -> (any PersistentModel)? {
        try context.loadIfNeeded(backing)
        guard let identifier = backing.reference(property) else { return nil }
        if let known = context.registeredBacking(identifier) {
            // A model that was not loaded may have no row.
            guard known.status != .deleted, try context.loadIfNeeded(known) else { return nil }
            return known.model
        }
        return identifier.isTemporary ? nil : try context.load(identifier, relationship.destination)
    }

    /// The list of a to-many relationship, loaded if it was not read before.
    func list() throws -> ToManyList {
        if let known = knownList { return known }
        if relationship.isLinked { return try loadLinks() }
        try context.loadIfNeeded(backing)
        // Whatever led to a model without a row came to its list when the relationship was set.
        guard let inverse, backing.hasRow else { return backing.setList(property, []) }
        return remember(try context.load(relationship.destination, where: inverse, is: backing.identifier))
    }

    /// The list of a to-many relationship, if it was read.
    var knownList: ToManyList? {
        relationship.isLinked ? context.links.list(of: backing, property) : backing.list(property)
    }

    /// The list that begins with what a store has.
    @discardableResult
    func remember(_ saved: [AnyObject]) -> ToManyList {
        guard let inverse else { return backing.setList(property, []) }
        // What was set while there was no context is not announced yet.
        if context.storage.hasDetachedChanges { context.addDetachedChanges() }
        var models = saved.filter { refersHere(backing(of: $0), inverse) }
        // Mostly there are none.
        if let unsavedReferrers = context.unsavedReferrers[backing.identifier]?.models {
            let known = Set(models.map { ObjectIdentifier($0) })
            models += unsavedReferrers.filter { model in
                let destination = model.persistentBackingData
                return !known.contains(ObjectIdentifier(model))
                    && destination.membership?.entity.name == relationship.destination
                    && refersHere(destination, inverse)
            }
        }
        return backing.setList(property, models)
    }

    func isMember(_ destination: AnyObject, of list: ToManyList) -> Bool {
        if let members = list.members { return members.contains(ObjectIdentifier(destination)) }
        return inverse.map { refersHere(backing(of: destination), $0) } ?? false
    }

    private func refersHere(_ destination: BackingData, _ inverse: Schema.Property) -> Bool {
        destination.status != .deleted && destination.status != .detached
            && destination.reference(inverse) == backing.identifier
    }

    // MARK: Writing

    /// Sets the destinations.
    ///
    /// - Throws: What keeps a new destination out of the context, or the store from loading what has to be known before.
    ///   Nothing was changed then.
    func write(_ destinations: [AnyObject]) throws {
        if backing.status == .deleted {
            // The other side does not lead to a deleted model. Taking the delete back ties the two together.
            if !relationship.isToMany {
                try insert(destinations[...])
                set(destinations.first.map(backing(of:)))
            }
        } else if relationship.isToMany {
            let list = try list()
            // What the list begins with already is in the context.
            try insert(destinations[list.commonPrefix(with: destinations)...])
            apply(list.assign(destinations) { isMember($0, of: list) }, to: list)
        } else {
            try insert(destinations[...])
            try setOne(destinations.first.map(backing(of:)))
        }
    }

    private func insert(_ destinations: ArraySlice<AnyObject>) throws {
        for destination in destinations { try context.insertAny(property.access.model(destination)) }
    }

    /// Takes over what the program changed in a list in place.
    func take(_ changed: [AnyObject], _ list: ToManyList) throws {
        let change = list.take(changed) { isMember($0, of: list) }
        do { try insert(change.added[...]) } catch {
            // As before, without the models that cannot be inserted.
            list.revert(change)
            throw error
        }
        apply(change, to: list)
        if !list.isVerified { context.addUnverified(self, list) }
    }

    /// Compares all of a list with what both sides agreed on.
    func settle(_ list: ToManyList) throws {
        guard !list.isVerified else { return }
        let change = list.change { isMember($0, of: list) }
        do { try insert(change.added[...]) } catch {
            list.revert(change)
            throw error
        }
        apply(change, to: list)
    }

    /// Brings the other sides in line with a list.
    private func apply(_ change: ToManyList.Change, to list: ToManyList) {
        if relationship.isLinked {
            for model in change.removed { setLinked(false, model, in: list) }
            for model in change.added { setLinked(true, model, in: list) }
            return
        }
        for model in change.removed { back(backing(of: model))?.remove(backing) }
        for model in change.added {
            guard let back = back(backing(of: model)) else { continue }
            // From the list that it is in now; this one has it already.
            if let old = back.backing.reference(back.property), let other = context.registeredBacking(old) {
                self.other(other).remove(back.backing)
            }
            back.set(backing)
        }
    }

    /// The same relationship of another model.
    private func other(_ other: BackingData) -> ManagedRelationship {
        ManagedRelationship(context, other, property, relationship)
    }

    private func setOne(_ destination: BackingData?) throws {
        try context.loadIfNeeded(backing)
        let old = backing.reference(property)
        guard old != destination?.identifier else { return }
        // What has to be loaded comes first: after an error nothing is changed.
        let former = try old.flatMap { try loaded($0) }
        let taken = try destination.flatMap(back)?.formerOfOne(otherThan: backing)
        if let former { back(former)?.remove(backing) }
        if let taken { other(taken).set(nil) }
        set(destination)
        if let destination { back(destination)?.add(backing) }
    }

    /// Of a relationship to one: the model that it leads to and that is to lead nowhere.
    private func formerOfOne(otherThan other: BackingData) throws -> BackingData? {
        guard !relationship.isToMany, let former = backing.reference(property), former != other.identifier else {
            return nil
        }
        return try loaded(former)
    }

    /// Sets a to-one reference without looking at the other side.
    private func set(_ destination: BackingData?) {
        backing.pending[property.slot] = destination.map { .reference($0.identifier) } ?? .null
        backing.markChanged(property.slot)
        if let destination { announce(destination) }
    }

    /// Remembers that the relationship leads to a model whose list is not read yet.
    func announce(_ destination: BackingData) {
        guard destination.hasRow, let model = backing.model, inverse?.relationship?.isToMany == true else { return }
        context.unsavedReferrers[destination.identifier, default: ModelSet()].insert(model)
    }

    /// The other side of a to-one reference that is about to change. A to-many side that was not read needs no change;
    /// a to-one side has a value of its own and is loaded.
    private func loaded(_ identifier: PersistentIdentifier) throws -> BackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        guard let inverse, inverse.slot >= 0, !identifier.isTemporary else { return nil }
        return try context.load(identifier, relationship.destination)?.persistentBackingData
    }

    /// The other side now leads to `other`.
    private func add(_ other: BackingData) {
        if !relationship.isToMany {
            set(other)
        } else if let model = other.model {
            // A list that was not read yet finds it when it is.
            let list = backing.list(property) ?? (backing.hasRow ? nil : backing.setList(property, []))
            list?.append(model)
        }
    }

    /// The other side no longer leads to `other`.
    private func remove(_ other: BackingData) {
        if relationship.isToMany {
            if let model = other.model { backing.list(property)?.remove(model) }
        } else if backing.reference(property) == other.identifier {
            set(nil)
        }
    }

    // MARK: Deleting

    /// The destinations that a delete has to do something to.
    func readForDelete() throws -> [any PersistentModel] {
        // Links go with the model.
        if relationship.isLinked, relationship.deleteRule != .cascade { return [] }
        if relationship.isToMany || relationship.deleteRule == .cascade || (inverse?.slot ?? -1) >= 0 {
            return try models()
        }
        try context.loadIfNeeded(backing)
        // A list that was not read needs no change: its owner is not loaded for it.
        return backing.reference(property).flatMap { context.registeredBacking($0)?.model }.map { [$0] } ?? []
    }

    /// Applies the delete rule to the destinations of a deleted model.
    ///
    /// - Returns: Those to delete with it.
    func applyDeleteRule(to destinations: [any PersistentModel]) -> [any PersistentModel] {
        if relationship.deleteRule == .nullify {
            for destination in destinations { detach(destination) }
        }
        if !relationship.isLinked {
            for destination in destinations {
                // Out of the lists that it is in.
                if let back = back(destination.persistentBackingData), back.relationship.isToMany {
                    back.remove(backing)
                }
            }
        }
        return relationship.deleteRule == .cascade ? destinations : []
    }

    /// The delete rule *nullify*: the destination leads back to nothing.
    private func detach(_ destination: any PersistentModel) {
        guard let back = back(destination.persistentBackingData), !back.relationship.isToMany,
            back.backing.status == .saved || back.backing.status == .inserted
        else { return }
        back.remove(backing)
    }

    /// The delete of the model was taken back: both sides agree again.
    func rejoin() throws {
        guard !relationship.isToMany else {
            backing.removeList(property)
            return
        }
        guard let identifier = backing.reference(property), inverse != nil, let other = try loaded(identifier),
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
}

/// A relationship of a model that is in a context. Reads and writes it, and keeps its inverse consistent.
struct ManagedRelationship {
    let context: ModelContext
    let backing: AnyBackingData
    let property: Schema.Property
    let relationship: Schema.Relationship

    init(
        _ context: ModelContext, _ backing: AnyBackingData, _ property: Schema.Property,
        _ relationship: Schema.Relationship
    ) {
        self.context = context
        self.backing = backing
        self.property = property
        self.relationship = relationship
    }

    init?(_ context: ModelContext, _ backing: AnyBackingData, _ property: Schema.Property) {
        guard let relationship = property.relationship else { return nil }
        self.init(context, backing, property, relationship)
    }

    /// Every relationship has an access.
    var access: any RelationshipAccess { property.relationshipAccess.unsafelyUnwrapped }

    var inverse: Schema.Property? { context.coordinator.schema.inverse(of: property) }

    func back(_ destination: AnyBackingData) -> ManagedRelationship? {
        inverse.flatMap { inverse in
            inverse.relationship.map { ManagedRelationship(context, destination, inverse, $0) }
        }
    }

    func backing(of destination: AnyObject) -> AnyBackingData {
        access.model(destination).persistentBackingData
    }

    // MARK: Reading

    /// Loads the destinations if necessary.
    func destinations() throws -> [AnyObject] {
        if !relationship.isToMany { return try destination().map { [$0] } ?? [] }
        let list = try list()
        if !list.isVerified, list.hasPendingRemovals { context.verifyLists() }
        return list.read { isMember($0, of: list) }
    }

    func models() throws -> [any PersistentModel] { try destinations().map { access.model($0) } }

    /// Combines the stored destinations with the unsaved changes.
    func loadAgain() throws -> [any PersistentModel] {
        context.verifyLists()
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
            guard known.state.isInContext else { return nil }
            // The row of an unloaded model may no longer exist, or may be one of a subclass.
            if !known.isUnloaded { return known.model }
        }
        return identifier.isTemporary ? nil : try context.load(identifier, relationship.destination)
    }

    /// Loads the list if necessary.
    func list() throws -> ToManyList {
        if let known = knownList { return known }
        if relationship.isLinked { return try loadLinks() }
        try context.loadIfNeeded(backing)
        // A model without a row has no stored destinations. Unsaved destinations were added to its list when they were
        // set.
        guard let inverse, backing.hasRow else { return backing.setList(property, []) }
        return remember(try context.load(relationship.destination, .references(inverse, to: [backing.identifier])))
    }

    var knownList: ToManyList? {
        relationship.isLinked ? context.links.list(of: backing, property) : backing.list(property)
    }

    @discardableResult
    func remember(_ saved: [AnyObject]) -> ToManyList {
        guard let inverse else { return backing.setList(property, []) }
        // Includes changes that were made while the context was released.
        if context.storage.hasDetachedChanges { context.addDetachedChanges() }
        var models = saved.filter { references(backing(of: $0), inverse) }
        // Usually there are none.
        if let unsavedReferrers = context.unsavedReferrers[backing.identifier]?.models {
            let known = Set(models.map { ObjectIdentifier($0) })
            models += unsavedReferrers.filter { model in
                let destination = model.persistentBackingData
                return !known.contains(ObjectIdentifier(model))
                    && destination.membership?.entity.isKind(of: relationship.destination) == true
                    && references(destination, inverse)
            }
        }
        let list = backing.setList(property, models)
        backing.didReadAgain(property, list)
        return list
    }

    func isMember(_ destination: AnyObject, of list: ToManyList) -> Bool {
        if let members = list.members { return members.contains(ObjectIdentifier(destination)) }
        guard let inverse else { return false }
        let destination = backing(of: destination)
        // A model whose row is gone is only in the lists that an unsaved change has added it to.
        let isInNoList = destination.state == .missing && !destination.changed.contains(inverse.slot)
        return !isInNoList && references(destination, inverse)
    }

    private func references(_ destination: AnyBackingData, _ inverse: Schema.Property) -> Bool {
        destination.state.isInContext && destination.reference(inverse) == backing.identifier
    }

    // MARK: Writing

    /// After an error of inserting a new destination or of loading a model that has to be updated, the relationship is unchanged.
    func write(_ destinations: [AnyObject]) throws {
        if backing.state.hasLeft {
            if backing.state == .replaced { context.storage.rejectChange(of: backing) }
        } else if !backing.state.isInContext {
            // A deleted model is not referenced by its destination. If the delete is undone, both sides are connected
            // again.
            if relationship.isToMany {
                guard context.isDeleted(backing, along: property) else { return }
                try insert(destinations[...])
                guard destinations.contains(where: { self.backing(of: $0).state.isInContext }) else { return }
                try context.removeCauses(along: property, of: backing)
                if backing.state.isInContext { try write(destinations) }
            } else {
                try insert(destinations[...])
                let destination = destinations.first.map(backing(of:))
                if let destination, destination.state.isInContext {
                    try context.removeCauses(along: property, of: backing)
                    if backing.state.isInContext { return try setOne(destination) }
                }
                set(destination)
            }
        } else if relationship.isToMany {
            let list = try list()
            if !backing.hasRow, !destinations.isEmpty { backing.markListAssigned(property) }
            // The unchanged models at the beginning of the list are already in the context.
            try insert(destinations[list.commonPrefix(with: destinations)...])
            apply(list.assign(destinations) { isMember($0, of: list) }, to: list)
        } else {
            try insert(destinations[...])
            try setOne(destinations.first.map(backing(of:)))
        }
    }

    /// Writes what the program has changed in a list that `list` has replaced meanwhile.
    func write(_ list: ToManyList, adding change: ToManyList.Change) throws {
        let removed = Set(change.removed.map { ObjectIdentifier($0) })
        let present = list.read { isMember($0, of: list) }
        let known = Set(present.map { ObjectIdentifier($0) })
        try write(
            present.filter { !removed.contains(ObjectIdentifier($0)) }
                + change.added.filter { !known.contains(ObjectIdentifier($0)) })
    }

    private func insert(_ destinations: ArraySlice<AnyObject>) throws {
        for destination in destinations {
            do { try context.insertAny(access.model(destination)) } catch let error as SwiftDataError
                where error == .modelNotFound
            {
                // The error names the model with the relationship.
                guard let identifier = error.persistentIdentifier else { throw error }
                throw error.with(detail: "the destination \(identifier) was deleted; assign another model")
            }
        }
    }

    func endInPlaceChange(_ changed: [AnyObject], _ list: ToManyList) throws {
        let change = list.endInPlaceChange(changed) { isMember($0, of: list) }
        do { try insert(change.added[...]) } catch {
            // Restores the list without the models that cannot be inserted.
            list.revert(change)
            throw error
        }
        if !backing.hasRow, !changed.isEmpty { backing.markListAssigned(property) }
        apply(change, to: list)
        if !list.isVerified { context.addUnverified(self, list) }
    }

    func verify(_ list: ToManyList) throws {
        guard !list.isVerified else { return }
        let change = list.change { isMember($0, of: list) }
        do { try insert(change.added[...]) } catch {
            list.revert(change)
            throw error
        }
        apply(change, to: list)
    }

    private func apply(_ change: ToManyList.Change, to list: ToManyList) {
        if relationship.isLinked {
            for model in change.removed { setLinked(false, model, in: list) }
            for model in change.added { setLinked(true, model, in: list) }
            return
        }
        for model in change.removed { back(backing(of: model))?.remove(backing) }
        for model in change.added {
            guard let back = back(backing(of: model)) else { continue }
            // Removes the model from its previous list; this list already contains it.
            if let old = back.backing.reference(back.property), old != backing.identifier,
                let other = context.registeredBacking(old)
            {
                self.other(other).remove(back.backing)
            }
            back.set(backing)
        }
    }

    private func other(_ other: AnyBackingData) -> ManagedRelationship {
        ManagedRelationship(context, other, property, relationship)
    }

    private func setOne(_ destination: AnyBackingData?) throws {
        try context.loadIfNeeded(backing)
        let old = backing.reference(property)
        guard old != destination?.identifier else { return }
        // Everything that can throw comes first, so that nothing has changed after an error.
        let former = try old.flatMap { try loaded($0) }
        let taken = try destination.flatMap(back)?.replacedDestination(by: backing)
        if let former { back(former)?.remove(backing) }
        if let taken { other(taken).set(nil) }
        set(destination)
        if let destination { back(destination)?.add(backing) }
    }

    /// For a to-one relationship, returns the model whose reference to this one has to be removed.
    private func replacedDestination(by other: AnyBackingData) throws -> AnyBackingData? {
        guard !relationship.isToMany, let former = backing.reference(property), former != other.identifier else {
            return nil
        }
        return try loaded(former)
    }

    /// Does not update the inverse.
    private func set(_ destination: AnyBackingData?) {
        backing.didChange(property)
        backing.pending[property.slot] = destination.map { .reference($0.identifier) } ?? .null
        backing.markChanged(property.slot)
        if let destination { recordUnsavedReference(to: destination) }
    }

    /// The list of the destination has not been read yet.
    func recordUnsavedReference(to destination: AnyBackingData) {
        guard destination.hasRow || destination.isUnloaded, let model = backing.model,
            inverse?.relationship?.isToMany == true
        else { return }
        context.unsavedReferrers[destination.identifier, default: ModelSet()].insert(model)
    }

    /// An unread to-many inverse of a to-one reference that is about to change needs no update and is not loaded; a to-one inverse
    /// has a separate value and is loaded.
    private func loaded(_ identifier: PersistentIdentifier) throws -> AnyBackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        guard let inverse, inverse.slot >= 0, !identifier.isTemporary else { return nil }
        return try context.load(identifier, relationship.destination)?.persistentBackingData
    }

    private func existing(_ identifier: PersistentIdentifier) throws -> AnyBackingData? {
        if let known = context.registeredBacking(identifier) { return known }
        guard !identifier.isTemporary else { return nil }
        return try context.load(identifier, relationship.destination)?.persistentBackingData
    }

    private func add(_ other: AnyBackingData) {
        if !relationship.isToMany {
            set(other)
        } else if let model = other.model {
            backing.didChange(property)
            // A list that has not been read yet includes the model when it is read.
            let mayBeStored = backing.hasRow || backing.isUnloaded
            let list = backing.list(property) ?? (mayBeStored ? nil : backing.setList(property, []))
            list?.append(model)
        }
    }

    private func remove(_ other: AnyBackingData) {
        if relationship.isToMany {
            backing.didChange(property)
            if let model = other.model { backing.list(property)?.remove(model) }
        } else if backing.reference(property) == other.identifier {
            set(nil)
        }
    }

    // MARK: Deleting

    func readForDelete() throws -> [any PersistentModel] {
        // Links are deleted with the model.
        if relationship.isLinked, relationship.deleteRule != .cascade { return [] }
        if relationship.isToMany || relationship.deleteRule == .cascade || (inverse?.slot ?? -1) >= 0 {
            return try (models() + overwrittenDestination()).filter { try !isConnectedElsewhere($0) }
        }
        try context.loadIfNeeded(backing)
        // A list that has not been read needs no update, so its owner is not loaded.
        return backing.reference(property).flatMap { context.registeredBacking($0)?.model }.map { [$0] } ?? []
    }

    /// Whether an unsaved change has connected the destination of a one-to-one relationship with another model. The row of this
    /// model references it nevertheless if another context connected them. If this model has no row anymore, the row of the destination
    /// determines whether they are connected.
    private func isConnectedElsewhere(_ destination: any PersistentModel) throws -> Bool {
        guard !relationship.isToMany, let inverse, inverse.slot >= 0 else { return false }
        let other = destination.persistentBackingData
        guard try other.changed.contains(inverse.slot) || backing.state == .missing && context.loadIfNeeded(other)
        else {
            return false
        }
        return other.reference(inverse) != backing.identifier
    }

    /// The stored destination of a one-to-one relationship with an unsaved change, if it still references the model: another
    /// context connected both after this one set its own side to another value.
    private func overwrittenDestination() throws -> [any PersistentModel] {
        guard !relationship.isToMany, let inverse, inverse.slot >= 0, let saved = backing.savedReference(property),
            saved != backing.reference(property), let other = try loaded(saved), try context.loadIfNeeded(other),
            references(other, inverse)
        else { return [] }
        return other.model.map { [$0] } ?? []
    }

    /// Returns the destinations to delete as well.
    func applyDeleteRule(to destinations: [any PersistentModel]) -> [any PersistentModel] {
        if relationship.deleteRule == .nullify {
            for destination in destinations { detach(destination) }
        }
        if !relationship.isLinked {
            for destination in destinations {
                // Removes the deleted model from the destinations' lists.
                if let back = back(destination.persistentBackingData), back.relationship.isToMany {
                    back.remove(backing)
                }
            }
        }
        return relationship.deleteRule == .cascade ? destinations : []
    }

    private func detach(_ destination: any PersistentModel) {
        guard let back = back(destination.persistentBackingData), !back.relationship.isToMany,
            back.backing.state.isInContext
        else { return }
        back.remove(backing)
    }

    /// Connects both ends again after the delete of the model was taken back.
    ///
    /// - Returns: Whether the reference remains although its destination is deleted: try again when the other deletes are taken back.
    func reconnect() throws -> Bool {
        guard !relationship.isToMany else {
            backing.removeList(property)
            return false
        }
        guard let identifier = backing.reference(property) else { return false }
        let isChanged = backing.changed.contains(property.slot)
        guard let other = try isChanged ? existing(identifier) : loaded(identifier) else {
            // The destination of an unsaved change has left the context since.
            if isChanged { set(nil) }
            return false
        }
        guard inverse != nil, let back = back(other) else { return false }
        if !other.state.isInContext { return true }
        if back.relationship.isToMany {
            // The destination may have been saved since.
            if isChanged { recordUnsavedReference(to: other) }
            back.add(backing)
        } else if let taken = other.reference(back.property) {
            if taken != backing.identifier { set(nil) }
        } else {
            back.set(backing)
        }
        return false
    }

    func removeDestination() { set(nil) }
}

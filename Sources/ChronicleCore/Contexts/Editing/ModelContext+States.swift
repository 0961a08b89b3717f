// The states of models, and what depends on them; see ``ModelState``.
extension ModelContext {
    /// Returns whether the state is another one.
    @discardableResult
    func report(_ event: ModelState.Event, _ backing: AnyBackingData) -> Bool {
        let wasDeleted = backing.state == .deleted
        guard backing.change(event, isLinked: event == .rowNotFound && links.isAdded(backing)) else { return false }
        // Others also deleted the row, so nothing else shows that references to the model have no destination.
        if wasDeleted, backing.state == .gone { storage.deletedWithoutRow.insert(backing.identifier) }
        didChangeState(of: backing)
        return true
    }

    /// Removes a model whose row is gone, and whose only edits were links that the program has taken back. Nothing is lost, so this
    /// is not a dropped change.
    func leaveIfUnlinked(_ backing: AnyBackingData) {
        guard backing.state == .missing, let membership = backing.membership, !links.isAdded(backing),
            // Higher slots are marks of links.
            !backing.changed.contains(where: { $0 < membership.entity.storedProperties.count }),
            !membership.linkProperties.contains(where: { links[changesOf: backing, $0]?.isChanged == true })
        else { return }
        report(.dropped, backing)
    }

    func didChangeState(of backing: AnyBackingData) {
        storage.didChange()
        backing.didChangeReferences()
        // The change may remove the cause of an error for which the last autosave failed.
        if !storage.isSaving { scheduleAutosave() }
        switch backing.state {
        case .detached:
            removeFailures(of: backing)
            leave(backing)
            backing.join(nil)
            backing.changed = PropertySet()
            backing.removeExtras()
        case .gone, .replaced:
            if backing.state == .gone { removeFailures(of: backing) }
            leave(backing)
            backing.deletion = nil
        case .deleted, .discarded:
            backing.didChangeAllProperties()
            markPending(backing)
        case .new, .saved:
            backing.deletion = nil
        // A model that only links reference is not pending yet.
        case .missing: markPending(backing)
        case .restored: break
        }
    }

    func throwFailures(isAutomatic: Bool = false) throws {
        try storage.failures.throwForSave(isAutomatic: isAutomatic) {
            self.registeredBacking($0)?.state.isInContext == false
        }
    }

    func removeFailures(of backing: AnyBackingData) {
        if !storage.failures.isEmpty { storage.failures.removeAssignments(of: backing.identifier) }
    }

    private func leave(_ backing: AnyBackingData) {
        backing.didChangeAllProperties()
        didLeave(backing)
        if let model = backing.model, let membership = backing.membership {
            for (slot, index) in membership.lists {
                guard let identifier = backing.reference(membership.entity.storedProperties[slot]) else { continue }
                registry[identifier]?.extras?.lists[index]?.remove(model)
            }
        }
        links.forget(backing)
        registry.remove(backing)
    }

    // MARK: Deletes

    /// A model without a record was deleted by the program and causes no other delete.
    func recordDeletion(of backing: AnyBackingData, _ cause: Deletion.Cause?) {
        guard cause != nil || backing.membership?.entity.cascades == true else { return }
        storage.deletionCount += 1
        backing.deletion = Deletion(
            number: storage.deletionCount, isByProgram: cause == nil, causes: cause.map { [$0] } ?? [])
        if let cause, let model = backing.model {
            deletedByRules[cause.number, default: RuleEffects()].deleted.append(model)
        }
    }

    /// For a delete that may be taken back as a whole.
    func recordNullified(
        _ destinations: [any PersistentModel], of backing: AnyBackingData, _ relationship: ManagedRelationship
    ) {
        guard relationship.relationship.deleteRule == .nullify, !destinations.isEmpty,
            let deletion = backing.deletion, !deletion.isByProgram,
            let inverse = relationship.inverse, inverse.slot >= 0
        else { return }
        let referring = destinations.filter { $0.persistentBackingData.reference(inverse) == backing.identifier }
        deletedByRules[deletion.number, default: RuleEffects()].nullified += referring.map { ($0, inverse) }
    }

    /// `nil` if the program deletes the model as well.
    func addCause(_ cause: Deletion.Cause?, toDeleteOf backing: AnyBackingData) {
        guard let cause else {
            backing.deletion?.isByProgram = true
            report(.deleted, backing)
            return
        }
        // One delete reports a model at most once for each relationship, so other causes need not be compared.
        guard backing.deletion?.isByProgram == false, backing.deletion?.causes.last != cause else { return }
        backing.deletion?.causes.append(cause)
        if let model = backing.model { deletedByRules[cause.number, default: RuleEffects()].deleted.append(model) }
    }

    /// Takes back the delete of a model if delete rules along a relationship are its only cause, because the model
    /// references another destination now.
    func removeCauses(along property: Schema.Property, of backing: AnyBackingData) throws {
        guard isDeleted(backing, along: property), let causes = backing.deletion?.causes else { return }
        let others = causes.filter { $0.index != property.index }
        if others.isEmpty { try undoDelete(of: backing) } else { backing.deletion?.causes = others }
    }

    /// The program did not delete the model.
    func isDeleted(_ backing: AnyBackingData, along property: Schema.Property) -> Bool {
        guard let deletion = backing.deletion, !deletion.isByProgram else { return false }
        return deletion.causes.contains { $0.index == property.index }
    }

    /// Returns the relationships of deleted models that are stored as links, and along which the store would delete the row of a
    /// model together with theirs.
    private func cascades(to backing: AnyBackingData) throws -> [ManagedRelationship] {
        guard backing.hasRow, let model = backing.model, let entity = backing.membership?.entity else { return [] }
        var found: [ManagedRelationship] = []
        for owner in coordinator.schema.entities {
            for property in owner.relationshipProperties {
                guard let relationship = property.relationship, relationship.isLinked,
                    relationship.deleteRule == .cascade, entity.isKind(of: relationship.destination)
                else { continue }
                let owners = pendingModels.map(\.backing).filter {
                    $0.state == .deleted && $0.hasRow && $0.membership?.entity.name == owner.name
                }
                if owners.isEmpty { continue }
                let links = try loadLinked(Set(owners.map(\.identifier)), property)
                for owner in owners where links[owner.identifier]?.contains(where: { $0 === model }) == true {
                    found.append(ManagedRelationship(self, owner, property, relationship))
                }
            }
        }
        return found
    }

    /// If delete rules deleted the model, the deletes that it caused are taken back as well. If a relationship of one of these
    /// cannot be loaded, that model remains deleted, and no save succeeds before the program has inserted or deleted it.
    ///
    /// Throws the error of loading a relationship of the model itself. Nothing has changed then.
    func undoDelete(of backing: AnyBackingData) throws {
        let cascades = try cascades(to: backing)
        // References to models whose deletes may be taken back below.
        var unconnected = try reconnect(backing)
        if let model = backing.model { for relationship in cascades { relationship.removeLink(to: model) } }
        var returned = [backing]
        while let next = returned.popLast() {
            let deletion = next.deletion
            didChangeState(of: next)
            guard let deletion, !deletion.isByProgram, let model = next.model,
                let effects = deletedByRules.removeValue(forKey: deletion.number)
            else { continue }
            for (destination, property) in effects.nullified {
                let other = destination.persistentBackingData
                guard other.membership?.registry === registry, other.state.isInContext,
                    other.reference(property) == nil,
                    let reference = ManagedRelationship(self, other, property)
                else { continue }
                // A list that was kept still contains the destination.
                if let list = reference.inverse { next.list(list)?.remove(destination) }
                keepingDeleted(other) { try reference.write([model]) }
            }
            for model in effects.deleted {
                let dependent = model.persistentBackingData
                // A discarded model may have been inserted into another context since.
                guard dependent.membership?.registry === registry, dependent.deletion?.isByProgram == false else {
                    continue
                }
                dependent.deletion?.causes.removeAll { $0.number == deletion.number }
                guard dependent.deletion?.causes.isEmpty == true else { continue }
                keepingDeleted(dependent) {
                    unconnected += try reconnect(dependent)
                    returned.append(dependent)
                }
            }
        }
        for relationship in unconnected {
            keepingDeleted(relationship.backing) {
                if try relationship.reconnect() { relationship.removeDestination() }
            }
        }
    }

    private func reconnect(_ backing: AnyBackingData) throws -> [ManagedRelationship] {
        guard let membership = backing.membership else { return [] }
        let isByRule = backing.deletion?.isByProgram == false
        backing.didChangeAllProperties()
        backing.change(.causeRemoved)
        links.forgetLists()
        do { return try relationships(of: backing, membership).filter { try $0.reconnect() } } catch {
            // Restores the delete, so that it is not undone in part.
            backing.change(isByRule ? .deletedByRule : .deleted)
            throw error
        }
    }

    private func keepingDeleted(_ backing: AnyBackingData, _ body: () throws -> Void) {
        do { try body() } catch {
            let detail =
                "a delete was taken back, but not for this model, because a relationship could not be loaded; insert or "
                + "delete the model and save again"
            storage.failures.addAssignment(
                ContextFailures.Key(identifier: backing.identifier, propertyName: nil),
                (error as? SwiftDataError)?.with(detail: detail) ?? error)
        }
    }
}

struct RuleEffects {
    var deleted: [any PersistentModel] = []
    /// The models that lost their reference to it.
    var nullified: [(model: any PersistentModel, property: Schema.Property)] = []
}

/// They do not keep the models alive.
struct ReleasedRuleEffects {
    private struct Reference {
        weak var model: (any PersistentModel)?
    }

    private let deleted: [Reference]
    private let nullified: [(reference: Reference, property: Schema.Property)]

    init(_ effects: RuleEffects) {
        deleted = effects.deleted.map { Reference(model: $0) }
        nullified = effects.nullified.map { (Reference(model: $0.model), $0.property) }
    }

    var effects: RuleEffects {
        RuleEffects(
            deleted: deleted.compactMap(\.model),
            nullified: nullified.compactMap { reference, property in reference.model.map { ($0, property) } })
    }
}

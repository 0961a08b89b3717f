import Chronicle

/// The state of a model in a context; see `Documentation/Design/0041-model-states.md`. Models in other states have left
/// the context, and the reference forgets them.
enum ModelState { case new, restored, saved, missing, deleted }

/// A model in a context, according to the reference.
final class Instance {
    let number: Int
    let entity: Entity
    var state: ModelState
    /// The values that were set and not saved.
    var edits: [String: Value] = [:]
    /// The values without the edits of a model without a row. If it is not known which version of the row the context
    /// has read last, there is more than one.
    var bases: [Row]
    /// The model and the relationship along which a delete rule deleted the model.
    var cause: (owner: Int, reference: Reference)?
    /// The models that lost their reference to this one when a delete rule deleted it.
    var nullified: [(model: Int, reference: Reference)] = []
    /// The new models that delete rules discarded when a delete rule deleted this model.
    var discarded: [Instance] = []
    /// The model itself; `nil` if the test does not reference it.
    var object: (any TestModel)?

    init(_ number: Int, _ entity: Entity, _ state: ModelState, bases: [Row] = [], object: (any TestModel)? = nil) {
        (self.number, self.entity, self.state, self.bases, self.object) = (number, entity, state, bases, object)
    }

    var isAlive: Bool { state != .deleted }
}

/// A context and what it has to contain.
final class ContextReference {
    let index: Int
    var context: ModelContext
    var instances: [Int: Instance] = [:]
    /// Whether each changed link has to exist.
    var linkEdits: [Link: Bool] = [:]
    /// Models whose links were set, also if they are as before.
    var linked: Set<Int> = []
    /// The values that rows had since the context was last certain to have read them, oldest first. A row that no other
    /// writer has changed since is not included.
    var versions: [Int: [Row?]] = [:]
    /// Links that others changed since.
    var changedLinks: Set<Link> = []
    /// Models that have left the context, and whether they are deleted.
    var departed: [(number: Int, model: any TestModel, isDeleted: Bool)] = []
    /// Whether the context has the changes of a revert, which may include properties that are set to their values.
    var isReverted = false
    /// Whether a save merges new tags into rows with the same code, and drops changes of rows that are gone.
    var resolvesConflicts: Bool { context.mergePolicy != .error }
    /// The position up to which the context has merged the history.
    var token: DefaultHistoryToken?

    init(_ index: Int, _ context: ModelContext) { (self.index, self.context) = (index, context) }

    // MARK: Reading

    /// The values without edits that the context may have for a model; `nil` if it has no row.
    func candidates(_ model: Int, _ world: World) -> [Row?] {
        if let instance = instances[model] {
            switch instance.state {
            case .new: return instance.bases
            case .restored, .missing:
                // The row exists again, which the context may or may not know.
                if let row = world.rows[model] {
                    return instance.bases + (versions[model] ?? []).filter { $0 != nil } + [row]
                }
                return instance.bases
            case .saved, .deleted: break
            }
        }
        return versions[model] ?? [world.rows[model]]
    }

    /// The current values of a model. If the context may have read an older version of the row, those of the oldest.
    func current(_ model: Int, _ world: World) -> Row? {
        guard var row = candidates(model, world).lazy.compactMap({ $0 }).first else { return nil }
        row.values.merge(instances[model]?.edits ?? [:]) { $1 }
        return row
    }

    /// What fetches have to evaluate: the committed rows with the unsaved changes of the context.
    ///
    /// - Parameter hidesDeleted: Whether references to deleted models are `nil`, as when they are read.
    func view(_ world: World, hidesDeleted: Bool = true) -> World {
        guard !instances.isEmpty || hidesDeleted else { return world }
        var view = world
        for (number, instance) in instances {
            if instance.state == .deleted {
                view.rows[number] = nil
                continue
            }
            if view.rows[number] == nil,
                instance.state != .saved || !instance.edits.isEmpty || linked.contains(number)
            {
                view.rows[number] = candidates(number, world).compactMap { $0 }.last
            }
            if !instance.edits.isEmpty { view.rows[number]?.values.merge(instance.edits) { $1 } }
        }
        if hidesDeleted {
            for (number, row) in view.rows {
                for reference in row.entity.references {
                    if let model = row[reference.name].model, view.rows[model] == nil {
                        view.rows[number]?[reference.name] = .null
                    }
                }
            }
        }
        for (link, exists) in linkEdits { if exists { view.links.insert(link) } else { view.links.remove(link) } }
        view.links = view.links.filter { view.rows[$0.item] != nil && view.rows[$0.tag] != nil }
        return view
    }

    /// Whether it is known which version of the rows the context has.
    var isCurrent: Bool { versions.isEmpty && changedLinks.isEmpty }

    // MARK: Changing

    /// Returns the instance of a model, also one that the program has not loaded.
    @discardableResult
    func touch(_ model: Int, _ world: World) -> Instance? {
        if let known = instances[model] { return known }
        guard let row = candidates(model, world).lazy.compactMap({ $0 }).first else { return nil }
        let made = Instance(model, row.entity, .saved)
        instances[model] = made
        return made
    }

    func set(_ model: Int, _ name: String, _ value: Value, _ world: World) {
        touch(model, world)?.edits[name] = value
    }

    func setReference(_ model: Int, _ reference: Reference, _ destination: Int?, _ world: World) {
        guard let instance = touch(model, world) else { return }
        if let destination { reinsert(destination, world) }
        if instance.state == .deleted {
            guard let cause = instance.cause, cause.reference == reference, let destination,
                destination != cause.owner
            else {
                instance.edits[reference.name] = destination.map(Value.model) ?? .null
                return
            }
            revive(model, world)
        }
        let old = current(model, world)?[reference.name].model
        guard old != destination else { return }
        if let inverse = reference.inverse {
            if let old, current(old, world)?[inverse] == .model(model) { set(old, inverse, .null, world) }
            if let destination {
                if let taken = current(destination, world)?[inverse].model, taken != model {
                    set(taken, reference.name, .null, world)
                }
                set(destination, inverse, .model(model), world)
            }
        }
        set(model, reference.name, destination.map(Value.model) ?? .null, world)
    }

    /// Takes back a delete whose cause no longer applies, with those that it caused.
    private func revive(_ model: Int, _ world: World) {
        guard let instance = instances[model] else { return }
        let (nullified, discarded) = (instance.nullified, instance.discarded)
        (instance.state, instance.cause, instance.nullified, instance.discarded) = (.saved, nil, [], [])
        for other in discarded {
            instances[other.number] = other
            departed.removeAll { $0.number == other.number }
        }
        for (other, reference) in nullified where instances[other]?.isAlive == true {
            if current(other, world)?[reference.name] == .null { set(other, reference.name, .model(model), world) }
        }
        for (number, other) in instances where other.cause?.owner == model && other.state == .deleted {
            revive(number, world)
        }
    }

    /// Sets the destinations of a to-many relationship.
    func setList(_ model: Int, _ list: List, _ members: [Int], _ world: World) {
        touch(model, world)
        for member in members { reinsert(member, world) }
        let old = self.members(model, list, world)
        for member in old where !members.contains(member) { set(member, list.inverse.name, .null, world) }
        for member in members
        where current(member, world)?[list.inverse.name] != .model(model) || isInNoList(member, list.inverse) {
            set(member, list.inverse.name, .model(model), world)
        }
    }

    func members(_ model: Int, _ list: List, _ world: World) -> [Int] {
        view(world).rows.filter { number, row in
            guard row.entity == list.inverse.entity, row[list.inverse.name] == .model(model) else { return false }
            return !isInNoList(number, list.inverse)
        }.keys.sorted()
    }

    /// Whether the row of a model is gone, and it is only in the lists that an unsaved change has added it to.
    private func isInNoList(_ model: Int, _ reference: Reference) -> Bool {
        instances[model].map { $0.state == .missing && $0.edits[reference.name] == nil } ?? false
    }

    func setLinks(_ model: Int, _ members: [Int], _ world: World) {
        guard let instance = touch(model, world) else { return }
        for member in members { reinsert(member, world) }
        let old = linkedMembers(model, world)
        for member in Set(old).symmetricDifference(members) {
            let link = instance.entity == .item ? Link(item: model, tag: member) : Link(item: member, tag: model)
            setLink(link, members.contains(member), world)
        }
    }

    func linkedMembers(_ model: Int, _ world: World) -> [Int] {
        view(world).links.filter { $0.contains(model) }.map { $0.item == model ? $0.tag : $0.item }.sorted()
    }

    private func setLink(_ link: Link, _ exists: Bool, _ world: World) {
        touch(link.item, world)
        touch(link.tag, world)
        linked.formUnion([link.item, link.tag])
        linkEdits[link] = world.links.contains(link) == exists ? nil : exists
    }

    /// Undoes an unsaved delete.
    func reinsert(_ model: Int, _ world: World) {
        guard let instance = instances[model], instance.state == .deleted else { return }
        if instance.cause != nil { revive(model, world) } else { instance.state = .saved }
        for reference in instance.entity.references {
            guard let destination = current(model, world)?[reference.name].model else { continue }
            guard let other = current(destination, world) else {
                // A new model that a delete rule deleted does not return if the program deleted its owner.
                if instance.edits[reference.name] != nil { set(model, reference.name, .null, world) }
                continue
            }
            if instances[destination]?.state == .deleted {
                set(model, reference.name, .null, world)
            } else if let inverse = reference.inverse {
                if other[inverse] == .null {
                    set(destination, inverse, .model(model), world)
                } else if other[inverse] != .model(model) {
                    set(model, reference.name, .null, world)
                }
            }
        }
    }

    /// - Parameter owner: The deleted model whose return also restores the model if it is discarded.
    func delete(_ model: Int, cause: (Int, Reference)? = nil, owner: Instance? = nil, _ world: World) {
        let view = view(world, hidesDeleted: false)
        guard let instance = touch(model, world), instance.state != .deleted else { return }
        switch instance.state {
        case .saved: (instance.state, instance.cause) = (.deleted, cause.map { (owner: $0.0, reference: $0.1) })
        case .new:
            owner?.discarded.append(instance)
            depart(model, isDeleted: false)
        default: depart(model, isDeleted: true)
        }
        let owner = instance.state == .new ? owner : instance.cause == nil ? nil : instance
        for (other, row) in view.rows.sorted(by: { $0.key < $1.key }) {
            for reference in row.entity.references where row[reference.name] == .model(model) {
                if isInNoList(other, reference) { continue }
                if reference.rule == .cascade { delete(other, cause: (model, reference), owner: owner, world) }
                let isNew = instance.state == .new
                if reference.rule == .nullify || isNew, instances[other]?.state != .deleted, touch(other, world) != nil,
                    current(other, world)?[reference.name] == .model(model)
                {
                    set(other, reference.name, .null, world)
                    if instance.cause != nil { instance.nullified.append((other, reference)) }
                }
            }
        }
    }

    /// Removes a model from the context.
    func depart(_ model: Int, isDeleted: Bool) {
        guard let instance = instances.removeValue(forKey: model) else { return }
        linkEdits = linkEdits.filter { !$0.key.contains(model) }
        linked.remove(model)
        if let object = instance.object { departed.append((model, object, isDeleted)) }
    }

    // MARK: Events

    /// The rows of all models were read.
    func readAll(_ world: World) {
        for (number, instance) in instances {
            if instance.state == .saved, instance.edits.isEmpty, !linked.contains(number),
                instance.object?.isDeleted == true, candidates(number, world).contains(nil)
            {
                // The context noticed that the row was gone before it existed again.
                depart(number, isDeleted: true)
            }
            read(instance, number, world)
        }
        (versions, changedLinks) = ([:], [])
    }

    /// The row of a model was looked for by its identifier.
    func readRow(_ model: Int, _ world: World) {
        if let instance = instances[model] { read(instance, model, world) }
        versions[model] = nil
    }

    /// A save looks for the rows of models that had none, also if it fails.
    func readReturnedRows(_ world: World) {
        for (number, instance) in instances where instance.state == .missing || instance.state == .restored {
            if world.rows[number] != nil {
                readRow(number, world)
                continue
            }
            let isLinked = linkEdits.keys.contains { $0.contains(number) }
            // The program has taken back the links that kept the model.
            if instance.state == .missing, instance.edits.isEmpty, !isLinked { depart(number, isDeleted: true) }
        }
    }

    private func read(_ instance: Instance, _ number: Int, _ world: World) {
        if world.rows[number] != nil {
            if instance.state == .restored || instance.state == .missing { instance.state = .saved }
            return
        }
        switch instance.state {
        case .new, .restored, .missing: break
        case .deleted: depart(number, isDeleted: true)
        case .saved:
            if instance.edits.isEmpty, !linked.contains(number) {
                depart(number, isDeleted: true)
            } else {
                instance.bases = (versions[number] ?? []).compactMap { $0 }
                instance.state = .missing
            }
        }
    }

    func rollBack() {
        for (number, instance) in instances {
            switch instance.state {
            case .new: depart(number, isDeleted: false)
            case .restored, .missing: depart(number, isDeleted: true)
            case .saved, .deleted:
                (instance.state, instance.cause, instance.nullified) = (.saved, nil, [])
                instance.edits = [:]
            }
        }
        (linkEdits, linked, isReverted) = ([:], [], false)
    }

    /// Another writer committed.
    func othersCommitted(_ old: World, _ new: World) {
        for number in Set(old.rows.keys).union(new.rows.keys) where old.rows[number] != new.rows[number] {
            versions[number, default: [old.rows[number]]].append(new.rows[number])
        }
        changedLinks.formUnion(old.links.symmetricDifference(new.links))
    }
}

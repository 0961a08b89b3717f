// What a save writes, and its effects on the context.
extension ContextReference {
    struct SaveOutcome {
        var world: World
        /// The models whose changes are dropped because their rows are gone.
        var dropped: Set<Int> = []
        /// The new models that become existing rows with the same code, and these rows.
        var merged: [Int: Int] = [:]
        /// Whether the save changes the other side of a one-to-one relationship that another context has set.
        var repairsOneToOne = false
        /// Whether the save may also throw an error, because a link has an end whose row is gone.
        var mayFail = false
        /// Models whose rows are gone, which the save notices only if it has to write one of them.
        var unnoticed: Set<Int> = []
    }

    enum SaveFailure: Error { case denied, missingDestination, missingRow, sameCode }

    /// Returns the rows after a save.
    ///
    /// - Parameter entities: The classes whose changes are saved, if a store was saved and another one was not.
    func save(_ world: World, of entities: Set<Entity>? = nil) throws(SaveFailure) -> SaveOutcome {
        var outcome = SaveOutcome(world: world)
        var deleted: [Int] = []
        var pairs: [(Int, Reference, Value)] = []
        var lacksDestination = false
        for (number, instance) in instances.sorted(by: { $0.key < $1.key })
        where entities?.contains(instance.entity) ?? true {
            if instance.state == .deleted {
                deleted.append(number)
                continue
            }
            let isInserted = instance.state == .new || (instance.state == .restored && world.rows[number] == nil)
            var row: Row
            var names = Array(instance.edits.keys)
            if isInserted {
                row = instance.bases[0]
                row.values.merge(instance.edits) { $1 }
                names = Array(row.values.keys)
            } else if let stored = world.rows[number] {
                row = stored
                row.values.merge(instance.edits) { $1 }
            } else {
                drop(instance, world, &outcome)
                // The context does not know yet that the row is gone.
                for reference in instance.entity.references where reference.rule == .deny {
                    guard let destination = instance.edits[reference.name]?.model else { continue }
                    if instances[destination]?.state == .deleted { outcome.mayFail = true }
                }
                continue
            }
            for reference in instance.entity.references where names.contains(reference.name) {
                if let destination = row[reference.name].model {
                    if let state = instances[destination]?.state {
                        if state == .deleted, reference.rule == .deny { throw .denied }
                        if state == .deleted { row[reference.name] = .null }
                        if state == .saved || state == .missing, world.rows[destination] == nil {
                            lacksDestination = true
                        }
                    } else if world.rows[destination] == nil {
                        lacksDestination = true
                    }
                }
                if reference.inverse != nil { pairs.append((number, reference, row[reference.name])) }
            }
            outcome.world.rows[number] = row
        }
        if lacksDestination {
            // The deny rule is applied first.
            if outcome.world.delete(deleted) == nil { throw .denied }
            throw .missingDestination
        }
        // The later save wins, and both sides agree.
        let written = outcome.world.rows
        for (number, reference, value) in pairs {
            let inverse = Reference.named(reference.inverse!, of: reference.destination)
            for other in outcome.world.rows.keys where outcome.world.rows[other]!.entity == reference.destination {
                if outcome.world.rows[other]![inverse.name] == .model(number), value != .model(other) {
                    outcome.world.rows[other]![inverse.name] = .null
                }
            }
            guard let destination = value.model else { continue }
            for other in outcome.world.rows.keys where outcome.world.rows[other]!.entity == reference.entity {
                if other != number, outcome.world.rows[other]![reference.name] == value {
                    outcome.world.rows[other]![reference.name] = .null
                }
            }
            outcome.world.rows[destination]?[inverse.name] = .model(number)
        }
        outcome.repairsOneToOne = outcome.world.rows != written
        try mergeTags(world, deleted, &outcome)
        for (link, exists) in linkEdits where entities == nil {
            let link = Link(item: link.item, tag: outcome.merged[link.tag] ?? link.tag)
            if !exists {
                outcome.world.links.remove(link)
            } else if outcome.world.rows[link.item] != nil, outcome.world.rows[link.tag] != nil {
                outcome.world.links.insert(link)
            } else if ![link.item, link.tag].contains(where: deleted.contains) {
                outcome.mayFail = true
            }
        }
        guard let all = outcome.world.delete(deleted) else { throw .denied }
        // A new model cannot reference a row that a rule of the store deletes in the same save, because another context has
        // connected it with a deleted model.
        for (number, instance) in instances where instance.state == .new || instance.state == .restored {
            guard let row = written[number] else { continue }
            for reference in instance.entity.references {
                guard let destination = row[reference.name].model, all.contains(destination) else { continue }
                if instances[destination]?.state != .deleted { outcome.mayFail = true }
            }
        }
        for number in all {
            if let instance = instances[number], instance.state != .deleted { drop(instance, world, &outcome) }
        }
        if !resolvesConflicts {
            if !outcome.dropped.isEmpty { throw .missingRow }
            if !outcome.unnoticed.isEmpty { outcome.mayFail = true }
        }
        return outcome
    }

    /// Updates the rows that have the codes of new tags.
    private func mergeTags(_ world: World, _ deleted: [Int], _ outcome: inout SaveOutcome) throws(SaveFailure) {
        // In the order of the inserts, of which the last one remains.
        for (number, instance) in instances.sorted(by: { $0.key < $1.key }) where instance.entity == .tag {
            guard let row = outcome.world.rows[number], world.rows[number] == nil else { continue }
            let same = outcome.world.rows.first { other, values in
                other != number && values.entity == .tag && values["code"] == row["code"] && !deleted.contains(other)
            }
            guard let same else { continue }
            guard instance.state == .new, resolvesConflicts else { throw .sameCode }
            if world.rows[same.key] != nil {
                outcome.world.rows[number] = nil
                outcome.world.rows[same.key]?.values = row.values
                outcome.merged[number] = same.key
            } else if instances[same.key]?.state == .new {
                let (earlier, later) = (min(number, same.key), max(number, same.key))
                outcome.world.rows[earlier] = nil
                outcome.merged[earlier] = later
            } else {
                throw .sameCode
            }
        }
    }

    /// - Parameter world: The rows before the save.
    private func drop(_ instance: Instance, _ world: World, _ outcome: inout SaveOutcome) {
        let rows = candidates(instance.number, world).compactMap { $0 }
        let isEffective = instance.edits.contains { name, value in
            // A reference to a model that the save deletes is saved as nil.
            let isDeleted = value.model.map { instances[$0]?.state == .deleted } ?? false
            return rows.allSatisfy { $0[name] != (isDeleted ? .null : value) }
        }
        if isEffective || (instance.state == .missing && !instance.edits.isEmpty) {
            outcome.dropped.insert(instance.number)
        } else if !instance.edits.isEmpty || linked.contains(instance.number) {
            outcome.unnoticed.insert(instance.number)
        }
    }

    /// The save was committed.
    func didSave(_ outcome: SaveOutcome, _ old: World, of entities: Set<Entity>? = nil) {
        let new = outcome.world
        // Rows that the save changed in another way than its models.
        for number in Set(old.rows.keys).union(new.rows.keys) where old.rows[number] != new.rows[number] {
            guard let instance = instances[number], instance.state != .deleted else {
                if instances[number] == nil { versions[number, default: [old.rows[number]]].append(new.rows[number]) }
                continue
            }
            guard let row = new.rows[number] else {
                versions[number, default: [old.rows[number]]].append(nil)
                continue
            }
            guard let before = old.rows[number] else { continue }
            let written = (versions[number] ?? [before]).map { version -> Row? in
                var version = version
                version?.values.merge(instance.edits) { $1 }
                return version
            }
            versions[number] = written == [row] ? nil : written + (written.last == row ? [] : [row])
        }
        for (number, row) in outcome.merged.sorted(by: { $0.key < $1.key }) {
            if old.rows[row] == nil {
                depart(number, isDeleted: true)
                continue
            }
            // The inserted instance represents the row.
            guard let instance = instances.removeValue(forKey: number) else { continue }
            depart(row, isDeleted: true)
            versions[row] = nil
            instances[row] = Instance(row, .tag, .saved, object: instance.object)
        }
        for (number, instance) in instances where entities?.contains(instance.entity) ?? true {
            switch instance.state {
            case .deleted:
                depart(number, isDeleted: true)
                versions[number] = nil
            case _ where outcome.dropped.contains(number):
                depart(number, isDeleted: true)
                versions[number] = nil
            case .new, .restored, .missing, .saved:
                // A model whose only changes had no effect does not show that its row is gone.
                if instance.state == .missing, new.rows[number] == nil { depart(number, isDeleted: true) }
                if outcome.unnoticed.contains(number), versions[number] == nil {
                    versions[number] = [old.rows[number], nil]
                }
                if new.rows[number] != nil { instance.state = .saved }
                instance.edits = [:]
            }
        }
        guard entities == nil else { return }
        for link in old.links.symmetricDifference(new.links) where linkEdits[link] == nil { changedLinks.insert(link) }
        (linkEdits, linked, isReverted) = ([:], [], false)
    }
}

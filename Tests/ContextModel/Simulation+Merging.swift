import Chronicle

// Merges, reverts, undo, and consumers.
extension Simulation {
    func merge(_ context: ContextReference, _ form: MergeForm) throws {
        do {
            switch form {
            case .all: try context.context.refreshAllModels()
            case .transactions:
                let transactions = try context.context.fetchHistory(.after(context.token!))
                try context.context.merge(transactions)
            }
        } catch { throw Difference("the merge threw \(error)") }
        departMissing(context)
        context.readAll(world)
        context.token = tokens.last
    }

    func revert(_ context: ContextReference, _ index: Int) throws -> Bool {
        guard index < commits.count - 1, isUnchanged(context) else { return false }
        try requireCurrent(context)
        do {
            try context.context.revert(between: tokens[index], and: tokens[tokens.count - 1])
        } catch { throw Difference("the revert threw \(error)") }
        try revertReference(context, to: commits[index])
        return true
    }

    func revertReference(_ context: ContextReference, to target: World) throws {
        context.isReverted = true
        for (number, row) in target.rows {
            guard let now = world.rows[number] else {
                let instance = Instance(number, row.entity, .restored, bases: [row])
                context.instances[number] = instance
                if held(context, number) == nil, !isUndoing {
                    throw Difference("the revert did not restore m\(number)")
                }
                continue
            }
            for (name, value) in row.values where now[name] != value {
                context.set(number, name, value, world)
                // A model that the revert deletes loses its reference before.
                guard let other = now[name].model, target.rows[other] == nil,
                    let inverse = row.entity.references.first(where: { $0.name == name })?.inverse
                else { continue }
                context.set(other, inverse, .null, world)
            }
        }
        for number in world.rows.keys where target.rows[number] == nil {
            context.touch(number, world)?.state = .deleted
        }
        for link in world.links.symmetricDifference(target.links) {
            context.linkEdits[link] = target.links.contains(link)
            context.linked.formUnion([link.item, link.tag])
            context.touch(link.item, world)
            context.touch(link.tag, world)
        }
    }

    func names(_ models: some Sequence<Int>) -> String {
        "[" + models.sorted().map { "m\($0)" }.joined(separator: ", ") + "]"
    }

    func undo(_ context: ContextReference) throws -> Bool {
        // Several stores have no common order.
        guard isUnchanged(context), environment.kind != .stores else { return false }
        guard let commit = undoable[context.index]?.last else {
            guard try context.context.undoHistory.undo() == nil else { throw Difference("there is nothing to undo") }
            return true
        }
        let isDone = try changeBack(context, from: commits[commit], to: commits[commit - 1]) {
            try $0.undoHistory.undo()
        } plan: {
            try $0.undoHistory.undoPlan()
        }
        guard let isDone else { return false }
        if isDone {
            undoable[context.index]?.removeLast()
            redoable[context.index, default: []].append(commit)
        }
        return true
    }

    func redo(_ context: ContextReference) throws -> Bool {
        guard isUnchanged(context), environment.kind != .stores else { return false }
        guard let commit = redoable[context.index]?.last else {
            guard try context.context.undoHistory.redo() == nil else { throw Difference("there is nothing to redo") }
            return true
        }
        let isDone = try changeBack(context, from: commits[commit - 1], to: commits[commit]) {
            try $0.undoHistory.redo()
        } plan: {
            try $0.undoHistory.redoPlan()
        }
        guard let isDone else { return false }
        if isDone {
            redoable[context.index]?.removeLast()
            undoable[context.index, default: []].append(commit)
        }
        return true
    }

    /// Undoes or redoes the changes between two states, also if others have changed something else since.
    ///
    /// - Returns: Whether the changes were taken back. If there are conflicts, nothing must change. `nil` if the result is unknown.
    private func changeBack(
        _ context: ContextReference, from: World, to: World, _ change: (ModelContext) throws -> RevertPlan?,
        plan: (ModelContext) throws -> RevertPlan?
    ) throws -> Bool? {
        try requireCurrent(context)
        if let target = world.replacing(from, by: to) {
            try changeBack(context, to: target) { try change($0) != nil }
            return true
        }
        // Others have changed the same rows, which is not always a conflict.
        let found: RevertPlan?
        do { found = try plan(context.context) } catch { throw Difference("the plan threw \(error)") }
        guard let found, !found.unresolvedConflicts.isEmpty else { return nil }
        do {
            _ = try change(context.context)
            throw Difference("undo or redo ignores \(found.unresolvedConflicts.count) conflicts")
        } catch SwiftDataError.revertConflict {}
        guard !context.context.hasChanges else { throw Difference("conflicts have changed the context") }
        try checkRows(ModelContext(environment.container(0)))
        try checkAll(context)
        return false
    }

    /// Undoes or redoes, which is a revert and a save.
    private func changeBack(
        _ context: ContextReference, to target: World, _ change: (ModelContext) throws -> Bool
    ) throws {
        try requireCurrent(context)
        isUndoing = true
        defer { isUndoing = false }
        let wasChanged: Bool
        do { wasChanged = try change(context.context) } catch { throw Difference("undo or redo threw \(error)") }
        guard wasChanged else { throw Difference("there is something to undo or redo") }
        try revertReference(context, to: target)
        let outcome = try context.save(world)
        guard outcome.world == target else { throw Difference("the reference cannot be reverted") }
        try didSave(context, outcome)
    }

    func isUnchanged(_ context: ContextReference) -> Bool {
        context.linked.isEmpty && context.instances.values.allSatisfy { $0.state == .saved && $0.edits.isEmpty }
    }

    func consume(_ context: ContextReference) throws {
        if consumer == nil {
            let made = try context.context.container.historyConsumer(
                named: "reader", startingNewAt: .now, storeName: environment.kind == .stores ? "main" : nil)
            consumer = (made, commits.count - 1)
        }
        guard let (reader, position) = consumer else { return }
        if isUncertain(context) { throw MergeRequired() }
        let end = commits.count - 1
        let batch = try reader.nextBatch()
        let changes = try batch?.changes ?? []
        let expected = recorded[(position + 1)...].flatMap { $0 }
            .filter { $0.changedPersistentIdentifier.entityName != Entity.log.name }
        guard changes.map(\.integerChangeIdentifier) == expected.map(\.integerChangeIdentifier) else {
            throw Difference("the consumer received \(changes.count) changes instead of \(expected.count)")
        }
        var isAcknowledged = false
        try save(context) { context in
            if let batch { try context.save(acknowledging: batch) } else { try context.save() }
            isAcknowledged = true
        }
        if isAcknowledged { consumer?.position = end }
    }
}

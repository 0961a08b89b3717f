import Chronicle

// Saves, and the comparison of each commit with the reference.
extension Simulation {
    func save(_ context: ContextReference, _ save: (ModelContext) throws -> Void = { try $0.save() }) throws {
        if isUncertain(context) { throw MergeRequired() }
        let outcome: ContextReference.SaveOutcome
        do { outcome = try context.save(world) } catch {
            do { try save(context.context) } catch let thrown {
                context.readReturnedRows(world)
                // The stores before the one that fails are saved. The deny rule is applied before all of them.
                guard environment.kind == .stores, error != .denied, thrown as? SwiftDataError != .deleteDenied else {
                    return
                }
                guard let rest = try? context.save(world, of: [.log]) else {
                    throw Difference("the other store cannot be saved: \(thrown)")
                }
                return try didSave(context, rest, of: [.log])
            }
            throw Difference("the save must throw an error (\(error)), and succeeded")
        }
        // Stores do not do this yet.
        if outcome.repairsOneToOne, !Self.repairsOneToOne { throw MergeRequired() }
        // The first store may be saved before the other one fails.
        if outcome.mayFail, environment.kind == .stores { throw MergeRequired() }
        do { try save(context.context) } catch {
            guard outcome.mayFail else { throw Difference("the save threw \(error)") }
            return context.readReturnedRows(world)
        }
        try didSave(context, outcome)
    }

    /// Whether what a save writes depends on the versions of the rows that the context has read.
    func isUncertain(_ context: ContextReference) -> Bool {
        context.instances.values.contains { instance in
            // Others have restored the row.
            if instance.state == .restored, world.rows[instance.number] != nil { return true }
            // A value that is equal to that of the row, as the context has read it, is not written.
            return instance.state == .saved
                && instance.edits.contains { name, value in
                    Set(context.candidates(instance.number, world).compactMap { $0 }.map { $0[name] == value }).count
                        > 1
                }
        }
    }

    func didSave(
        _ context: ContextReference, _ outcome: ContextReference.SaveOutcome, of entities: Set<Entity>? = nil
    ) throws {
        let reported = Set(
            context.context.lastSaveResult.droppedChanges.compactMap { numbers[$0.persistentIdentifier] })
        guard reported.isSuperset(of: outcome.dropped),
            reported.subtracting(outcome.dropped).isSubset(of: outcome.unnoticed)
        else {
            throw Difference("the save dropped \(names(reported)) instead of \(names(outcome.dropped))")
        }
        let merged = Set(context.context.lastSaveResult.mergedIdentifiers.compactMap { numbers[$0] })
        guard merged == Set(outcome.merged.values).filter({ world.rows[$0] != nil }) else {
            throw Difference("the save merged models into \(names(merged)) instead of \(names(outcome.merged.values))")
        }
        for (number, instance) in context.instances where instance.state == .new && outcome.merged[number] == nil {
            guard entities?.contains(instance.entity) ?? true, let model = instance.object else { continue }
            try add(number, model.persistentModelID)
        }
        var result = outcome
        result.dropped = reported
        result.unnoticed.subtract(reported)
        let old = world
        context.didSave(result, old, of: entities)
        try commit(outcome.world, by: context)
    }

    func add(_ number: Int, _ identifier: PersistentIdentifier) throws {
        if let known = numbers.updateValue(number, forKey: identifier) {
            throw Difference("m\(number) has the identifier of m\(known)")
        }
        identifiers[number] = identifier
    }

    /// Makes a state the committed one, and compares the rows and the history with it. A save that changes no row is
    /// not a commit.
    func commit(_ new: World, by context: ContextReference?) throws {
        let old = world
        world = new
        for other in contexts where other !== context { other.othersCommitted(old, new) }
        let reader = ModelContext(environment.container(commits.count))
        try checkRows(reader)
        let changes = try checkHistory(reader, after: tokens[tokens.count - 1], old)
        guard new != old else { return }
        recorded.append(changes)
        tokens.append(try reader.currentHistoryToken())
        commits.append(new)
        if context == nil { foreignCommits.insert(commits.count - 1) }
        try checkCommit(reader)
        guard let context, !isUndoing else { return }
        undoable[context.index, default: []].append(commits.count - 1)
        redoable[context.index] = nil
    }
}

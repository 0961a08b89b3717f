import Chronicle

/// The main context, which a sequence uses on the main actor only.
private struct Confined<Value>: @unchecked Sendable { let value: Value }

/// Runs the steps of a sequence on stores and on the reference, and compares both.
final class Simulation {
    let environment: Environment
    var contexts: [ContextReference] = []
    var world = World()
    /// The committed states, of which the first is empty, and the positions after them.
    var commits: [World] = [World()]
    var tokens: [DefaultHistoryToken] = []
    var identifiers: [Int: PersistentIdentifier] = [:]
    var numbers: [PersistentIdentifier: Int] = [:]
    /// The numbers that models have or had.
    var used: Set<Int> = []
    /// Whether the commit is that of an undo or a redo.
    var isUndoing = false
    /// The commits without a context. Successive ones are one transaction, whose position changes when it ends.
    var foreignCommits: Set<Int> = []
    /// The references that commits set and cleared again, by commit and model.
    var restored: [Int: [Int: Set<String>]] = [:]
    /// The changes that the history contains for each commit.
    var recorded: [[HistoryChange]] = [[]]
    /// The commits of each author that can be undone and made again.
    var undoable: [Int: [Int]] = [:]
    var redoable: [Int: [Int]] = [:]
    /// The consumer and the commit up to which it has acknowledged changes.
    var consumer: (HistoryConsumer<DefaultHistoryTransaction>, position: Int)?

    /// Whether a copy of the history is replayed after some of the commits, which takes long.
    let replays: Bool

    init(_ environment: Environment, contexts count: Int, replays: Bool) throws {
        self.environment = environment
        self.replays = replays && environment.canReplay
        try environment.reset()
        for index in 0..<count { contexts.append(makeContext(index)) }
        tokens = [try contexts[0].context.currentHistoryToken()]
        for context in contexts { context.token = tokens[0] }
    }

    func makeContext(_ index: Int) -> ContextReference {
        let context =
            environment.kind == .main && index == 0
            ? MainActor.assumeIsolated { [container = environment.containers[0]] in
                Confined(value: container.mainContext)
            }.value
            : ModelContext(environment.container(index))
        context.author = "c\(index)"
        let reference = ContextReference(index, context)
        reference.token = tokens.last
        return reference
    }

    // MARK: Steps

    /// Whether a save makes both sides of a one-to-one relationship agree that two contexts have set.
    static let repairsOneToOne = true

    /// A step has one result only if the context has the current rows; merge first.
    struct MergeRequired: Error {}

    /// Removes the deleted models that have left the context because a batch operation found their rows gone, which others may
    /// have inserted again since.
    func departMissing(_ context: ContextReference) {
        guard context.instances.values.contains(where: { $0.state == .deleted }) else { return }
        let deleted = Set(context.context.deletedModelsArray.compactMap { numbers[$0.persistentModelID] })
        for (number, instance) in context.instances
        where instance.state == .deleted && !deleted.contains(number) && context.candidates(number, world).contains(nil)
        {
            context.depart(number, isDeleted: true)
        }
    }

    func requireCurrent(_ context: ContextReference) throws {
        if !context.isCurrent { throw MergeRequired() }
    }

    /// - Returns: Whether the step was possible.
    @discardableResult
    nonisolated(nonsending) func perform(_ step: Step) async throws -> Bool {
        let isPossible = step == .turn ? try await turn() : try performUnchecked(step)
        if isPossible, let index = step.context { try checkChanges(contexts[index]) }
        return isPossible
    }

    func performUnchecked(_ step: Step) throws -> Bool {
        if let index = step.context { departMissing(contexts[index]) }
        switch step {
        case .insert(let index, let entity, let number, let values):
            guard used.insert(number).inserted else { return false }
            var row = Row(entity, key: "\(number)")
            let model = entity.type.fresh("\(number)")
            for (name, value) in values {
                model.setAttribute(name, value)
                row[name] = value
            }
            insert(model, into: contexts[index].context)
            contexts[index].instances[number] = Instance(number, entity, .new, bases: [row], object: model)
        case .insertGraph(let index, let number, let items, let notes):
            return try insertGraph(contexts[index], number, items, notes)
        case .load(let index, let number): return try load(contexts[index], number)
        case .set(let index, let number, let name, let value):
            let context = contexts[index]
            guard let (instance, model) = held(context, number), instance.isAlive else { return false }
            model.setAttribute(name, value)
            context.set(number, name, value, world)
        case .setReference(let index, let number, let reference, let destination):
            return try setReference(contexts[index], number, reference, destination)
        case .setList(let index, let number, let name, let members):
            return try changeList(contexts[index], number, name, members) {
                $0.setList(name, $1)
            } _: { _ in
                members
            }
        case .append(let index, let number, let name, let member):
            return try changeList(contexts[index], number, name, [member]) {
                $0.append(name, $1[0])
            } _: {
                $0.contains(member) ? $0 : $0 + [member]
            }
        case .remove(let index, let number, let name, let member):
            return try changeList(contexts[index], number, name, [member]) {
                $0.remove(name, $1[0])
            } _: {
                $0.filter { $0 != member }
            }
        case .delete(let index, let number):
            let context = contexts[index]
            guard let (instance, model) = held(context, number), instance.isAlive else { return false }
            try requireCurrent(context)
            delete(model, in: context.context)
            context.delete(number, world)
        case .reinsert(let index, let number):
            let context = contexts[index]
            guard let (instance, model) = held(context, number), instance.state == .deleted else { return false }
            try requireCurrent(context)
            insert(model, into: context.context)
            context.reinsert(number, world)
        case .save(let index): try save(contexts[index])
        case .rollBack(let index):
            contexts[index].context.rollback()
            contexts[index].rollBack()
        case .fetch(let index, let query, let form): try fetch(contexts[index], query, form)
        case .merge(let index, let form): try merge(contexts[index], form)
        case .batchDelete(let index, let query): try batchDelete(contexts[index], query)
        case .batchUpdate(let index, let query, let rank): return try batchUpdate(contexts[index], query, rank)
        case .revert(let index, let commit): return try revert(contexts[index], commit)
        case .undo(let index): return try undo(contexts[index])
        case .redo(let index): return try redo(contexts[index])
        case .batchInsert(let index, let number, let folder): return try batchInsert(contexts[index], number, folder)
        case .consume(let index): try consume(contexts[index])
        case .check(let index): try checkAll(contexts[index])
        case .release(let index, let number):
            let context = contexts[index]
            guard let (instance, _) = held(context, number), instance.state == .saved else { return false }
            instance.object = nil
            if instance.edits.isEmpty, !context.linked.contains(number) { context.instances[number] = nil }
        case .mergePolicy(let index, let isError):
            // In several stores, an error may come before or after the save of the first one.
            guard environment.kind != .stores else { return false }
            contexts[index].context.mergePolicy = isError ? .error : .mergeByPropertyObjectTrump
        case .reconnect(let index): return reconnect(contexts[index])
        case .turn: return false
        case .renew(let index):
            guard environment.kind != .main || index != 0 else { return false }
            contexts[index] = makeContext(index)
        case .foreignUpdate(let number, let name, let value): return try foreignUpdate(number, name, value)
        case .foreignDelete(let number): return try foreignDelete(number)
        }
        return true
    }

    /// Returns a model that the test references, or that the context has to keep.
    func held(_ context: ContextReference, _ number: Int) -> (Instance, any TestModel)? {
        guard let instance = context.instances[number] else { return nil }
        if instance.object == nil, let identifier = identifiers[number] {
            instance.object = registered(instance.entity.type, identifier, context.context)
        }
        guard let object = instance.object else { return nil }
        if instance.state == .saved, object.isDeleted, instance.edits.isEmpty, !context.linked.contains(number),
            context.candidates(number, world).contains(nil)
        {
            // The context has noticed that the row is gone.
            context.depart(number, isDeleted: true)
            return nil
        }
        return (instance, object)
    }

    /// Releases a context while its models are referenced, and uses the context that a model then returns.
    func reconnect(_ context: ContextReference) -> Bool {
        // Only the context keeps changes of links, and models that nothing references.
        guard environment.kind != .main, context.linkEdits.isEmpty, context.linked.isEmpty,
            context.instances.keys.allSatisfy({ held(context, $0) != nil }),
            let model = context.instances.values.first(where: { $0.state == .saved })?.object
        else { return false }
        context.context = ModelContext(environment.container(context.index))
        guard let replacement = model.modelContext else { return false }
        context.context = replacement
        return true
    }

    func registered<Model: TestModel>(
        _: Model.Type, _ identifier: PersistentIdentifier, _ context: ModelContext
    ) -> (any TestModel)? {
        context.registeredModel(for: identifier) as Model?
    }

    func insert(_ model: some TestModel, into context: ModelContext) { context.insert(model) }

    func delete(_ model: some TestModel, in context: ModelContext) { context.delete(model) }

    func insertGraph(_ context: ContextReference, _ number: Int, _ items: [Int], _ notes: [Int]) throws -> Bool {
        guard ([number] + items + notes).allSatisfy({ used.insert($0).inserted }) else { return false }
        let folder = ModelFolder(key: "\(number)")
        folder.items = items.map { ModelItem(key: "\($0)") }
        if let item = folder.items.first { item.notes = notes.map { ModelNote(key: "\($0)") } }
        let models = ([folder] as [any TestModel]) + folder.items + (folder.items.first?.notes ?? [])
        context.context.insert(folder)
        for model in models {
            let model = model as any TestModel
            guard let number = Int(model.key) else { continue }
            let entity = type(of: model).entity
            let instance = Instance(number, entity, .new, bases: [Row(entity, key: model.key)], object: model)
            if entity == .item { instance.edits["folder"] = .model(Int(folder.key) ?? 0) }
            if entity == .note { instance.edits["item"] = .model(items[0]) }
            context.instances[number] = instance
        }
        return true
    }

    func load(_ context: ContextReference, _ number: Int) throws -> Bool {
        guard let identifier = identifiers[number], held(context, number) == nil,
            context.instances[number] == nil
        else { return false }
        let candidates = context.candidates(number, world)
        do {
            guard let model = try context.context.existingModel(for: identifier) as? any TestModel else { return false }
            guard candidates.contains(where: { $0 != nil }) else {
                throw Difference("loaded m\(number), which is deleted")
            }
            context.touch(number, world)?.object = model
        } catch SwiftDataError.modelNotFound {
            guard candidates.contains(nil) else { throw Difference("m\(number) cannot be loaded") }
        }
        return true
    }

    func setReference(
        _ context: ContextReference, _ number: Int, _ reference: Reference, _ destination: Int?
    ) throws -> Bool {
        guard let (instance, model) = held(context, number) else { return false }
        var target: (any TestModel)?
        if let destination {
            guard let (other, model) = held(context, destination), other.isAlive else { return false }
            target = model
        }
        if instance.state == .deleted {
            guard instance.cause?.reference == reference, let destination, destination != instance.cause?.owner else {
                return false
            }
        }
        var involved = [number, destination].compactMap { $0 }
        // It is unknown which version of a row that is gone the context read last.
        if involved.contains(where: { (context.instances[$0]?.bases.count ?? 0) > 1 }) { return false }
        involved += involved.flatMap { number in
            context.candidates(number, world).flatMap { ($0?.values.values).map { $0.compactMap(\.model) } ?? [] }
        }
        if involved.contains(where: { context.versions[$0] != nil }) || instance.state == .deleted {
            try requireCurrent(context)
        }
        model.setDestination(reference.name, target)
        context.setReference(number, reference, destination, world)
        return true
    }

    /// Changes a to-many relationship.
    func changeList(
        _ context: ContextReference, _ number: Int, _ name: String, _ members: [Int],
        change: (any TestModel, [any TestModel]) -> Void, _ result: ([Int]) -> [Int]
    ) throws -> Bool {
        guard let (instance, model) = held(context, number), instance.isAlive else { return false }
        let others = members.compactMap { held(context, $0) }
        guard others.count == members.count, others.allSatisfy(\.0.isAlive) else { return false }
        try requireCurrent(context)
        change(model, others.map(\.1))
        if let list = instance.entity.lists.first(where: { $0.name == name }) {
            context.setList(number, list, result(context.members(number, list, world)), world)
        } else {
            context.setLinks(number, result(context.linkedMembers(number, world)), world)
        }
        return true
    }
}

import ChronicleTestSupport

/// Chooses the next step of a random sequence from those that are possible.
struct Generator {
    var random: SplitMix
    private let names = ["a", "b", "c"]
    /// The next steps, which follow from the last one.
    private var planned: [Step] = []
    /// The classes of new models. Half of the sequences have models of one or two classes, because many defects need several
    /// relationships between the same models.
    private let entities: [Entity]
    /// The choices of ``step(_:in:)`` that the sequence omits. Half of the sequences omit some, so that the others are more
    /// frequent.
    private let skipped: [Range<Int>]

    init(_ random: SplitMix) {
        var random = random
        entities =
            random.below(2) == 0
            ? [.folder, .folder, .item, .item, .item, .note, .note, .badge, .tag, .tag]
            : random.pick([
                [.item, .badge], [.item, .tag], [.folder, .item], [.folder, .note], [.item, .note], [.folder],
            ])
        let optional = [
            9..<11, 41..<51, 51..<60, 71..<74, 74..<83, 83..<87, 87..<90, 90..<92, 92..<94, 94..<96, 96..<98,
        ]
        var skipped: [Range<Int>] = []
        if random.below(2) == 0 { for range in optional where random.below(2) == 0 { skipped.append(range) } }
        self.skipped = skipped
        self.random = random
    }

    /// Returns a random step. A few of them are not possible.
    mutating func step(_ number: Int, in simulation: Simulation) -> Step {
        if !planned.isEmpty { return planned.removeFirst() }
        let context = simulation.contexts[random.below(simulation.contexts.count)]
        let index = context.index
        // Most sequences need models first.
        if simulation.world.rows.isEmpty, random.below(3) > 0 {
            return random.below(2) == 0 && number > 2 ? .save(index) : insert(number, index, simulation)
        }
        let loaded = context.instances.keys.sorted()
        let alive = loaded.filter { context.instances[$0]?.isAlive == true }
        let deleted = loaded.filter { context.instances[$0]?.isAlive == false }
        func pick(_ models: [Int]) -> Int? { models.isEmpty ? nil : random.pick(models) }
        if simulation.environment.kind == .main, random.below(10) == 0 { return .turn }
        var choice = random.below(100)
        while skipped.contains(where: { $0.contains(choice) }) { choice = random.below(100) }
        switch choice {
        case 0..<9: return insert(number, index, simulation)
        case 9..<11:
            return .insertGraph(
                index, number * 10 + 100_000, items: (1...(1 + random.below(2))).map { number * 10 + 100_000 + $0 },
                notes: random.below(2) == 0 ? [] : [number * 10 + 100_009])
        case 11..<17:
            let absent = simulation.world.rows.keys.filter { context.instances[$0] == nil }.sorted()
            if let model = pick(absent) { return .load(index, model) }
        case 17..<29:
            if let model = pick(alive), let entity = context.instances[model]?.entity {
                let name = random.pick(entity.attributes)
                return .set(index, model, name, value(name, entity))
            }
        case 29..<41:
            let models = alive.filter { context.instances[$0]?.entity.references.isEmpty == false }
            if let model = pick(models), let entity = context.instances[model]?.entity {
                return setReference(index, model, random.pick(entity.references), alive, context)
            }
        case 41..<51:
            let models = alive.filter {
                !(context.instances[$0]?.entity.lists.isEmpty ?? true) || context.instances[$0]?.entity.links != nil
            }
            if let model = pick(models), let entity = context.instances[model]?.entity {
                return changeList(index, model, entity, alive, context, simulation)
            }
        case 51..<57: if let model = pick(alive) { return delete(model, number, context, simulation) }
        case 57..<60:
            if let model = pick(deleted) {
                if let cause = context.instances[model]?.cause, random.below(2) == 0 {
                    return setReference(index, model, cause.reference, alive, context)
                }
                return .reinsert(index, model)
            }
        case 60..<71: return save(context, simulation)
        case 71..<74: return .rollBack(index)
        case 74..<83:
            return fetch(index, simulation)
        case 83..<87: return .merge(index, random.pick(MergeForm.allCases))
        case 87..<89: return .batchDelete(index, simpleQuery(random.pick(simulation.environment.entities)))
        case 89..<90: return .batchUpdate(index, simpleQuery(random.pick([.item, .note, .tag])), random.below(4))
        case 91: return .revert(index, max(0, simulation.commits.count - 2 - random.below(3)))
        case 90: return random.below(2) == 0 ? .undo(index) : .redo(index)
        case 93:
            let folders = loaded.filter {
                context.instances[$0]?.entity == .folder && context.instances[$0]?.state == .saved
            }
            return .batchInsert(index, number, folder: pick(folders))
        case 92: return .consume(index)
        case 94..<95: if let model = pick(alive) { return .release(index, model) }
        case 95..<96:
            return random.pick([.renew(index), .reconnect(index), .mergePolicy(index, isError: random.below(2) == 0)])
        case 96..<97:
            if let model = pick(simulation.world.rows.keys.sorted()) {
                let entity = simulation.world.rows[model]!.entity
                let name = random.pick(entity.attributes)
                return .foreignUpdate(model, name, value(name, entity))
            }
        case 97..<98: if let model = pick(simulation.world.rows.keys.sorted()) { return .foreignDelete(model) }
        default: break
        }
        return .check(index)
    }

    /// In some of the saves that change lists, another context has read the lists, and reads rows afterwards.
    private mutating func save(_ context: ContextReference, _ simulation: Simulation) -> Step {
        let save = Step.save(context.index)
        let changed = List.all.filter { list in
            context.instances.values.contains {
                $0.entity == list.inverse.entity && $0.isAlive && $0.edits[list.inverse.name] != nil
            }
        }
        guard !changed.isEmpty, random.below(2) == 0 else { return save }
        let list = random.pick(changed)
        let readers = simulation.contexts.filter { reader in
            reader !== context && reader.instances.values.contains { $0.entity == list.entity && $0.isAlive }
        }
        guard !readers.isEmpty else { return save }
        let reader = random.pick(readers).index
        let rows = Query(entity: random.below(2) == 0 ? list.entity : list.inverse.entity, kind: .all)
        planned = [save, .fetch(reader, rows, .models), .check(reader)]
        return .check(reader)
    }

    /// Before some of the saves that delete a folder, another context inserts an item into it, which this context changes. Some
    /// deletes of models with edits in another context are undone after that context has merged them.
    private mutating func delete(
        _ model: Int, _ number: Int, _ context: ContextReference, _ simulation: Simulation
    ) -> Step {
        let delete = Step.delete(context.index, model)
        let editors = simulation.contexts.filter {
            $0 !== context && $0.instances[model]?.state == .saved && $0.instances[model]?.edits.isEmpty == false
        }
        if !editors.isEmpty, random.below(2) == 0 {
            let editor = random.pick(editors).index
            planned = [.save(context.index), .merge(editor, random.pick(MergeForm.allCases)), .undo(context.index)]
            if random.below(2) == 0 { planned.append(.merge(editor, random.pick(MergeForm.allCases))) }
            planned.append(.save(editor))
            return delete
        }
        guard let folder = context.instances[model], folder.entity == .folder, folder.state == .saved,
            random.below(3) == 0
        else { return delete }
        let others = simulation.contexts.filter { $0 !== context && $0.instances[model]?.state == .saved }
        guard !others.isEmpty else { return delete }
        let item = number * 10 + 200_000
        planned = [
            .batchInsert(random.pick(others).index, item, folder: model), .load(context.index, item),
            .set(context.index, item, "name", .text(random.pick(names))), .save(context.index),
        ]
        return delete
    }

    private mutating func insert(_ number: Int, _ index: Int, _ simulation: Simulation) -> Step {
        var entity = random.pick(entities)
        if simulation.environment.entities.contains(.log), random.below(4) == 0 { entity = .log }
        var values: [String: Value] = [:]
        for name in entity.attributes where random.below(2) == 0 { values[name] = value(name, entity) }
        // Another tag may have the same code.
        if entity == .tag, random.below(3) == 0 { values["code"] = .text(random.pick(names)) }
        return .insert(index, entity, number, values)
    }

    private mutating func value(_ name: String, _ entity: Entity) -> Value {
        switch name {
        case "name": .text(random.pick(names))
        case "rank": .int(random.below(4))
        case "size": random.below(3) == 0 ? .null : .int(random.below(3))
        case "info": random.below(3) == 0 ? .null : .text(random.pick(["x", "yy"]))
        case "level" where entity == .item: .text(random.pick(ModelLevel.allCases).rawValue)
        default: random.below(3) == 0 ? .null : .text(random.pick(ModelLevel.allCases).rawValue)
        }
    }

    /// Half of the fetches cross relationships in a context with unsaved changes, after others have changed rows.
    private mutating func fetch(_ index: Int, _ simulation: Simulation) -> Step {
        let entity = random.pick(simulation.environment.entities)
        let stale = simulation.contexts.filter { !$0.isCurrent && !simulation.isUnchanged($0) }
        guard random.below(2) == 0, entity != .log, !stale.isEmpty else {
            return .fetch(index, query(entity), random.pick(FetchForm.allCases))
        }
        var query = query(entity)
        while !query.crossesRelationship { query = self.query(entity) }
        return .fetch(random.pick(stale).index, query, random.pick(FetchForm.allCases))
    }

    private mutating func setReference(
        _ index: Int, _ model: Int, _ reference: Reference, _ alive: [Int], _ context: ContextReference
    ) -> Step {
        let destinations = alive.filter { context.instances[$0]?.entity == reference.destination }
        let destination = destinations.isEmpty || random.below(5) == 0 ? nil : random.pick(destinations)
        return .setReference(index, model, reference, destination)
    }

    /// Some changes of links are repeated in another context and then reversed in this one.
    private mutating func changeList(
        _ index: Int, _ model: Int, _ entity: Entity, _ alive: [Int], _ context: ContextReference,
        _ simulation: Simulation
    ) -> Step {
        let lists: [(String, Entity)] =
            entity.lists.map { ($0.name, $0.inverse.entity) }
            + (entity.links.map { [($0, entity == .item ? .tag : .item)] } ?? [])
        let (name, destination) = random.pick(lists)
        // A list of a new tag would replace that of a row with the same code.
        guard context.instances[model]?.state != .new || entity != .tag else { return .check(index) }
        let members = alive.filter { context.instances[$0]?.entity == destination }
        guard !members.isEmpty else { return .check(index) }
        let (choice, member) = (random.below(3), random.pick(members))
        let others = simulation.contexts.filter { other in
            other !== context && [model, member].allSatisfy { other.instances[$0]?.state == .saved }
        }
        if choice < 2, name == entity.links, !others.isEmpty, random.below(2) == 0 {
            let other = random.pick(others).index
            let (append, remove) = (Step.append(index, model, name, member), Step.remove(index, model, name, member))
            planned =
                choice == 0
                ? [.append(other, model, name, member), .save(other)]
                : [.remove(other, model, name, member), .save(other)]
            planned += [.merge(index, random.pick(MergeForm.allCases)), choice == 0 ? remove : append, .save(index)]
        }
        switch choice {
        case 0: return .append(index, model, name, member)
        case 1: return .remove(index, model, name, member)
        default:
            var chosen: [Int] = []
            for member in members where random.below(2) == 0 { chosen.append(member) }
            return .setList(index, model, name, chosen)
        }
    }

    private mutating func query(_ entity: Entity) -> Query {
        Query(
            entity: entity, kind: random.pick(Query.Kind.allCases), text: random.pick(names), number: random.below(4))
    }

    /// Returns a query that does not read other models.
    private mutating func simpleQuery(_ entity: Entity) -> Query {
        var query = query(entity)
        while query.crossesRelationship || query.kind == .all && random.below(4) > 0 { query = self.query(entity) }
        return query
    }
}

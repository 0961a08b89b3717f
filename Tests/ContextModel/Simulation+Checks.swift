import Chronicle

// Comparisons with the reference.
extension Simulation {
    /// Returns the number of a model.
    func number(of model: any TestModel, in context: ContextReference? = nil) throws -> Int {
        if let number = context?.instances.values.first(where: { $0.object === model })?.number { return number }
        if let number = numbers[model.persistentModelID] { return number }
        throw Difference("unknown model \(model.key) (\(model.persistentModelID))")
    }

    // MARK: Changes

    /// Compares the lists of unsaved changes.
    func checkChanges(_ context: ContextReference) throws {
        func check(
            _ name: String, _ models: [any PersistentModel], required: (Instance) -> Bool, allowed: (Instance) -> Bool
        ) throws {
            var found: Set<Int> = []
            for model in models {
                guard let model = model as? any TestModel else { continue }
                let number = try number(of: model, in: context)
                guard found.insert(number).inserted else { throw Difference("\(name) contains m\(number) twice") }
                guard let instance = context.instances[number], allowed(instance) else {
                    throw Difference("\(name) contains m\(number)")
                }
            }
            for (number, instance) in context.instances where required(instance) && !found.contains(number) {
                throw Difference("\(name) does not contain m\(number)")
            }
        }
        func isInserted(_ instance: Instance) -> Bool {
            // A restored model whose row exists again may have been read again.
            instance.state == .new || instance.state == .restored && world.rows[instance.number] == nil
        }
        func isChanged(_ instance: Instance) -> Bool {
            instance.state == .saved
                && instance.edits.contains { name, value in
                    context.candidates(instance.number, world).allSatisfy { $0.map { $0[name] != value } ?? false }
                }
        }
        func isDeleted(_ instance: Instance) -> Bool {
            instance.state == .deleted && !context.candidates(instance.number, world).contains(nil)
        }
        try check(
            "insertedModelsArray", context.context.insertedModelsArray, required: isInserted,
            allowed: { $0.state == .new || $0.state == .restored })
        // A list that was set is a change of both ends, even if it is equal; so are the steps of a revert.
        try check(
            "changedModelsArray", context.context.changedModelsArray, required: isChanged,
            allowed: {
                ($0.state != .new && $0.state != .deleted)
                    && (!$0.edits.isEmpty || context.linked.contains($0.number) || context.isReverted)
            })
        try check(
            "deletedModelsArray", context.context.deletedModelsArray, required: isDeleted,
            allowed: { $0.state == .deleted })
        let mustHaveChanges = context.instances.values.contains { isInserted($0) || isChanged($0) || isDeleted($0) }
        let mayHaveChanges =
            mustHaveChanges || context.isReverted || !context.linked.isEmpty
            || context.instances.values.contains { $0.state != .saved || !$0.edits.isEmpty }
        let hasChanges = context.context.hasChanges
        if mustHaveChanges && !hasChanges || hasChanges && !mayHaveChanges {
            throw Difference("hasChanges is \(hasChanges)")
        }
    }

    // MARK: Models

    /// Compares the values of all models that the test references.
    func checkAll(_ context: ContextReference) throws {
        for number in context.instances.keys.sorted() {
            guard let (instance, model) = held(context, number) else { continue }
            try check(instance, model, in: context)
        }
        for (number, model, isDeleted) in context.departed {
            if model.modelContext != nil { throw Difference("m\(number) has left the context and has a modelContext") }
            if model.isDeleted != isDeleted { throw Difference("isDeleted of m\(number) is \(model.isDeleted)") }
        }
    }

    func check(_ instance: Instance, _ model: any TestModel, in context: ContextReference) throws {
        let number = instance.number
        if instance.state == .deleted {
            if !model.isDeleted { throw Difference("isDeleted of m\(number) is false") }
            return
        }
        let candidates = context.candidates(number, world)
        if model.isDeleted {
            guard candidates.contains(nil) else { throw Difference("isDeleted of m\(number) is true") }
            throw Difference("m\(number) has unsaved changes, and isDeleted is true")
        }
        let values = try readValues(instance, model, in: context)
        let matching = candidates.indices.filter { index in
            guard let row = candidates[index] else { return false }
            return row.values.allSatisfy { name, value in
                isPossible(values[name] ?? .null, instance.edits[name] ?? value, in: context)
            }
        }
        guard let first = matching.first else {
            let expected = candidates.map { row in
                row.map { $0.values.merging(instance.edits) { $1 } }.map(Self.text) ?? "no row"
            }
            throw Difference(
                "m\(number) (\(instance.state)) has the values \(Self.text(values)) instead of "
                    + expected.joined(separator: " or "))
        }
        if context.versions[number] != nil, instance.state == .saved {
            context.versions[number] = Array(candidates[first...])
            if candidates.count - first == 1 { context.versions[number] = nil }
        }
        for list in instance.entity.lists { try checkList(list, of: instance, model, in: context) }
        if instance.entity.links != nil { try checkLinks(of: instance, model, in: context) }
    }

    static func text(_ values: [String: Value]) -> String {
        "(" + values.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ") + ")"
    }

    func readValues(
        _ instance: Instance, _ model: any TestModel, in context: ContextReference
    ) throws -> [String: Value] {
        var values: [String: Value] = [:]
        for name in ["key"] + instance.entity.attributes { values[name] = model.attribute(name) }
        if instance.entity == .tag { values["code"] = model.attribute("code") }
        for reference in instance.entity.references {
            guard let destination = model.destination(reference.name) else {
                values[reference.name] = .null
                continue
            }
            let number = try number(of: destination, in: context)
            try adopt(destination, number, in: context)
            values[reference.name] = .model(number)
        }
        return values
    }

    /// Returns whether a value that was read is the expected one. A reference to a model that is deleted is `nil`.
    func isPossible(_ found: Value, _ expected: Value, in context: ContextReference) -> Bool {
        if found == expected, found.model.map({ context.instances[$0]?.state != .deleted }) ?? true { return true }
        guard let model = expected.model, found == .null else { return false }
        return context.instances[model]?.state == .deleted || context.candidates(model, world).contains(nil)
    }

    /// Records the instance that the context returned for a model; there must be one.
    func adopt(_ model: any TestModel, _ number: Int, in context: ContextReference) throws {
        guard var instance = context.touch(number, world) else { throw Difference("m\(number) must not exist") }
        if let known = instance.object, known !== model {
            // The context may have noticed that the row was gone before it returned.
            guard held(context, number) == nil, let next = context.touch(number, world) else {
                throw Difference("m\(number) has two instances")
            }
            instance = next
        }
        instance.object = model
    }

    /// How likely a model is a destination: certainly, certainly not, or one of both.
    enum Membership { case yes, no, unknown }

    func checkMembers(
        _ name: String, of number: Int, _ found: [any TestModel], in context: ContextReference,
        _ membership: (Int) -> Membership, among numbers: Set<Int>
    ) throws {
        var members: Set<Int> = []
        for model in found {
            let member = try self.number(of: model, in: context)
            guard members.insert(member).inserted else {
                throw Difference("m\(number).\(name) contains m\(member) twice")
            }
            guard membership(member) != .no else { throw Difference("m\(number).\(name) contains m\(member)") }
            try adopt(model, member, in: context)
        }
        for member in numbers where !members.contains(member) && membership(member) == .yes {
            throw Difference("m\(number).\(name) does not contain m\(member)")
        }
    }

    /// - Parameter isRead: Whether the context has just read the row of the model, and therefore reads the list again.
    func checkList(
        _ list: List, of instance: Instance, _ model: any TestModel, in context: ContextReference, isRead: Bool = false
    ) throws {
        let ownIsCertain = !context.candidates(instance.number, world).contains(nil)
        func membership(_ member: Int) -> Membership {
            let state = context.instances[member]?.state ?? .saved
            if state == .deleted { return .no }
            let edit = context.instances[member]?.edits[list.inverse.name]
            let rows =
                isRead && state == .saved && edit == nil
                ? [world.rows[member]] : context.candidates(member, world)
            let options = Set(
                rows.map { row in
                    row.map {
                        $0.entity == list.inverse.entity && (edit ?? $0[list.inverse.name]) == .model(instance.number)
                    }
                        ?? false
                })
            guard options.count == 1 else { return .unknown }
            // The list contains rows, and unsaved changes of the relationship.
            let isMissing = state == .missing && edit == nil
            if options == [true] { return ownIsCertain && !isMissing ? .yes : .unknown }
            return .no
        }
        try checkMembers(
            list.name, of: instance.number, model.list(list.name), in: context, membership,
            among: Set(world.rows.keys).union(context.instances.keys))
    }

    func checkLinks(of instance: Instance, _ model: any TestModel, in context: ContextReference) throws {
        let view = context.view(world)
        let isCertain = !context.candidates(instance.number, world).contains(nil)
        func membership(_ member: Int) -> Membership {
            let link =
                instance.entity == .item
                ? Link(item: instance.number, tag: member) : Link(item: member, tag: instance.number)
            if context.instances[member]?.state == .deleted { return .no }
            let isMissing = [member, instance.number].contains { context.instances[$0]?.state == .missing }
            if !isCertain || isMissing || context.candidates(member, world).contains(nil)
                || context.changedLinks.contains(link) && context.linkEdits[link] == nil
            {
                return .unknown
            }
            return view.links.contains(link) ? .yes : .no
        }
        try checkMembers(
            instance.entity.links!, of: instance.number, model.list(instance.entity.links!), in: context, membership,
            among: Set(world.rows.keys).union(context.instances.keys))
    }
}

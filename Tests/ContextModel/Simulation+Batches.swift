import Chronicle

// Batch operations and changes of other programs.
extension Simulation {
    func batchInsert(_ context: ContextReference, _ number: Int, _ folder: Int?) throws -> Bool {
        let item = ModelItem(key: "\(number)")
        var row = Row(.item, key: item.key)
        if let folder {
            guard let (instance, model) = held(context, folder), instance.state == .saved, world.rows[folder] != nil
            else {
                return false
            }
            item.folder = model as? ModelFolder
            row["folder"] = .model(folder)
        }
        guard used.insert(number).inserted else { return false }
        do { try context.context.insert(model: ModelItem.self, from: [item]) } catch {
            throw Difference("the batch insert threw \(error)")
        }
        var new = world
        new.rows[number] = row
        try commit(new, by: context)
        return true
    }

    func batchDelete(_ context: ContextReference, _ query: Query) throws {
        func perform<Model: TestModel>(_: Model.Type) throws {
            try context.context.delete(model: Model.self, where: Model.predicate(query))
        }
        readRestored(of: query.entity.affectedByDeletes, in: context)
        var new = world
        guard let deleted = new.delete(world.rows.keys.filter({ query.matches($0, in: world) })) else {
            do { try perform(query.entity.type) } catch { return }
            throw Difference("the batch delete must be denied")
        }
        do { try perform(query.entity.type) } catch { throw Difference("the batch delete threw \(error)") }
        for number in deleted {
            context.depart(number, isDeleted: true)
            context.versions[number] = nil
        }
        for instance in context.instances.values {
            for (name, value) in instance.edits {
                if let model = value.model, deleted.contains(model) { instance.edits[name] = .null }
            }
            // The references of a restored model are unsaved as well.
            guard instance.state == .restored else { continue }
            for reference in instance.entity.references {
                for index in instance.bases.indices {
                    guard let model = instance.bases[index][reference.name].model, deleted.contains(model) else {
                        continue
                    }
                    instance.bases[index][reference.name] = .null
                }
            }
        }
        for number in new.rows.keys where new.rows[number] != world.rows[number] { context.versions[number] = nil }
        try commit(new, by: context)
    }

    func batchUpdate(_ context: ContextReference, _ query: Query, _ rank: Int) throws -> Bool {
        func update<Model: TestModel>(
            _: Model.Type, _ path: any ReferenceWritableKeyPath<Model, Int> & Sendable
        ) throws {
            try context.context.update(
                model: Model.self, where: Model.predicate(query), set: [PropertyUpdate(path, to: rank)])
        }
        do {
            switch query.entity {
            case .item: try update(ModelItem.self, \.rank)
            case .log: try update(ModelLog.self, \.rank)
            case .note: try update(ModelNote.self, \.rank)
            case .tag: try update(ModelTag.self, \.rank)
            default: return false
            }
        } catch { throw Difference("the batch update threw \(error)") }
        readRestored(of: [query.entity], in: context)
        var new = world
        for number in world.rows.keys where query.matches(number, in: world) { new.rows[number]?["rank"] = .int(rank) }
        for number in new.rows.keys where new.rows[number] != world.rows[number] {
            context.versions[number] = nil
            context.instances[number].map { if $0.state != .deleted { $0.state = .saved } }
        }
        try commit(new, by: context)
        return true
    }

    /// A batch operation reads the rows of restored models, which others may have inserted again.
    private func readRestored(of entities: Set<Entity>, in context: ContextReference) {
        for (number, instance) in context.instances
        where instance.state == .restored && entities.contains(instance.entity) && world.rows[number] != nil {
            context.readRow(number, world)
        }
    }

    /// Whether the main context is notified of a foreign commit. In memory, there are no other programs.
    private var notifiesForeign: Bool { environment.kind != .main }

    func foreignUpdate(_ number: Int, _ name: String, _ value: Value) throws -> Bool {
        guard var row = world.rows[number], row.entity.attributes.contains(name), value.model == nil, name != "info",
            notifiesForeign
        else { return false }
        let text = value == .null ? "NULL" : value.int.map(String.init) ?? "'\(value.text ?? "")'"
        try environment.foreign(
            "UPDATE \"\(row.entity.name)\" SET \"\(name)\" = \(text) WHERE \"key\" = '\(row["key"].text ?? "")'",
            row.entity)
        row[name] = value
        var new = world
        new.rows[number] = row
        try commit(new, by: nil)
        return true
    }

    func foreignDelete(_ number: Int) throws -> Bool {
        var new = world
        guard let row = world.rows[number], new.delete([number]) != nil, notifiesForeign else { return false }
        try environment.foreign(
            "DELETE FROM \"\(row.entity.name)\" WHERE \"key\" = '\(row["key"].text ?? "")'",
            row.entity)
        try commit(new, by: nil)
        return true
    }
}

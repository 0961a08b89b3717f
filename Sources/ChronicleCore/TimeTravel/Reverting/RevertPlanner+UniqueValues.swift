// Unique values that a revert would restore, and that other models have.
extension RevertPlanner {
    mutating func findTakenValues() throws {
        let relevant = steps.filter { step in
            step.action != .delete
                && schema.entitiesByName[step.persistentIdentifier.entityName]?.uniqueProperties.isEmpty == false
        }
        guard !relevant.isEmpty else { return }
        var rows: [PersistentIdentifier: [PropertyValue]] = [:]
        for step in relevant { rows[step.persistentIdentifier] = try row(after: step) }
        for (entityName, steps) in Dictionary(grouping: relevant, by: \.persistentIdentifier.entityName)
            .sorted(by: { $0.key < $1.key })
        {
            guard let entity = schema.entitiesByName[entityName] else { continue }
            for constraint in entity.uniqueProperties {
                try findTakenValues(of: constraint, entity, steps, rows)
            }
        }
    }

    private mutating func findTakenValues(
        of constraint: [Schema.Property], _ entity: Schema.Entity, _ steps: [RevertPlan.Step],
        _ rows: [PersistentIdentifier: [PropertyValue]]
    ) throws {
        let names = Set(constraint.map(\.name))
        let owner = entity.owner(of: constraint)
        var wanted: [[PropertyValue]: RevertPlan.Step] = [:]
        for step in steps where step.action == .restore || step.values.contains(where: { names.contains($0.name) }) {
            guard let row = rows[step.persistentIdentifier] else { continue }
            let key = constraint.map { row[$0.slot].uniqueForm }
            if !key.contains(where: \.isNull) { wanted[key] = step }
        }
        guard !wanted.isEmpty else { return }
        var taken: [(RevertPlan.Step, PersistentIdentifier)] = []
        for store in try context.coordinator.stores(for: entity.type) {
            try context.forEachRow(of: owner, in: store, .values(constraint, in: .init(wanted.keys))) { other, row in
                let key = constraint.map { row[$0.slot].uniqueForm }
                guard let step = wanted[key], step.persistentIdentifier != other, !willDelete(other),
                    step.persistentIdentifier.storeIdentifier == other.storeIdentifier
                else { return }
                // The other model has different values after the revert.
                if let changed = rows[other], constraint.map({ changed[$0.slot].uniqueForm }) != key { return }
                taken.append((step, other))
            }
        }
        for (step, other) in taken {
            guard let change = changes.change(of: step.persistentIdentifier) else { continue }
            for value in step.values where names.contains(value.name) {
                conflict(
                    .uniqueValueTaken, change, value.name, value, entity.propertiesByName[value.name],
                    related: [other], allows: step.action == .update ? [.keepCurrent, .skipModel] : [.skipModel])
            }
        }
    }

    private func row(after step: RevertPlan.Step) throws -> [PropertyValue]? {
        let identifier = step.persistentIdentifier
        guard let entity = schema.entitiesByName[identifier.entityName] else { return nil }
        var row =
            try models[identifier].map { model in
                try entity.storedProperties.map { try model.persistentBackingData.currentValue(of: $0) }
            } ?? entity.storedProperties.map { $0.defaultValue ?? .null }
        for (property, form) in step.storedForms(in: entity) { row[property.slot] = form }
        return row
    }
}

extension Schema.Entity {
    /// Other subentities of the entity that declares a constraint must not have the values either.
    fileprivate func owner(of constraint: [Schema.Property]) -> Schema.Entity {
        let slots = constraint.map(\.slot)
        guard let parent = superentity, parent.uniqueProperties.contains(where: { $0.map(\.slot) == slots }) else {
            return self
        }
        return parent.owner(of: constraint)
    }
}

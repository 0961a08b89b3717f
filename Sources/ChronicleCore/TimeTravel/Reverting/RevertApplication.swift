/// Makes the steps of a plan without unresolved conflicts.
struct RevertApplication {
    private let context: ModelContext
    private var models: [PersistentIdentifier: any PersistentModel]

    init(_ context: ModelContext, _ models: [PersistentIdentifier: any PersistentModel]) {
        self.context = context
        self.models = models
    }

    /// Restores models before their relationships are set, and deletes models last, when nothing references them.
    mutating func apply(_ steps: [RevertPlan.Step]) throws {
        for step in steps where step.action == .restore { try restore(step) }
        for step in steps where step.action == .update { try setAttributes(step) }
        for step in steps where step.action != .delete { try setRelationships(step) }
        let deleted = steps.filter { $0.action == .delete }.compactMap { models[$0.persistentIdentifier] }
        let backings = Set(deleted.map { ObjectIdentifier($0.persistentBackingData as AnyBackingData) })
        for model in deleted { try removeLinks(from: model.persistentBackingData) { !backings.contains($0) } }
        for model in Self.referencingFirst(deleted) { context.deleteAny(model) }
    }

    /// A model comes before those that it references, except for cycles. A delete rule then finds no reference to remove, and
    /// models whose deletes are undone are still connected.
    private static func referencingFirst(_ models: [any PersistentModel]) -> [any PersistentModel] {
        let indices = Dictionary(
            models.enumerated().map { ($1.persistentModelID, $0) }, uniquingKeysWith: { first, _ in first })
        let destinations = models.map { model -> [Int] in
            let backing: AnyBackingData = model.persistentBackingData
            return (backing.membership?.entity.relationshipProperties ?? []).filter { $0.slot >= 0 }
                .compactMap { backing.reference($0).flatMap { indices[$0] } }
        }
        var referrers = [Int](repeating: 0, count: models.count)
        for destination in destinations.joined() { referrers[destination] += 1 }
        var order = models.indices.filter { referrers[$0] == 0 }
        var next = 0
        while next < order.count {
            for destination in destinations[order[next]] {
                referrers[destination] -= 1
                if referrers[destination] == 0 { order.append(destination) }
            }
            next += 1
        }
        return (order + models.indices.filter { referrers[$0] > 0 }).map { models[$0] }
    }

    /// Along these links, a delete would cascade to models that existed before the changes.
    private func removeLinks(
        from backing: AnyBackingData, where isKept: (ObjectIdentifier) -> Bool
    ) throws {
        for property in backing.membership?.entity.relationshipProperties ?? [] where property.isLinked {
            guard let relationship = ManagedRelationship(context, backing, property),
                relationship.relationship.deleteRule == .cascade
            else { continue }
            let destinations = try relationship.models()
            let rest = destinations.filter { !isKept(ObjectIdentifier($0.persistentBackingData as AnyBackingData)) }
            if rest.count < destinations.count { try relationship.write(rest) }
        }
    }

    private mutating func restore(_ step: RevertPlan.Step) throws {
        let identifier = step.persistentIdentifier
        let entity = try context.contextEntity(for: context.coordinator.schema.modelType(named: identifier.entityName))
        var row = entity.entity.storedProperties.map { $0.defaultValue ?? .null }
        for (property, form) in step.storedForms(in: entity.entity) where property.isAttribute {
            row[property.slot] = form
        }
        models[identifier] = context.restore(identifier, row, entity)
    }

    private func setAttributes(_ step: RevertPlan.Step) throws {
        guard let backing = models[step.persistentIdentifier]?.persistentBackingData,
            let entity = backing.membership?.entity
        else { return }
        let values = step.storedForms(in: entity).filter { $0.property.isAttribute }
        if !values.isEmpty { try backing.set(values) }
    }

    private func setRelationships(_ step: RevertPlan.Step) throws {
        guard let backing = models[step.persistentIdentifier]?.persistentBackingData,
            let entity = backing.membership?.entity
        else { return }
        for value in step.values {
            guard let property = entity.propertiesByName[value.name],
                let relationship = ManagedRelationship(context, backing, property)
            else { continue }
            if let added = value.addedDestinations, let removed = value.removedDestinations {
                let removed = Set(removed)
                var destinations = try relationship.models().filter { !removed.contains($0.persistentModelID) }
                let known = Set(destinations.map(\.persistentModelID))
                destinations += added.lazy.filter { !known.contains($0) }.compactMap { models[$0] }
                try relationship.write(destinations)
            } else if let old = value.value {
                let destination = (old as? PersistentIdentifier).flatMap { models[$0] }
                try relationship.write(destination.map { [$0] } ?? [])
            }
        }
    }
}

extension RevertPlan.Step {
    /// Omits properties that the entity does not have, or whose old values are not known.
    func storedForms(in entity: Schema.Entity) -> [(property: Schema.Property, form: PropertyValue)] {
        values.compactMap { value in
            guard let property = entity.propertiesByName[value.name], property.slot >= 0, let old = value.value,
                let form = ValueComparison.storedForm(old, property)
            else { return nil }
            return (property, form)
        }
    }
}

extension ModelContext {
    /// - Parameter row: The values, without the destinations of relationships.
    fileprivate func restore(
        _ identifier: PersistentIdentifier, _ row: [PropertyValue], _ entity: ContextEntity
    ) -> any PersistentModel {
        let type = entity.entity.type
        let model = type.make(entity.backingData(identifier, DataStoreRow(row)), entity.backingDataType)
        let backing = model.persistentBackingData
        backing.model = model
        backing.becomeRestored()
        // All attributes have values.
        backing.assignedCount = .max
        registry.add(backing, identifier)
        markPending(backing)
        return model
    }

    func loadModels(
        _ entityName: String, _ identifiers: some Collection<PersistentIdentifier>
    ) throws -> [any PersistentModel] {
        let found = try load(entityName, .identifiers(Set(identifiers)))
        let existing = Set(found.map { ObjectIdentifier($0) })
        return withExtendedLifetime(found) {
            identifiers.compactMap { registeredBacking($0)?.model }.filter { existing.contains(ObjectIdentifier($0)) }
        }
    }
}

extension AnyBackingData {
    fileprivate func set(_ values: [(property: Schema.Property, form: PropertyValue)]) throws {
        guard let entity = membership?.entity else { return }
        // Moves unsaved values out of the wrappers, which read their values again.
        for slot in changed where slot < entity.storedProperties.count {
            pending[slot] = try currentValue(of: entity.storedProperties[slot])
        }
        for (property, value) in values {
            didChange(property)
            decoded[property.slot] = nil
            pending[property.slot] = value
            markChanged(property.slot)
        }
        discardWrapperValues()
    }
}

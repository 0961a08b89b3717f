// The steps and conflicts of one model.
extension RevertPlanner {
    mutating func addRestore(_ change: NetChange, _ entity: Schema.Entity) throws {
        let store = try context.coordinator.store(for: entity.type, of: change.persistentIdentifier)
        guard type(of: store).capabilities.contains(.explicitIdentifiers) else {
            throw store.attributed(
                DataStoreError.unsupportedFeature.with(detail: "inserting models with permanent identifiers"))
        }
        var values: [NetValue] = []
        for value in change.values where !isKept(value.name, of: change.persistentIdentifier) {
            guard let property = entity.propertiesByName[value.name] else {
                conflict(.unknownProperty, change, value.name, value, allows: [.keepCurrent, .skipModel])
                continue
            }
            let hasDefault =
                property.isOptional || property.defaultValue != nil || property.relationship?.isToMany == true
            if try isRestorable(
                value, property, change, allows: hasDefault ? [.keepCurrent, .skipModel] : [.skipModel])
            {
                values.append(value)
            }
        }
        addStep(change, .restore, values)
    }

    /// Adds a conflict if the old value cannot be set.
    private mutating func isRestorable(
        _ value: NetValue, _ property: Schema.Property, _ change: NetChange, allows: [RevertConflict.Resolution]
    ) throws -> Bool {
        if let added = value.addedDestinations {
            guard property.isLinked else {
                conflict(.unknownProperty, change, value.name, value, property, allows: allows)
                return false
            }
            let missing = added.filter { !willExist($0) }
            guard !missing.isEmpty else { return true }
            conflict(.referenceMissing, change, value.name, value, property, related: missing, allows: allows)
            return false
        }
        guard let old = value.value, !(old is UndecodableValue),
            let form = ValueComparison.storedForm(old, property), property.accepts(form)
        else {
            conflict(.valueMissing, change, value.name, value, property, allows: allows)
            return false
        }
        guard case .reference(let destination) = form else { return true }
        guard willExist(destination) else {
            conflict(.referenceMissing, change, value.name, value, property, related: [destination], allows: allows)
            return false
        }
        guard let holder = try holder(of: destination, property, change) else { return true }
        // A decision about one end of the relationship is one about both.
        let isDecided = skipped.contains(destination) || isKept(holder.inverse, of: destination)
        if !isDecided || !allows.contains(.keepCurrent) {
            conflict(
                .uniqueValueTaken, change, value.name, value, property, related: [holder.model], allows: allows)
        }
        return false
    }

    /// Returns the other model that references the destination of a one-to-one relationship after the revert.
    private func holder(
        of destination: PersistentIdentifier, _ property: Schema.Property, _ change: NetChange
    ) throws -> (model: PersistentIdentifier, inverse: String)? {
        guard let inverse = schema.inverse(of: property), inverse.relationship?.isToMany == false,
            let backing = models[destination]?.persistentBackingData,
            case .reference(let holder) = try backing.currentValue(of: inverse),
            holder != change.persistentIdentifier, !willDelete(holder)
        else { return nil }
        // The revert changes one of the ends, or their values are conflicts.
        for (model, name) in [(destination, inverse.name), (holder, property.name)]
        where !skipped.contains(model) && !isKept(name, of: model) {
            if changes.change(of: model)?.value(named: name) != nil { return nil }
        }
        return (holder, inverse.name)
    }

    mutating func addUpdate(
        _ change: NetChange, _ entity: Schema.Entity, _ backing: AnyBackingData
    ) throws {
        var values: [NetValue] = []
        for value in change.values where !isKept(value.name, of: change.persistentIdentifier) {
            guard let property = entity.propertiesByName[value.name] else {
                conflict(.unknownProperty, change, value.name, value, allows: [.keepCurrent, .skipModel])
                continue
            }
            guard value.addedDestinations == nil else {
                if try hasLinks(value, property, backing) { continue }
                if try isRestorable(value, property, change, allows: [.keepCurrent, .skipModel]) {
                    values.append(value)
                }
                continue
            }
            // A list without a column, whose destinations are not preserved.
            let current = property.slot < 0 ? nil : try backing.currentValue(of: property)
            if let old = value.value, let current, ValueComparison.isSame(old, current: current, property) { continue }
            guard try isRestorable(value, property, change, allows: [.keepCurrent, .skipModel]) else { continue }
            values.append(value)
            guard let current else { continue }
            requireExpected(value, current, property, change, allows: [.keepCurrent, .restoreOld, .skipModel])
        }
        if !values.isEmpty { addStep(change, .update, values) }
    }

    private mutating func requireExpected(
        _ value: NetValue, _ current: PropertyValue, _ property: Schema.Property, _ change: NetChange,
        allows: [RevertConflict.Resolution]
    ) {
        if let expected = value.previousValue, ValueComparison.isSame(expected, current: current, property) { return }
        let kind = value.previousValue == nil ? RevertConflict.Kind.valueMissing : .changedSince
        conflict(kind, change, value.name, value, current: current, property, allows: allows)
    }

    private func isUpdated(_ property: Schema.Property, of identifier: PersistentIdentifier) throws -> Bool {
        let entries: [ModelHistoryEntry<DefaultHistoryTransaction>] = try context.history(
            of: identifier, attributeNamed: property.name)
        return entries.contains { if case .update = $0.change { true } else { false } }
    }

    private func hasLinks(_ value: NetValue, _ property: Schema.Property, _ backing: AnyBackingData) throws -> Bool {
        guard property.isLinked, let relationship = ManagedRelationship(context, backing, property) else {
            return false
        }
        let current = Set(try relationship.models().map(\.persistentModelID))
        return current.isSuperset(of: value.addedDestinations ?? [])
            && current.isDisjoint(with: value.removedDestinations ?? [])
    }

    mutating func addDelete(
        _ change: NetChange, _ entity: Schema.Entity, _ backing: AnyBackingData
    ) throws {
        for value in change.values {
            guard let property = entity.propertiesByName[value.name], property.slot >= 0 else { continue }
            let current = try backing.currentValue(of: property)
            // A migration may have set another value than the present default value, which is not a change.
            if value.isOfLaterAttribute, let expected = value.previousValue,
                try !ValueComparison.isSame(expected, current: current, property)
                    && !isUpdated(property, of: change.persistentIdentifier)
            {
                continue
            }
            requireExpected(value, current, property, change, allows: [.restoreOld, .skipModel])
        }
        for property in entity.relationshipProperties {
            guard let relationship = ManagedRelationship(context, backing, property) else { continue }
            let isDenied = isDeleteDenied(by: relationship)
            let affected = try affectedModels(relationship, change, isDenied: isDenied)
            if affected.isEmpty { continue }
            conflict(
                .referenced, change, property.name, nil, related: affected,
                allows: isDenied ? [.skipModel] : [.restoreOld, .skipModel])
        }
        addStep(change, .delete)
    }

    private func isDeleteDenied(by relationship: ManagedRelationship) -> Bool {
        if relationship.relationship.deleteRule == .deny { return true }
        guard let inverse = relationship.inverse?.relationship, !inverse.isToMany else { return false }
        return schema.deleteRule(towards: inverse) == .deny
    }

    /// Returns the models that a delete would change or delete, or that prevent it, except for those that the revert changes
    /// accordingly.
    private func affectedModels(
        _ relationship: ManagedRelationship, _ change: NetChange, isDenied: Bool
    ) throws -> [PersistentIdentifier] {
        let cascades = relationship.relationship.deleteRule == .cascade
        let inverse = relationship.inverse
        if !isDenied {
            if relationship.relationship.isLinked { return try addedLinks(relationship, change) }
            // Otherwise, only lists change.
            guard cascades || inverse?.relationship?.isToMany == false else { return [] }
        }
        let affected = try relationship.models().map(\.persistentModelID).filter { destination in
            if willDelete(destination) { return false }
            // The revert sets the other side to another model before the delete.
            guard let inverse, !skipped.contains(destination), !isKept(inverse.name, of: destination),
                let value = changes.change(of: destination)?.value(named: inverse.name)
            else { return true }
            if let removed = value.removedDestinations { return !removed.contains(change.persistentIdentifier) }
            guard let old = value.value else { return true }
            return old as? PersistentIdentifier == change.persistentIdentifier
        }
        return affected.sorted()
    }

    private func addedLinks(
        _ relationship: ManagedRelationship, _ change: NetChange
    ) throws -> [PersistentIdentifier] {
        // Without an inverse, the links are values of the model only.
        guard let inverse = relationship.inverse else { return [] }
        return try relationship.models().map(\.persistentModelID).filter { destination in
            let removed = changes.change(of: destination)?.value(named: inverse.name)?.removedDestinations
            return !willDelete(destination) && removed?.contains(change.persistentIdentifier) != true
        }
        .sorted()
    }

    private mutating func addStep(_ change: NetChange, _ action: RevertPlan.Step.Action, _ values: [NetValue] = []) {
        steps.append(
            RevertPlan.Step(persistentIdentifier: change.persistentIdentifier, action: action, values: values))
    }
}

extension Schema.Property {
    fileprivate func accepts(_ form: PropertyValue) -> Bool {
        switch form {
        case .null: isOptional || isRelationship && relationship?.isToMany == false
        case .reference: relationship?.isToMany == false
        case .references: false
        default: isAttribute
        }
    }
}

// Creates the snapshots of models to save.
extension ModelContext {
    func insertSnapshot(_ backing: AnyBackingData, _ membership: ContextEntity) throws -> DefaultSnapshot {
        let entity = membership.entity
        try Self.checkComplete(backing, entity)
        let values =
            entity.relationshipProperties.isEmpty
            ? try backing.currentRow(entity) : try entity.storedProperties.map { try savedValue(of: $0, backing) }
        try checkReferences(entity, values, backing)
        return DefaultSnapshot(
            persistentIdentifier: backing.identifier(in: membership), values: values, changed: entity.allSlots)
    }

    func deleteSnapshot(_ backing: AnyBackingData, _ entity: Schema.Entity) -> DefaultSnapshot {
        // The values of a row that does not exist are unknown.
        let row =
            backing.hasRow
            ? backing.row : DataStoreRow(Array(repeating: .null, count: entity.storedProperties.count))
        return DefaultSnapshot(persistentIdentifier: backing.identifier, row: row, changed: PropertySet())
    }

    /// - Returns: The snapshot, or `nil` if the row does not exist and the context drops changes of such models.
    func updateSnapshot(_ backing: AnyBackingData, _ entity: Schema.Entity) throws -> DefaultSnapshot? {
        guard backing.state != .missing, try loadIfNeeded(backing) else {
            if mergePolicy != .error { return nil }
            throw SwiftDataError.modelNotFound.with(
                detail: "another context or program deleted the model; roll back and fetch again",
                persistentIdentifier: backing.identifier)
        }
        var values = backing.row.values
        var changed = PropertySet()
        // Higher slots belong to relationships that are stored as links and not in the row.
        for slot in backing.changed where slot < entity.storedProperties.count {
            let property = entity.storedProperties[slot]
            let value = try savedValue(of: property, backing)
            guard property.isChange(from: values[slot], to: value) else { continue }
            values[slot] = value
            changed.insert(slot)
        }
        try checkReferences(entity, values, backing)
        return DefaultSnapshot(persistentIdentifier: backing.identifier, values: values, changed: changed)
    }

    func droppedSnapshot(_ backing: AnyBackingData, _ entity: Schema.Entity) throws -> DefaultSnapshot {
        var values = Array(repeating: PropertyValue.null, count: entity.storedProperties.count)
        for slot in backing.changed where slot < values.count {
            values[slot] = try backing.currentValue(of: entity.storedProperties[slot])
        }
        return DefaultSnapshot(persistentIdentifier: backing.identifier, values: values, changed: backing.changed)
    }

    private func checkReferences(_ entity: Schema.Entity, _ values: [PropertyValue], _ backing: AnyBackingData) throws {
        guard let property = entity.requiredReferences.first(where: { values[$0.slot].isNull }) else { return }
        throw SwiftDataError.modelValidationFailure.with(
            detail: "the required relationship has no destination; set one and save again", entityName: entity.name,
            propertyName: property.name, persistentIdentifier: backing.identifier)
    }

    /// Null if a relationship references a model that is deleted in this save, or a model without a row that was removed from the
    /// context. The rule *deny* of such a model is applied here, because the context keeps only its identifier.
    private func savedValue(of property: Schema.Property, _ backing: AnyBackingData) throws -> PropertyValue {
        let value = try backing.currentValue(of: property)
        guard case .reference(let identifier) = value else { return value }
        // An unloaded model that is not deleted says nothing about the row.
        if let destination = registeredBacking(identifier), !destination.isUnloaded || !destination.state.isInContext {
            return destination.state.isInContext ? value : .null
        }
        if identifier.isTemporary { return .null }
        guard storage.deletedWithoutRow.contains(identifier) else { return value }
        if let inverse = property.relationship.flatMap(coordinator.schema.inverse),
            inverse.relationship?.deleteRule == .deny
        {
            throw RelationshipCheck.denied(inverse, identifier, referencedBy: backing.identifier)
        }
        return .null
    }

    /// ``AnyBackingData/assignedCount`` does not include attributes that were set after the insert, so a count that is too small
    /// requires a search and is not an error by itself.
    ///
    /// - Parameter properties: The properties to check, or `nil` for all.
    static func checkComplete(
        _ backing: AnyBackingData, _ entity: Schema.Entity, _ properties: [Schema.Property]? = nil
    ) throws {
        guard backing.assignedCount < entity.requiredCount, backing.state.isInserted, let model = backing.model
        else { return }
        let wrappers = SchemaBuilder.wrappers(of: model)
        for property in properties ?? entity.properties where wrappers[property.name]?.isUnset == true {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the attribute has no value; set one and save again", entityName: entity.name,
                propertyName: property.name, persistentIdentifier: backing.identifier)
        }
    }

    func refreshModels(from snapshots: some Collection<some DataStoreSnapshot>, storeIdentifier: String) {
        for snapshot in snapshots {
            guard let known = registeredBacking(snapshot.persistentIdentifier), let entity = known.membership?.entity
            else { continue }
            // The rows are saved, so an error here must not be thrown by the save.
            deferringErrors {
                let schema = coordinator.schema
                let row = try snapshot.row(in: schema).withoutLists(of: entity, in: schema)
                guard known.row != row else { return }
                try refresh(known, row, RowChecker(entity, schema, storeIdentifier: storeIdentifier))
            }
        }
    }
}

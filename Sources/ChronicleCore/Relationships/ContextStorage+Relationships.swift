// Relationship access from getters and setters.
extension ContextStorage {
    func value<Value>(of property: Schema.Property, in backing: AnyBackingData) -> Value {
        guard let managed = managed(property, in: backing) else { return RelationshipShape.placeholder }
        return notifyingObservers { managed.value() }
    }

    func setValue<Value>(_ value: Value, of property: Schema.Property, in backing: AnyBackingData) -> Value? {
        guard let managed = managed(property, in: backing) else { return value }
        notifyingObservers { managed.assign(managed.access.destinations(in: value)) }
        return managed.access.value(of: [], as: Value.self)
    }

    func beginChange<Value>(of property: Schema.Property, in backing: AnyBackingData) -> RelationshipModification<Value>
    {
        guard let managed = managed(property, in: backing) else {
            return RelationshipModification(property: property, list: nil, value: RelationshipShape.placeholder)
        }
        return notifyingObservers { managed.beginChange() }
    }

    func endChange<Value>(_ change: RelationshipModification<Value>, in backing: AnyBackingData) {
        notifyingObservers { managed(change.property, in: backing)?.endChange(change) }
    }

    /// Returns `nil` if the property is not a relationship.
    private func managed(_ property: Schema.Property, in backing: AnyBackingData) -> ManagedRelationship? {
        ManagedRelationship(context, backing, property)
    }
}

// Access from getters and setters, which cannot throw. Errors are recorded for the next fetch or save.
extension ManagedRelationship {
    private var key: ContextFailures.Key {
        ContextFailures.Key(identifier: backing.identifier, propertyName: property.name)
    }

    func value<Value>() -> Value { value(destinationsForGetter()) }

    private func value<Value>(_ destinations: [AnyObject]) -> Value {
        if let value = access.value(of: destinations, as: Value.self) { return value }
        // The relationship is a required to-one relationship, so the getter has to return a model.
        let model = [lastKnownDestination].compactMap { $0 }
        return access.value(of: model, as: Value.self) ?? RelationshipShape.placeholder
    }

    /// Empty if the destinations cannot be loaded.
    func destinationsForGetter() -> [AnyObject] {
        if !context.unverifiedLists.isEmpty { verifyListsForGetter() }
        do {
            let destinations = try destinations()
            if !context.storage.failures.isEmpty { context.storage.failures.resolveRead(key) }
            return destinations
        } catch {
            // A required to-one relationship returns an unloaded model instead, whose getters record the error.
            if relationship.isToMany || relationship.isOptional {
                context.storage.failures.addRead(key, attributed(error))
            }
            return []
        }
    }

    /// Returns the destinations like the getter, but throws an error instead of recording it.
    func modelsForEvaluation() throws -> [any PersistentModel] {
        if !context.unverifiedLists.isEmpty { verifyListsForGetter() }
        do { return try models() } catch { throw attributed(error) }
    }

    /// Pending in-place changes do not matter when the property whose list was changed is read, because it returns that list, or
    /// when the inverse of the model that was appended last is read, because it is already set.
    private func verifyListsForGetter() {
        if relationship.isToMany {
            let list = knownList
            if context.unverifiedLists.allSatisfy({ $0.list === list }), list?.hasPendingRemovals == false { return }
        } else if context.unverifiedLists.count == 1, let model = backing.model,
            context.unverifiedLists[0].list.ends(with: model)
        {
            return
        }
        context.verifyLists()
    }

    /// What a required relationship returns if its destination was deleted or cannot be loaded: the current or the saved
    /// destination, or `nil` if the relationship was never set.
    private var lastKnownDestination: (any PersistentModel)? {
        let identifiers = [backing.reference(property), backing.savedReference(property)].compactMap { $0 }
        for identifier in identifiers {
            guard let known = context.registeredBacking(identifier), let model = known.model else { continue }
            if known.membership?.entity.isKind(of: relationship.destination) == true { return model }
            // An instance of a superclass, which was created for another reference.
            if known.isUnloaded { context.replaceUnloaded(identifier) }
        }
        return identifiers.first.map { context.unloadedModel(for: $0) }
    }

    func assign(_ destinations: [AnyObject]) {
        context.verifyLists()
        attempt { try write(destinations) }
    }

    func beginChange<Value>() -> RelationshipModification<Value> {
        guard relationship.isToMany, access.isArray, backing.state.isInContext else {
            return RelationshipModification(property: property, list: nil, value: value())
        }
        if !context.unverifiedLists.isEmpty {
            let list = knownList
            if list?.hasPendingRemovals != false || !context.unverifiedLists.allSatisfy({ $0.list === list }) {
                context.verifyLists()
            }
        }
        // Loads the list if necessary, so that `knownList` returns it.
        let destinations = destinationsForGetter()
        guard let list = knownList else {
            return RelationshipModification(property: property, list: nil, value: value(destinations))
        }
        let array = list.beginInPlaceChange { isMember($0, of: list) }
        return RelationshipModification(property: property, list: list, value: value(array))
    }

    func endChange<Value>(_ change: RelationshipModification<Value>) {
        let destinations = access.destinations(in: change.value)
        guard let list = change.list else { return assign(destinations) }
        attempt {
            if list === knownList {
                try endInPlaceChange(destinations, list)
            } else if backing.state.isInContext {
                // The list was replaced during the change, for example because a fetch has read a new destination.
                try write(try self.list(), adding: list.endChangeOfReplaced(destinations))
            } else {
                try write(destinations)
            }
        }
    }

    func verifyForGetter(_ list: ToManyList) {
        attempt { try verify(list) }
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            // Usually, there are no recorded errors.
            guard !context.storage.failures.isEmpty else { return try body() }
            // The new value may be based on a value that could not be loaded.
            if context.storage.failures.wasRead(key), let error = context.storage.failures.error(of: key) {
                throw error
            }
            try body()
            context.storage.failures.resolveAssignment(key)
        } catch {
            context.storage.failures.addAssignment(key, attributed(error))
        }
    }

    private func attributed(_ error: any Error) -> any Error {
        guard let error = error as? SwiftDataError, error.entityName == nil else { return error }
        return error.with(
            entityName: backing.membership?.entity.name, propertyName: property.name,
            persistentIdentifier: backing.identifier)
    }
}

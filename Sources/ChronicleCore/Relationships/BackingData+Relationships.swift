// What the wrappers of relationships call.
extension BackingData {
    /// What a relationship reads as.
    ///
    /// - Parameter held: What the wrapper holds, which counts while the model is in no context.
    @usableFromInline
    func relationship<Value>(_ keyPath: AnyKeyPath, held: Value?) -> Value {
        guard let managed = managedRelationship(keyPath) else { return held ?? RelationshipShape.placeholder }
        return managed.value()
    }

    /// Sets a relationship.
    ///
    /// - Returns: What the wrapper holds from now on. From the insert on the context knows the destinations: holding them
    ///   here too would make cycles.
    @usableFromInline
    func setRelationship<Value>(_ keyPath: AnyKeyPath, _ value: Value) -> Value? {
        guard let managed = managedRelationship(keyPath) else { return value }
        managed.assign(managed.property.access.destinations(in: value))
        return managed.property.access.value(leadingTo: [], as: Value.self)
    }

    /// Takes the value of a relationship out to be changed in place, as its only owner.
    ///
    /// - Returns: `nil` while the model is in no context: the wrapper holds the value then.
    @usableFromInline
    func beginChange<Value>(of keyPath: AnyKeyPath) -> RelationshipChange<Value>? {
        managedRelationship(keyPath)?.beginChange(keyPath)
    }

    /// Takes the changed value over.
    @usableFromInline
    func endChange<Value>(_ change: RelationshipChange<Value>) {
        // A model that left its context meanwhile has no relationships.
        managedRelationship(change.keyPath)?.endChange(change)
    }

    /// The relationship at a key path while the model is in a context.
    private func managedRelationship(_ keyPath: AnyKeyPath) -> ManagedRelationship? {
        guard status != .detached, let membership, let property = membership.property(at: keyPath) else { return nil }
        return ManagedRelationship(membership.storage.context, self, property)
    }
}

/// The value of a relationship while the program changes it in place.
@usableFromInline
struct RelationshipChange<Value> {
    let keyPath: AnyKeyPath
    /// The list that lent its array.
    let list: ToManyList?
    @usableFromInline var value: Value
}

// Where nothing can be thrown.
extension ManagedRelationship {
    private var key: ContextFailures.Key {
        ContextFailures.Key(identifier: backing.identifier, propertyName: property.name)
    }

    /// What the property reads as.
    func value<Value>() -> Value { value(destinationsForGetter()) }

    private func value<Value>(_ destinations: [AnyObject]) -> Value {
        if let value = property.access.value(leadingTo: destinations, as: Value.self) { return value }
        // A model has to be returned.
        let model = [lastKnownDestination].compactMap { $0 }
        return property.access.value(leadingTo: model, as: Value.self) ?? RelationshipShape.placeholder
    }

    /// The destinations; none if they cannot be loaded, which the next save reports.
    func destinationsForGetter() -> [AnyObject] {
        if !context.unverifiedLists.isEmpty { settleListsForGetter() }
        do {
            let destinations = try destinations()
            if !context.storage.failures.isEmpty { context.storage.failures.resolveRead(key) }
            return destinations
        } catch {
            // The model that is returned in its place is loaded when it is read.
            if relationship.isToMany || relationship.isOptional { context.storage.failures.addRead(key, named(error)) }
            return []
        }
    }

    /// A list that was changed in place is what its property reads as. The other sides are as the list says when all of
    /// it was compared, or when they are its latest addition.
    private func settleListsForGetter() {
        if relationship.isToMany {
            let list = knownList
            if context.unverifiedLists.allSatisfy({ $0.list === list }), list?.hasGaps == false { return }
        } else if context.unverifiedLists.count == 1, let model = backing.model,
            context.unverifiedLists[0].list.ends(with: model)
        {
            return
        }
        context.settleLists()
    }

    /// What a relationship that is not optional reads as when it leads to nothing, or to what is not loaded: the model
    /// that is, or was, its destination.
    private var lastKnownDestination: (any PersistentModel)? {
        let identifiers = [backing.reference(property), backing.savedReference(property)].compactMap { $0 }
        for identifier in identifiers {
            if let known = context.registeredBacking(identifier)?.model { return known }
        }
        return identifiers.first.map { context.unloadedModel(for: $0) }
    }

    /// Sets the destinations; what keeps it from doing so is reported by the next save.
    func assign(_ destinations: [AnyObject]) {
        context.settleLists()
        attempt { try write(destinations) }
    }

    func beginChange<Value>(_ keyPath: AnyKeyPath) -> RelationshipChange<Value> {
        guard relationship.isToMany, property.access.isArray, backing.status != .deleted else {
            return RelationshipChange(keyPath: keyPath, list: nil, value: value())
        }
        if !context.unverifiedLists.isEmpty {
            let list = knownList
            if list?.hasGaps != false || !context.unverifiedLists.allSatisfy({ $0.list === list }) {
                context.settleLists()
            }
        }
        // Loads the list.
        let destinations = destinationsForGetter()
        guard let list = knownList else {
            return RelationshipChange(keyPath: keyPath, list: nil, value: value(destinations))
        }
        return RelationshipChange(keyPath: keyPath, list: list, value: value(list.lend { isMember($0, of: list) }))
    }

    func endChange<Value>(_ change: RelationshipChange<Value>) {
        let destinations = property.access.destinations(in: change.value)
        guard let list = change.list else { return assign(destinations) }
        attempt {
            if list === knownList {
                try take(destinations, list)
            } else {
                // It was read anew while it was lent.
                try write(destinations)
            }
        }
    }

    /// Compares all of a list that was changed in place.
    func settleForGetter(_ list: ToManyList) {
        attempt { try settle(list) }
    }

    /// Does what cannot throw.
    private func attempt(_ body: () throws -> Void) {
        do {
            // Mostly nothing failed.
            guard !context.storage.failures.isEmpty else { return try body() }
            // The value may have been made from what could not be loaded.
            if context.storage.failures.wasRead(key), let error = context.storage.failures.error(of: key) {
                throw error
            }
            try body()
            context.storage.failures.resolveAssignment(key)
        } catch {
            context.storage.failures.addAssignment(key, named(error))
        }
    }

    /// The error with the relationship that it is about.
    private func named(_ error: any Error) -> any Error {
        guard let error = error as? SwiftDataError, error.entityName == nil else { return error }
        return error.with(
            entityName: backing.membership?.entity.name, propertyName: property.name,
            persistentIdentifier: backing.identifier)
    }
}

// Relationship access for the property wrappers.
extension AnyBackingData {
    /// - Parameter declared: The value that the wrapper holds: the declared one until the property is first set.
    @usableFromInline
    func relationship<Value>(_ keyPath: AnyKeyPath, declared: Value?) -> Value {
        guard let (owner, property) = relationship(keyPath) else {
            let held: HeldDestinations<Value>? = heldDestinations(at: keyPath)
            return held?.value ?? declared ?? RelationshipShape.initialValue
        }
        return owner.value(of: property, in: self)
    }

    /// Reports the read to observers.
    @usableFromInline
    func readRelationship<Value>(_ keyPath: AnyKeyPath, declared: Value?) -> Value {
        guard isAccessTracked() else { return relationship(keyPath, declared: declared) }
        access(keyPath)
        // Reading creates the destination.
        defer { observeDestination(at: keyPath) }
        return relationship(keyPath, declared: declared)
    }

    /// - Returns: The value for the wrapper to hold, which has no destinations.
    @usableFromInline
    func setRelationship<Value>(_ keyPath: AnyKeyPath, _ value: Value) -> Value? {
        guard let (owner, property) = relationship(keyPath) else { return hold(value, at: keyPath) }
        return owner.setValue(value, of: property, in: self)
    }

    /// Moves the value of a relationship out, so that the caller can change it in place as its only owner. Returns `nil` while the
    /// model is not in a context; see ``heldDestinations(at:declared:)``.
    @usableFromInline
    func beginChange<Value>(of keyPath: AnyKeyPath) -> RelationshipModification<Value>? {
        guard let (owner, property) = relationship(keyPath) else { return nil }
        return owner.beginChange(of: property, in: self)
    }

    @usableFromInline
    func endChange<Value>(_ change: RelationshipModification<Value>) {
        // The model may have been removed from its context during the change; it then has no relationships.
        guard state != .detached, let membership else { return }
        membership.owner.endChange(change, in: self)
    }

    /// Returns `nil` if the model is not in a context.
    private func relationship(_ keyPath: AnyKeyPath) -> (owner: any ModelOwner, property: Schema.Property)? {
        guard state != .detached, let membership, let property = membership.property(at: keyPath) else { return nil }
        return (membership.owner, property)
    }
}

// What wrappers ask for. Attributes of direct types say where they stand in the model, others give their key path.
extension BackingData {
    /// The value of an attribute as the row has it, for types that need no codec; `nil` when there is no row.
    ///
    /// - Parameter offset: Where the attribute's wrapper stands in the model.
    @inlinable @inline(never)
    func read<Value>(at offset: Int, as: Value.Type) -> Value? {
        guard hasRow else { return readUnloaded { $0.read(at: offset, as: Value.self) } }
        guard extras == nil, let slot = membership?.slots.slot(at: offset) else {
            return readPending(at: offset, as: Value.self)
        }
        // Every row was checked when it was fetched, so that a wrong value was an error there and not here.
        return row[slot].direct(as: Value.self)
    }

    @usableFromInline
    func readPending<Value>(at offset: Int, as: Value.Type) -> Value? {
        guard let membership else {
            probedOffset = offset
            return nil
        }
        guard let slot = membership.slots.slot(at: offset) else { return nil }
        return (pending[slot] ?? row[slot]).direct(as: Value.self)
    }

    /// Loads the row, and reads the value from it.
    ///
    /// - Returns: Some value of the type when there is no row, or it cannot be loaded; `nil` for a new model.
    @usableFromInline @inline(never)
    func readUnloaded<Value>(_ read: (BackingData) -> Value?) -> Value? {
        guard isUnloaded, let storage = membership?.storage else { return nil }
        storage.context.loadForGetter(self)
        return hasRow ? read(self) : Self.someValue(Value.self)
    }

    private static func someValue<Value>(_: Value.Type) -> Value? {
        PropertyCodecs.codec(Value.self)?.sample() as? Value
    }

    /// Some value of the type, if this is a probe.
    @usableFromInline
    func sample<Value>(_: Value.Type) -> Value? {
        guard hasRow, membership == nil else { return nil }
        return Self.someValue(Value.self)
    }

    /// The value of an attribute as the row has it; `nil` when there is no row, or the property is not stored.
    @usableFromInline
    func read<Value>(_ keyPath: AnyKeyPath, as: Value.Type) -> Value? {
        guard hasRow else { return readUnloaded { $0.read(keyPath, as: Value.self) } }
        guard let membership else { return sample(Value.self) }
        guard let property = membership.property(at: keyPath) else { return nil }
        let slot = property.slot
        if let value = extras?.decoded.removeValue(forKey: slot) { return value as? Value }
        let codec = unsafeDowncast(property.codec.unsafelyUnwrapped, to: PropertyCodec<Value>.self)
        return codec.decode(extras?.pending[slot] ?? row[slot])
    }

    /// Called before an attribute of a model in a context is set.
    @usableFromInline
    func willChange(at offset: Int) {
        guard let slot = membership?.slots.slot(at: offset) else { return changeUnknownAttribute() }
        willChange(slot: slot)
    }

    /// The schema has learned where every stored attribute of a direct type is, so that one elsewhere is ephemeral. If the
    /// class has none, the change cannot be saved, and the next save throws. (Passing the key path here would double the cost
    /// of setting any attribute.)
    private func changeUnknownAttribute() {
        guard let membership, !membership.entity.hasEphemeralAttributes else { return }
        membership.storage.failures.addAssignment(
            ContextFailures.Key(identifier: identifier, propertyName: nil),
            SwiftDataError.modelValidationFailure.with(
                detail: "an attribute was set that is not where the schema found it, and its value cannot be saved",
                entityName: membership.entity.name, persistentIdentifier: identifier))
    }

    /// The same by the property's key path. One that is not stored has nothing to remember.
    @usableFromInline
    func willChange(_ keyPath: AnyKeyPath) {
        guard let slot = membership?.property(at: keyPath)?.slot else { return }
        willChange(slot: slot)
    }

    private func willChange(slot: Int) {
        if let extras {
            extras.decoded[slot] = nil
            extras.pending[slot] = nil
        }
        markChanged(slot)
    }

    func markChanged(_ slot: Int) {
        // A delete that was not saved may be taken back, with what was set meanwhile.
        guard status == .saved || status == .inserted || (status == .deleted && isPending) else { return }
        changed.insert(slot)
        if !isPending { membership?.storage.list(self) }
    }

    /// What the model has for a stored property now, in the form that a store understands.
    func currentValue(of property: Schema.Property) throws -> PropertyValue {
        let slot = property.slot
        if let value = extras?.pending[slot] { return value }
        if hasRow, !changed.contains(slot) { return row[slot] }
        guard property.isAttribute, let model else { return .null }
        if let value = membership?.entity.directAttributes[slot]?.value(in: model) { return value }
        return try property.access.encode(model, property)
    }

    /// The values of all stored properties now.
    func currentRow(_ entity: Schema.Entity) throws -> [PropertyValue] {
        let attributes = entity.directAttributes
        var values: [PropertyValue] = []
        values.reserveCapacity(attributes.count)
        guard let model, extras == nil, !hasRow else {
            for property in entity.storedProperties { values.append(try currentValue(of: property)) }
            return values
        }
        for slot in attributes.indices {
            if let value = attributes[slot]?.value(in: model) {
                values.append(value)
            } else {
                values.append(try currentValue(of: entity.storedProperties[slot]))
            }
        }
        return values
    }

    /// The destination of a to-one relationship.
    func reference(_ property: Schema.Property) -> PersistentIdentifier? {
        let value = extras?.pending[property.slot] ?? (hasRow ? row[property.slot] : .null)
        if case .reference(let identifier) = value { return identifier }
        return nil
    }
}

extension BackingData {
    /// The destination of a to-one relationship in the row.
    func savedReference(_ property: Schema.Property) -> PersistentIdentifier? {
        if hasRow, case .reference(let identifier) = row[property.slot] { identifier } else { nil }
    }
}

// What a context does.
extension BackingData {
    /// Takes a row over and makes every wrapper read it anew.
    func adopt(row: [PropertyValue], decoded: [Int: Any]) {
        self.row = row
        self.decoded = decoded
        hasRow = true
        generation &+= 1
    }

    /// What was written is what the row has from now on. Wrappers keep what they hold: it is the same.
    func keepWritten(_ row: [PropertyValue]) {
        self.row = row
        changed = PropertySet()
        guard let extras else { return }
        extras.pending = [:]
        // Without them, attributes are read from the row at once.
        if extras.lists.isEmpty, extras.decoded.isEmpty { self.extras = nil }
    }

    /// Forgets what was set since the row was read.
    func revert() {
        changed = PropertySet()
        extras = nil
        generation &+= 1
    }
}

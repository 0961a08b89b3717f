// Attribute access for the property wrappers. The wrapper of a direct type passes its offset in the model; other
// wrappers pass the key path of the property.
extension AnyBackingData {
    /// Returns the position of an attribute of a direct type in the packed row, if the value there is the current one and the read
    /// need not be reported. The backing data retains the cells.
    @inlinable @inline(__always)
    final func packedValue(at offset: Int) -> (cells: UnsafeRawPointer, slot: Int)? {
        // Other rows are excluded before the call, which would be repeated for them. The cells are read after it.
        guard hasRow, wrapperValues != .any, extras == nil, row.cells != nil, !isUnobservedAccessTracked(),
            let cells = row.cells, let slot = membership?.slots.slot(at: offset)
        else { return nil }
        return (cells, slot)
    }

    /// Returns `nil` if there is no row.
    @inlinable @inline(never)
    func read<Value>(at offset: Int, as: Value.Type) -> Value? {
        guard hasRow else { return readUnloaded { $0.read(at: offset, as: Value.self) } }
        guard extras == nil, let slot = membership?.slots.slot(at: offset) else {
            return readPending(at: offset, as: Value.self)
        }
        // The fetch validated the row and reported any value of the wrong type.
        return row.direct(slot, as: Value.self)
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

    /// Returns a sample value if the row does not exist or cannot be loaded, or `nil` for a new model.
    @usableFromInline @inline(never)
    func readUnloaded<Value>(_ read: (AnyBackingData) -> Value?) -> Value? {
        guard isUnloaded, let owner = membership?.owner else { return nil }
        owner.loadRow(of: self)
        return hasRow ? read(self) : Self.someValue(Value.self)
    }

    private static func someValue<Value>(_: Value.Type) -> Value? {
        PropertyCodecs.codec(Value.self)?.sample() as? Value
    }

    @usableFromInline
    func sample<Value>(_: Value.Type) -> Value? {
        guard hasRow, membership == nil else { return nil }
        return Self.someValue(Value.self)
    }

    /// Returns `nil` if there is no row or the property is not stored.
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

    @usableFromInline
    func willChange(at offset: Int) {
        guard let slot = membership?.slots.slot(at: offset) else { return changeUnknownAttribute() }
        willChange(slot: slot)
    }

    /// Records an error for the next save, unless the class has ephemeral attributes.
    ///
    /// The schema knows the offset of every stored attribute of a direct type, so an unknown offset belongs to an ephemeral
    /// attribute. Passing the key path instead would double the cost of setting any attribute.
    private func changeUnknownAttribute() {
        guard let membership, !membership.entity.hasEphemeralAttributes else { return }
        membership.owner.rejectChange(of: self)
    }

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
        // Inserting a deleted model again undoes an unsaved delete, and keeps the values that were set in between.
        guard state.recordsEdits else {
            if state == .replaced { membership?.owner.rejectChange(of: self) }
            return
        }
        changed.insert(slot)
        if pendingState != .pending { membership?.owner.markPending(self) }
    }

    func currentValue(of property: Schema.Property) throws -> PropertyValue {
        let slot = property.slot
        if let value = extras?.pending[slot] { return value }
        if hasRow, !changed.contains(slot) { return row[slot] }
        guard let access = property.attributeAccess, let model else { return .null }
        if let value = membership?.entity.directAttributes[slot]?.value(in: model) { return value }
        return try access.encode(model, property)
    }

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

    func reference(_ property: Schema.Property) -> PersistentIdentifier? {
        let value = extras?.pending[property.slot] ?? (hasRow ? row[property.slot] : .null)
        if case .reference(let identifier) = value { return identifier }
        return nil
    }
}

extension AnyBackingData {
    func savedReference(_ property: Schema.Property) -> PersistentIdentifier? {
        if hasRow, case .reference(let identifier) = row[property.slot] { identifier } else { nil }
    }
}

// Changes that the context makes.
extension AnyBackingData {
    func adopt(row: DataStoreRow, decoded: [Int: Any]) {
        self.row = row
        self.decoded = decoded
        hasRow = true
        discardWrapperValues()
    }

    func forgetRow() {
        revert()
        (row, hasRow) = (DataStoreRow([]), false)
    }

    func discardWrapperValues() {
        generation &+= 1
        wrapperValues = .none
    }

    /// Wrappers keep their values, which are equal to the written ones.
    func exchangeWritten(_ written: inout DataStoreRow) {
        swap(&row, &written)
        changed.removeAll()
        guard let extras else { return }
        extras.pending = [:]
        // They may belong to another row that was read after the snapshot was taken.
        extras.decoded = [:]
        // Without extras, attributes are read from the row directly.
        if extras.lists.isEmpty { removeExtras() }
    }

    func revert() {
        changed = PropertySet()
        removeExtras()
        discardWrapperValues()
    }
}

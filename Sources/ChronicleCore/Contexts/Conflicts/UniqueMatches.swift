/// The rows and the inserted models that have the same unique values as other inserted models.
final class UniqueMatches {
    struct Group {
        let row: DefaultSnapshot?
        let base: [PropertyValue]
        fileprivate(set) var values: [PropertyValue]
        /// The indices, in the order of the inserts.
        fileprivate(set) var members: [Int] = []
        /// The identifier of the row, or the temporary identifier of the survivor.
        fileprivate(set) var identifier: PersistentIdentifier
        /// The slots of the unique values by which the row was found.
        fileprivate var key: [Int] = []

        /// The index of the inserted model whose instance represents the row: the one that was inserted last.
        var survivor: Int? { members.last }

        /// For an existing row, the slots that differ are marked as changed. They include the unique values if anything differs, so
        /// that the row still has them if another writer changes them before the save.
        ///
        /// - Parameter targets: The identifiers that replace those of merged models.
        func snapshot(
            _ entity: Schema.Entity?, replacing targets: [PersistentIdentifier: PersistentIdentifier]
        ) -> DefaultSnapshot {
            let values = values.remapped(targets)
            guard let row else {
                return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet(values))
            }
            var changed = PropertySet()
            for slot in values.indices where values[slot] != row.values[slot] {
                guard entity?.storedProperties[slot].isChange(from: row.values[slot], to: values[slot]) != false else {
                    continue
                }
                changed.insert(slot)
            }
            if !changed.isEmpty { for slot in key { changed.insert(slot) } }
            return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: changed)
        }
    }

    private let context: ModelContext
    private let store: any DataStore
    private let inserted: [DefaultSnapshot]
    private let updated: [PersistentIdentifier: DefaultSnapshot]
    private let deleted: Set<PersistentIdentifier>
    private let entities: [Schema.Entity?]
    private let isRestoring: Bool
    private var missing: Set<PersistentIdentifier> = []
    private(set) var groups: [Group] = []
    private var groupOfInserted: [Int?]
    private var groupOfRow: [PersistentIdentifier: Int] = [:]
    /// The owners of unique values for each constraint, by the names of the entities.
    private var owners: [String: [UniqueOwners]] = [:]
    /// The indices of inserted models that a unique value may reference.
    private var positions: [PersistentIdentifier: Int] = [:]

    init(_ context: ModelContext, _ save: StoreSave) {
        self.context = context
        store = save.store
        inserted = save.inserted.snapshots
        updated = Dictionary(
            save.updated.snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
        deleted = Set(save.deleted.snapshots.map(\.persistentIdentifier))
        groupOfInserted = Array(repeating: nil, count: inserted.count)
        let schema = context.coordinator.schema
        var latest: Schema.Entity?
        var isRestoring = false
        entities = inserted.map { snapshot in
            let identifier = snapshot.persistentIdentifier
            if !identifier.isTemporary { isRestoring = true }
            if latest?.name != identifier.entityName { latest = schema.entitiesByName[identifier.entityName] }
            return latest
        }
        self.isRestoring = isRestoring
    }

    func group(of index: Int) -> Group? { groupNumber(of: index).map { groups[$0] } }

    /// A copy of the group would retain its values.
    func groupNumber(of index: Int) -> Int? {
        guard let number = groupOfInserted[index], groups[number].isMerged else { return nil }
        return number
    }

    func isMerged(_ row: PersistentIdentifier) -> Bool { groupOfRow[row].map { groups[$0].isMerged } ?? false }

    var targets: [PersistentIdentifier: PersistentIdentifier] {
        var targets: [PersistentIdentifier: PersistentIdentifier] = [:]
        targets.reserveCapacity(groups.count)
        for number in groups.indices where groups[number].isMerged {
            let identifier = groups[number].identifier
            for member in groups[number].members where inserted[member].persistentIdentifier != identifier {
                targets[inserted[member].persistentIdentifier] = identifier
            }
        }
        return targets
    }

    // MARK: Order

    /// A unique value can be a reference to an inserted model that is merged as well. Such a model is matched after those that it
    /// references.
    ///
    /// - Parameter missing: The identifiers of updated models without a row.
    func find(excluding missing: Set<PersistentIdentifier>) throws {
        self.missing = missing
        let candidates = inserted.indices.filter { entities[$0]?.uniqueProperties.isEmpty == false }
        if context.coordinator.schema.entities.contains(where: \.hasUniqueReferences) {
            for index in candidates { positions[inserted[index].persistentIdentifier] = index }
        }
        var (ready, waiting, dependents) = ([Int](), [Int: Int](), [Int: [Int]]())
        for index in candidates {
            let needed = referencedModels(of: index)
            for other in needed { dependents[other, default: []].append(index) }
            if needed.isEmpty { ready.append(index) } else { waiting[index] = needed.count }
        }
        while !ready.isEmpty || !waiting.isEmpty {
            if ready.isEmpty {
                // Their unique values reference each other.
                (ready, waiting) = (waiting.keys.sorted(), [:])
            }
            try match(ready)
            var next: [Int] = []
            for dependent in ready.flatMap({ dependents.removeValue(forKey: $0) ?? [] }) {
                guard let count = waiting[dependent] else { continue }
                waiting[dependent] = count > 1 ? count - 1 : nil
                if count == 1 { next.append(dependent) }
            }
            ready = next.sorted()
        }
        finish()
    }

    private func referencedModels(of index: Int) -> Set<Int> {
        guard !positions.isEmpty, let entity = entities[index] else { return [] }
        var found: Set<Int> = []
        for property in entity.uniqueProperties.joined() {
            if case .reference(let identifier) = inserted[index].values[property.slot],
                let other = positions[identifier], other != index
            {
                found.insert(other)
            }
        }
        return found
    }

    /// In the order of the inserts.
    private func finish() {
        for number in groups.indices where groups[number].members.count > 1 {
            groups[number].members.sort()
            let members = groups[number].members
            if groups[number].row == nil, let survivor = members.last {
                groups[number].identifier = inserted[survivor].persistentIdentifier
            }
            groups[number].values = members.reduce(groups[number].base) { merged($0, $1) }
        }
    }

    // MARK: Matching

    private func match(_ indices: [Int]) throws {
        let entities = entities
        let kinds = Dictionary(grouping: indices) { entities[$0].map(ObjectIdentifier.init) }
        for entity in context.coordinator.schema.entities {
            guard let members = kinds[ObjectIdentifier(entity)] else { continue }
            // A local value, which is changed in place.
            var owners =
                self.owners.removeValue(forKey: entity.name) ?? entity.uniqueProperties.map { _ in UniqueOwners() }
            var mayRepeat = !positions.isEmpty || entity.uniqueProperties.count > 1
            let keys = try entity.uniqueProperties.enumerated().map { number, properties in
                let known = owners[number].combinations.count
                let keys = uniqueKeys(of: members, properties, &owners[number])
                mayRepeat = mayRepeat || owners[number].combinations.count - known < keys.count
                try lookUp(entity, properties, &owners[number])
                return keys
            }
            let slots = entity.uniqueProperties.map { $0.map(\.slot) }
            for (position, index) in members.enumerated() {
                try add(index, keys, at: position, slots, entity, &owners, mayRepeat: mayRepeat)
            }
            self.owners[entity.name] = owners
        }
    }

    /// See ``key(of:_:)``.
    private func uniqueKeys(of members: [Int], _ properties: [Schema.Property], _ owners: inout UniqueOwners) -> [Int?]
    {
        owners.reserveCapacity(members.count)
        guard positions.isEmpty else {
            return members.map { key(of: resolved($0), properties).map { owners.number(of: $0) } }
        }
        // Without retaining the values of each model, which are no longer in the processor's cache.
        return inserted.withUnsafeBufferPointer { inserted in
            let first = inserted.baseAddress.unsafelyUnwrapped
            return members.map { index in
                (first + index).pointee.values.withUnsafeBufferPointer { key(of: $0, properties) }
                    .map { owners.number(of: $0) }
            }
        }
    }

    /// Returns `nil` if a value is null, because null is not equal to null.
    private func key(of values: [PropertyValue], _ properties: [Schema.Property]) -> [PropertyValue]? {
        values.withUnsafeBufferPointer { key(of: $0, properties) }
    }

    private func key(
        of values: UnsafeBufferPointer<PropertyValue>, _ properties: [Schema.Property]
    ) -> [PropertyValue]? {
        let key = properties.map { values[$0.slot].uniqueForm }
        return key.contains(where: \.isNull) ? nil : key
    }

    /// Contains references to the rows that inserted models are merged into.
    private func resolved(_ index: Int) -> [PropertyValue] {
        guard !positions.isEmpty else { return inserted[index].values }
        return inserted[index].values.map { value in
            guard case .reference(let identifier) = value,
                let group = positions[identifier].flatMap({ groupOfInserted[$0] })
            else { return value }
            return .reference(groups[group].identifier)
        }
    }

    private func lookUp(_ entity: Schema.Entity, _ properties: [Schema.Property], _ owners: inout UniqueOwners) throws {
        let numbers = owners.beginLookup()
        var stored = owners.combinations
        if numbers.count < stored.count || entity.hasUniqueReferences {
            stored = .init(stored[numbers].lazy.filter { !$0.contains(where: \.isTemporary) })
        }
        guard !stored.isEmpty else { return }
        if groups.isEmpty {
            groups.reserveCapacity(stored.count)
            groupOfRow.reserveCapacity(stored.count)
        }
        try context.forEachRow(of: entity, in: store, .values(properties, in: stored)) { identifier, values in
            // An instance cannot represent a row of a subclass, so the conflict remains an error.
            guard identifier.entityName == entity.name else { return }
            guard !deleted.contains(identifier), !missing.contains(identifier) else { return }
            // The store may ignore the lookup.
            if let number = owners.combinations.firstIndex(of: properties.map { values[$0.slot].uniqueForm }),
                numbers.contains(number)
            {
                owners[number] = .group(group(identifier, values))
            }
        }
    }

    private func group(_ identifier: PersistentIdentifier, _ values: [PropertyValue]) -> Int {
        if let known = groupOfRow[identifier] { return known }
        var base = values
        // The row is an instance of this context as well, with other changes.
        if let update = updated[identifier] { for slot in update.changed { base[slot] = update.values[slot] } }
        let row = DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())
        groups.append(Group(row: row, base: base, values: base, identifier: identifier))
        groupOfRow[identifier] = groups.count - 1
        return groups.count - 1
    }

    /// - Parameters:
    ///   - keys: The numbers of the unique values of all models for each constraint; those of the model are at `position`.
    ///   - slots: The slots of the properties of each constraint.
    ///   - mayRepeat: Whether other inserted models may have the same unique values.
    private func add(
        _ index: Int, _ keys: [[Int?]], at position: Int, _ slots: [[Int]], _ entity: Schema.Entity,
        _ owners: inout [UniqueOwners], mayRepeat: Bool
    ) throws {
        var found: (group: Int, number: Int)?
        for number in keys.indices {
            guard let key = keys[number][position], let owner = owners[number][key] else { continue }
            let group = group(of: owner)
            guard has(group, owners[number].combinations[key], slots[number]) else { continue }
            guard found == nil || found?.group == group else {
                throw SwiftDataError.uniquenessViolation.with(
                    detail: "its unique values belong to two different models; change or delete one of them",
                    entityName: entity.name, persistentIdentifier: inserted[index].persistentIdentifier)
            }
            let isRestored = isRestoring && !inserted[index].persistentIdentifier.isTemporary
            let joinsRestored = groups[group].row == nil && !groups[group].identifier.isTemporary
            guard !isRestored, !joinsRestored else {
                throw SwiftDataError.uniquenessViolation.with(
                    detail: "another model has the unique values of the restored one; change them",
                    entityName: entity.name, persistentIdentifier: inserted[index].persistentIdentifier)
            }
            found = (group, number)
        }
        guard let found else {
            guard mayRepeat else { return }
            for number in keys.indices {
                if let key = keys[number][position] { owners[number][key] = .inserted(index) }
            }
            return
        }
        groups[found.group].key = slots[found.number]
        groups[found.group].values = merged(groups[found.group].values, index)
        groups[found.group].members.append(index)
        groupOfInserted[index] = found.group
        for (number, properties) in entity.uniqueProperties.enumerated() where number != found.number {
            guard let key = key(of: groups[found.group].values, properties) else { continue }
            owners[number][owners[number].number(of: key)] = .group(found.group)
        }
    }

    /// Creates a group for an inserted model without one.
    private func group(of owner: UniqueOwners.Owner) -> Int {
        switch owner {
        case .group(let group): return group
        case .inserted(let index):
            if let known = groupOfInserted[index] { return known }
            let values = resolved(index)
            groups.append(
                Group(
                    row: nil, base: values, values: values, members: [index],
                    identifier: inserted[index].persistentIdentifier))
            groupOfInserted[index] = groups.count - 1
            return groups.count - 1
        }
    }

    private func has(_ group: Int, _ key: [PropertyValue], _ slots: [Int]) -> Bool {
        for (slot, value) in zip(slots, key) where groups[group].values[slot].uniqueForm != value { return false }
        return true
    }

    private func merged(_ values: [PropertyValue], _ index: Int) -> [PropertyValue] {
        guard context.mergePolicy == .mergeByPropertyObjectTrump, let entity = entities[index] else { return values }
        var merged = resolved(index)
        // A relationship that was not set keeps its destination.
        for property in entity.relationshipProperties where property.slot >= 0 && merged[property.slot].isNull {
            merged[property.slot] = values[property.slot]
        }
        return merged
    }
}

extension UniqueMatches.Group {
    /// Whether the group is more than a new model with values that no other model has.
    fileprivate var isMerged: Bool { row == nil ? members.count > 1 : !members.isEmpty }
}

extension Schema.Entity {
    fileprivate var hasUniqueReferences: Bool {
        uniqueProperties.joined().contains { $0.relationship != nil }
    }
}

extension PropertyValue {
    fileprivate var isTemporary: Bool {
        if case .reference(let identifier) = self { identifier.isTemporary } else { false }
    }
}

extension PropertySet {
    fileprivate init(_ values: [PropertyValue]) {
        self.init()
        for slot in values.indices { insert(slot) }
    }
}

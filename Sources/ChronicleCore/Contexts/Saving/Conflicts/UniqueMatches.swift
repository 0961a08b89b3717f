/// The rows and the inserted models that have the same unique values as other inserted models.
struct UniqueMatches {
    /// Inserted models that become one row.
    struct Group {
        /// The row in the store, or `nil` if the store has none.
        let row: DefaultSnapshot?
        /// The values before the first of the models is merged.
        let base: [PropertyValue]
        /// The values after all of the models are merged.
        fileprivate(set) var values: [PropertyValue]
        /// The indices of the inserted models, in the order of their inserts.
        fileprivate(set) var members: [Int] = []
        /// The identifier of the row, or the temporary identifier of the survivor.
        fileprivate(set) var identifier: PersistentIdentifier
        /// The slots of the unique values by which the row was found.
        fileprivate var key: [Int] = []

        /// The index of the inserted model whose instance represents the row: the one that was inserted last.
        var survivor: Int? { members.last }

        /// Returns the values to write. For an existing row, the slots that differ are marked as changed.
        ///
        /// They include the unique values if anything differs, so that the row still has them if another writer changes
        /// them before the save.
        ///
        /// - Parameter targets: The identifiers that replace those of merged models.
        func snapshot(replacing targets: [PersistentIdentifier: PersistentIdentifier]) -> DefaultSnapshot {
            let values = values.remapped(targets)
            guard let row else {
                return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet(values))
            }
            var changed = PropertySet()
            for slot in values.indices where values[slot] != row.values[slot] { changed.insert(slot) }
            if !changed.isEmpty { for slot in key { changed.insert(slot) } }
            return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: changed)
        }
    }

    private struct Constraint: Hashable {
        let entityName: String
        let number: Int
    }

    private let context: ModelContext
    private let inserted: [DefaultSnapshot]
    private let updated: [PersistentIdentifier: DefaultSnapshot]
    private let deleted: Set<PersistentIdentifier>
    private var missing: Set<PersistentIdentifier> = []
    private(set) var groups: [Group] = []
    /// The group of each inserted model whose entity has unique values.
    private var groupOfInserted: [Int?]
    private var groupOfRow: [PersistentIdentifier: Int] = [:]
    /// The group that has certain unique values, or had them before other models were merged into it.
    private var owners: [Constraint: [[PropertyValue]: Int]] = [:]
    /// The indices of inserted models that a unique value may reference.
    private var positions: [PersistentIdentifier: Int] = [:]

    init(_ context: ModelContext, _ save: StoreSave) {
        self.context = context
        inserted = save.inserted.snapshots
        updated = Dictionary(
            save.updated.snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
        deleted = Set(save.deleted.snapshots.map(\.persistentIdentifier))
        groupOfInserted = Array(repeating: nil, count: inserted.count)
    }

    /// Returns the group of an inserted model that is merged with a row or with another inserted model.
    func group(of index: Int) -> Group? {
        groupOfInserted[index].map { groups[$0] }.flatMap { $0.isMerged ? $0 : nil }
    }

    /// Returns whether an inserted model is merged into a row.
    func isMerged(_ row: PersistentIdentifier) -> Bool { groupOfRow[row].map { groups[$0].isMerged } ?? false }

    /// The identifiers that replace those of merged models.
    var targets: [PersistentIdentifier: PersistentIdentifier] {
        var targets: [PersistentIdentifier: PersistentIdentifier] = [:]
        for group in groups where group.isMerged {
            for member in group.members where inserted[member].persistentIdentifier != group.identifier {
                targets[inserted[member].persistentIdentifier] = group.identifier
            }
        }
        return targets
    }

    // MARK: Order

    /// Finds the rows and the inserted models with the same unique values.
    ///
    /// A unique value can be a reference to an inserted model that is merged as well. Such a model is matched after those
    /// that it references.
    ///
    /// - Parameter missing: The identifiers of updated models without a row.
    mutating func find(excluding missing: Set<PersistentIdentifier>) throws {
        self.missing = missing
        let candidates = inserted.indices.filter { entity(of: $0)?.uniqueProperties.isEmpty == false }
        if candidates.contains(where: { entity(of: $0)?.hasUniqueReferences == true }) {
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

    private func entity(of index: Int) -> Schema.Entity? {
        context.coordinator.schema.entitiesByName[inserted[index].persistentIdentifier.entityName]
    }

    /// Returns the indices of the inserted models that the unique values of a model reference.
    private func referencedModels(of index: Int) -> Set<Int> {
        guard !positions.isEmpty, let entity = entity(of: index) else { return [] }
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

    /// Merges the models of each group again, in the order of their inserts.
    private mutating func finish() {
        for number in groups.indices where groups[number].isMerged {
            groups[number].members.sort()
            let members = groups[number].members
            if groups[number].row == nil, let survivor = members.last {
                groups[number].identifier = inserted[survivor].persistentIdentifier
            }
            groups[number].values = members.reduce(groups[number].base) { merged($0, $1) }
        }
    }

    // MARK: Matching

    private mutating func match(_ indices: [Int]) throws {
        for (_, members) in Dictionary(
            grouping: indices, by: { inserted[$0].persistentIdentifier.entityName }
        ).sorted(by: { $0.key < $1.key }) {
            guard let first = members.first, let entity = entity(of: first) else { continue }
            let keys = members.map { self.keys(of: resolved($0), entity) }
            for number in entity.uniqueProperties.indices {
                try lookUp(Set(keys.compactMap { $0[number] }), entity, number)
            }
            for (index, keys) in zip(members, keys) { try add(index, keys, entity) }
        }
    }

    /// Returns the unique values of a row for each constraint. Null is not equal to null.
    private func keys(of values: [PropertyValue], _ entity: Schema.Entity) -> [[PropertyValue]?] {
        entity.uniqueProperties.map { properties in
            let key = properties.map { values[$0.slot] }
            return key.contains(where: \.isNull) ? nil : key
        }
    }

    /// Returns the values of an inserted model, with references to the rows that inserted models are merged into.
    private func resolved(_ index: Int) -> [PropertyValue] {
        guard !positions.isEmpty else { return inserted[index].values }
        return inserted[index].values.map { value in
            guard case .reference(let identifier) = value,
                let group = positions[identifier].flatMap({ groupOfInserted[$0] })
            else { return value }
            return .reference(groups[group].identifier)
        }
    }

    /// Finds the rows that have unique values.
    private mutating func lookUp(_ keys: Set<[PropertyValue]>, _ entity: Schema.Entity, _ number: Int) throws {
        let stored = keys.filter { !$0.contains(where: \.isTemporary) }
        guard !stored.isEmpty else { return }
        let properties = entity.uniqueProperties[number]
        let constraint = Constraint(entityName: entity.name, number: number)
        try context.forEachRow(of: entity, .values(properties, in: stored)) { identifier, values in
            guard !deleted.contains(identifier), !missing.contains(identifier) else { return }
            owners[constraint, default: [:]][properties.map { values[$0.slot] }] = group(identifier, values)
        }
    }

    /// Returns the group of a row.
    private mutating func group(_ identifier: PersistentIdentifier, _ values: [PropertyValue]) -> Int {
        if let known = groupOfRow[identifier] { return known }
        var base = values
        // The row is an instance of this context as well, with changes of its own.
        if let update = updated[identifier] { for slot in update.changed { base[slot] = update.values[slot] } }
        let row = DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())
        groups.append(Group(row: row, base: base, values: base, identifier: identifier))
        groupOfRow[identifier] = groups.count - 1
        return groups.count - 1
    }

    /// Adds an inserted model to the group that has its unique values, or to a new group.
    private mutating func add(_ index: Int, _ keys: [[PropertyValue]?], _ entity: Schema.Entity) throws {
        var found: (group: Int, number: Int)?
        for (number, key) in keys.enumerated() {
            guard let key, let owner = owners[Constraint(entityName: entity.name, number: number)]?[key],
                self.keys(of: groups[owner].values, entity)[number] == key
            else { continue }
            guard found == nil || found?.group == owner else {
                throw SwiftDataError.uniquenessViolation.with(
                    detail: "its unique values belong to two different models; change or delete one of them",
                    entityName: entity.name, persistentIdentifier: inserted[index].persistentIdentifier)
            }
            found = (owner, number)
        }
        let group: Int
        if let found {
            group = found.group
            groups[group].key = entity.uniqueProperties[found.number].map(\.slot)
            groups[group].values = merged(groups[group].values, index)
        } else {
            let values = resolved(index)
            groups.append(
                Group(row: nil, base: values, values: values, identifier: inserted[index].persistentIdentifier))
            group = groups.count - 1
        }
        groups[group].members.append(index)
        groupOfInserted[index] = group
        for (number, key) in self.keys(of: groups[group].values, entity).enumerated() {
            if let key { owners[Constraint(entityName: entity.name, number: number), default: [:]][key] = group }
        }
    }

    /// Returns the values of a row after an inserted model was merged into it.
    private func merged(_ values: [PropertyValue], _ index: Int) -> [PropertyValue] {
        guard context.mergePolicy == .mergeByPropertyObjectTrump, let entity = entity(of: index) else { return values }
        var merged = resolved(index)
        // A relationship that was not set keeps its destination.
        for property in entity.relationshipProperties where property.slot >= 0 && merged[property.slot].isNull {
            merged[property.slot] = values[property.slot]
        }
        return merged
    }
}

extension UniqueMatches.Group {
    /// Whether the group is more than a new model with unique values of its own.
    fileprivate var isMerged: Bool { row == nil ? members.count > 1 : !members.isEmpty }
}

extension Schema.Entity {
    /// Whether a uniqueness constraint contains a relationship.
    fileprivate var hasUniqueReferences: Bool {
        uniqueProperties.joined().contains { $0.relationship != nil }
    }
}

extension PropertyValue {
    /// Whether the value is a reference to a model that is not saved.
    fileprivate var isTemporary: Bool {
        if case .reference(let identifier) = self { identifier.isTemporary } else { false }
    }
}

extension PropertySet {
    /// Creates a set of the slots of a row.
    fileprivate init(_ values: [PropertyValue]) {
        self.init()
        for slot in values.indices { insert(slot) }
    }
}

/// The links of a context's models: which came and went since the last save, and the lists that were read.
///
/// They stand here and not with the models: a model that held the models it is linked to would be held by them, and none
/// of them would ever be forgotten. What changed is kept until it is saved, of what was read the latest.
struct ContextLinks {
    /// A model's relationship: one end of links.
    struct End: Hashable {
        let backing: ObjectIdentifier
        let property: ObjectIdentifier

        init(_ backing: BackingData, _ property: Schema.Property) {
            self.backing = ObjectIdentifier(backing)
            self.property = ObjectIdentifier(property)
        }
    }

    /// What is different from the store at one end.
    struct Changes {
        let model: any PersistentModel
        let property: Schema.Property
        /// The place in the order in which ends changed.
        let number: Int
        var added = OrderedModels()
        var removed = OrderedModels()
    }

    /// The destinations of a relationship as they are now.
    private struct List {
        let model: any PersistentModel
        let property: Schema.Property
        var models: [any PersistentModel]
        var members: Set<ObjectIdentifier>
    }

    private var changes: [End: Changes] = [:]
    private var lastChange = 0
    private var lists: [End: List] = [:]
    /// The ends of lists, the oldest at ``oldest``.
    private var latest: [End] = []
    private var oldest = 0
    private static let capacity = 1024

    /// The ends that changed, in the order of their first change.
    var changedEnds: [Changes] { changes.values.sorted { $0.number < $1.number } }

    subscript(changesOf backing: BackingData, _ property: Schema.Property) -> Changes? {
        changes.isEmpty ? nil : changes[End(backing, property)]
    }

    // MARK: Changes

    /// One end leads to a model from now on, or no longer does.
    mutating func set(
        _ isLinked: Bool, _ model: any PersistentModel, of backing: BackingData, _ property: Schema.Property
    ) {
        let end = End(backing, property)
        guard let owner = backing.model else { return }
        if changes[end] == nil {
            lastChange += 1
            changes[end] = Changes(model: owner, property: property, number: lastChange)
        }
        if isLinked {
            if changes[end]?.removed.remove(model) == false { changes[end]?.added.insert(model) }
        } else {
            if changes[end]?.added.remove(model) == false { changes[end]?.removed.insert(model) }
        }
        setListed(isLinked, model, at: end)
    }

    /// The model leaves the context: nothing leads to it or from it.
    mutating func forget(_ backing: BackingData) {
        guard !changes.isEmpty, let model = backing.model else { return }
        changes = changes.filter { $0.value.model !== model }
        for end in changes.keys {
            _ = changes[end]?.added.remove(model)
            _ = changes[end]?.removed.remove(model)
        }
        forgetLists()
    }

    /// What some ends changed is saved.
    mutating func removeChanges(where isSaved: (Changes) -> Bool) {
        if !changes.isEmpty { changes = changes.filter { !isSaved($0.value) } }
    }

    // MARK: Lists

    func list(of backing: BackingData, _ property: Schema.Property) -> [any PersistentModel]? {
        lists.isEmpty ? nil : lists[End(backing, property)]?.models
    }

    mutating func keep(
        _ models: [any PersistentModel], of backing: BackingData, _ property: Schema.Property
    ) {
        guard let model = backing.model else { return }
        let end = End(backing, property)
        let members = Set(models.map { ObjectIdentifier($0) })
        if lists.updateValue(List(model: model, property: property, models: models, members: members), forKey: end)
            == nil
        {
            keep(end)
        }
    }

    private mutating func keep(_ end: End) {
        if latest.count < Self.capacity {
            latest.append(end)
        } else {
            lists[latest[oldest]] = nil
            latest[oldest] = end
            oldest = (oldest + 1) % Self.capacity
        }
    }

    private mutating func setListed(_ isLinked: Bool, _ model: any PersistentModel, at end: End) {
        guard lists[end] != nil else { return }
        if isLinked {
            if lists[end]?.members.insert(ObjectIdentifier(model)).inserted == true { lists[end]?.models.append(model) }
        } else if lists[end]?.members.remove(ObjectIdentifier(model)) != nil {
            lists[end]?.models.removeAll { $0 === model }
        }
    }

    /// Forgets the lists on the other side that say something else than one that was just read: another context changed
    /// the links since.
    mutating func forgetLists(
        of inverse: Schema.Property, contradicting backing: BackingData, _ property: Schema.Property
    ) {
        guard let model = backing.model, let members = lists[End(backing, property)]?.members else { return }
        let outdated = lists.filter { _, list in
            list.property === inverse
                && list.members.contains(ObjectIdentifier(model)) != members.contains(ObjectIdentifier(list.model))
        }
        for end in outdated.keys { lists[end] = nil }
    }

    mutating func forgetLists(of backing: BackingData, _ entity: Schema.Entity) {
        guard !lists.isEmpty else { return }
        for property in entity.relationships { lists[End(backing, property)] = nil }
    }

    mutating func forgetList(of backing: BackingData, _ property: Schema.Property) {
        lists[End(backing, property)] = nil
    }

    /// Forgets what was read; it is read again when it is asked for.
    mutating func forgetLists() {
        guard !lists.isEmpty else { return }
        (lists, latest, oldest) = ([:], [], 0)
    }
}

/// Models in the order in which they came, each once. Adding and removing take constant time.
struct OrderedModels {
    private var members: [ObjectIdentifier: (number: Int, model: any PersistentModel)] = [:]
    private var last = 0

    var isEmpty: Bool { members.isEmpty }

    var models: [any PersistentModel] {
        members.values.sorted { $0.number < $1.number }.map(\.model)
    }

    func contains(_ model: any PersistentModel) -> Bool { members[ObjectIdentifier(model)] != nil }

    mutating func insert(_ model: any PersistentModel) {
        guard members[ObjectIdentifier(model)] == nil else { return }
        last += 1
        members[ObjectIdentifier(model)] = (last, model)
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ model: any PersistentModel) -> Bool {
        members.removeValue(forKey: ObjectIdentifier(model)) != nil
    }
}

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
        var models: [any PersistentModel]
        var members: Set<ObjectIdentifier>
    }

    private var changes: [End: Changes] = [:]
    private var lastChange = 0
    /// By the property and the model.
    private var lists: [ObjectIdentifier: [ObjectIdentifier: List]] = [:]
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
        lists.isEmpty ? nil : lists[ObjectIdentifier(property)]?[ObjectIdentifier(backing)]?.models
    }

    /// Whether a list that was read has a model.
    func isListed(_ model: any PersistentModel, of backing: BackingData, _ property: Schema.Property) -> Bool {
        lists[ObjectIdentifier(property)]?[ObjectIdentifier(backing)]?.members.contains(ObjectIdentifier(model)) == true
    }

    mutating func keep(_ models: [any PersistentModel], of backing: BackingData, _ property: Schema.Property) {
        guard let model = backing.model else { return }
        let end = End(backing, property)
        let list = List(model: model, models: models, members: Set(models.map { ObjectIdentifier($0) }))
        if lists[end.property, default: [:]].updateValue(list, forKey: end.backing) == nil { keep(end) }
    }

    private mutating func keep(_ end: End) {
        if latest.count < Self.capacity {
            latest.append(end)
        } else {
            let oldest = latest[oldest]
            lists[oldest.property]?[oldest.backing] = nil
            latest[self.oldest] = end
            self.oldest = (self.oldest + 1) % Self.capacity
        }
    }

    private mutating func setListed(_ isLinked: Bool, _ model: any PersistentModel, at end: End) {
        guard var list = lists[end.property]?.removeValue(forKey: end.backing) else { return }
        if isLinked {
            if list.members.insert(ObjectIdentifier(model)).inserted { list.models.append(model) }
        } else if list.members.remove(ObjectIdentifier(model)) != nil {
            list.models.removeAll { $0 === model }
        }
        lists[end.property]?[end.backing] = list
    }

    /// What a model's list has to have, and must not have, because lists of the other side were read that say so. Another
    /// context may have changed the links since; both sides agree all the same until one of them is fetched.
    func known(
        of inverse: Schema.Property, about model: any PersistentModel
    ) -> (members: [any PersistentModel], others: Set<ObjectIdentifier>) {
        var (members, others): ([any PersistentModel], Set<ObjectIdentifier>) = ([], [])
        for list in (lists[ObjectIdentifier(inverse)] ?? [:]).values {
            if list.members.contains(ObjectIdentifier(model)) {
                members.append(list.model)
            } else {
                others.insert(ObjectIdentifier(list.model))
            }
        }
        return (members, others)
    }

    /// Forgets the lists of some properties: the models of one side are brought up to date.
    mutating func forgetLists(of properties: [Schema.Property]) {
        guard !lists.isEmpty else { return }
        for property in properties { lists[ObjectIdentifier(property)] = nil }
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

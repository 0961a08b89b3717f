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
        let models: ToManyList
    }

    private var changes: [End: Changes] = [:]
    /// The ends whose changes mention a model.
    private var mentions: [ObjectIdentifier: Set<End>] = [:]
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
        mentions[ObjectIdentifier(model), default: []].insert(end)
        setListed(isLinked, model, at: end)
    }

    /// The model leaves the context: nothing leads to it or from it.
    mutating func forget(_ backing: BackingData) {
        guard !changes.isEmpty, let model = backing.model, let entity = backing.membership?.entity else { return }
        for property in entity.relationshipProperties { changes[End(backing, property)] = nil }
        for end in mentions.removeValue(forKey: ObjectIdentifier(model)) ?? [] {
            _ = changes[end]?.added.remove(model)
            _ = changes[end]?.removed.remove(model)
        }
        forgetLists()
    }

    /// What some ends changed is saved.
    mutating func removeChanges(where isSaved: (Changes) -> Bool) {
        guard !changes.isEmpty else { return }
        changes = changes.filter { !isSaved($0.value) }
        if changes.isEmpty { mentions = [:] }
    }

    // MARK: Lists

    func list(of backing: BackingData, _ property: Schema.Property) -> ToManyList? {
        lists.isEmpty ? nil : lists[ObjectIdentifier(property)]?[ObjectIdentifier(backing)]?.models
    }

    mutating func keep(_ models: [AnyObject], of backing: BackingData, _ property: Schema.Property) -> ToManyList {
        let list = ToManyList(models, isLinked: true)
        guard let model = backing.model else { return list }
        let end = End(backing, property)
        let known = lists[end.property, default: [:]].updateValue(
            List(model: model, models: list), forKey: end.backing)
        if known == nil { keep(end) }
        return list
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

    private func setListed(_ isLinked: Bool, _ model: any PersistentModel, at end: End) {
        guard let list = lists[end.property]?[end.backing]?.models, list.setMember(isLinked, model) else { return }
        if isLinked {
            list.append(model)
        } else {
            list.remove(model)
        }
    }

    /// What a model's list has to have, and must not have, because lists of the other side were read that say so. Another
    /// context may have changed the links since; both sides agree all the same until one of them is fetched.
    func known(
        of inverse: Schema.Property, about model: any PersistentModel
    ) -> (members: [AnyObject], others: Set<ObjectIdentifier>) {
        var (members, others): ([AnyObject], Set<ObjectIdentifier>) = ([], [])
        for list in (lists[ObjectIdentifier(inverse)] ?? [:]).values {
            if list.models.members?.contains(ObjectIdentifier(model)) == true {
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

    func contains(_ model: AnyObject) -> Bool { members[ObjectIdentifier(model)] != nil }

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

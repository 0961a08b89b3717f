/// The links between the models of a context: their unsaved changes, and the lists that were read.
///
/// The context stores the links, because models that retained each other would never be released. It keeps changes
/// until they are saved, but only the lists that were read most recently.
struct ContextLinks {
    /// A relationship of one model, which is one end of a set of links.
    struct End: Hashable {
        let backing: ObjectIdentifier
        let property: ObjectIdentifier

        init(_ backing: AnyBackingData, _ property: Schema.Property) {
            self.backing = ObjectIdentifier(backing)
            self.property = ObjectIdentifier(property)
        }
    }

    /// The unsaved changes at one end.
    struct Changes {
        let model: any PersistentModel
        let property: Schema.Property
        /// The position of this end in the order of first changes.
        let number: Int
        var added = OrderedModels()
        var removed = OrderedModels()
    }

    /// The current destinations of a relationship.
    private struct List {
        let model: any PersistentModel
        let property: Schema.Property
        let models: ToManyList

        var isObserved: Bool { model.persistentBackingData.isObserved }
    }

    private var changes: [End: Changes] = [:]
    /// The ends whose changes contain a model.
    private var endsByModel: [ObjectIdentifier: Set<End>] = [:]
    private var lastChange = 0
    /// The lists by property and model.
    private var lists: [ObjectIdentifier: [ObjectIdentifier: List]] = [:]
    /// A ring buffer of the ends whose lists are kept. When it is full, the oldest end is at ``oldest``.
    private var latest: [End] = []
    private var oldest = 0
    private static let capacity = 1024

    /// The ends with unsaved changes, in the order of their first change.
    var changedEnds: [Changes] { changes.isEmpty ? [] : changes.values.sorted { $0.number < $1.number } }

    subscript(changesOf backing: AnyBackingData, _ property: Schema.Property) -> Changes? {
        changes.isEmpty ? nil : changes[End(backing, property)]
    }

    // MARK: Changes

    /// Records that a model was added to or removed from an end.
    mutating func set(
        _ isLinked: Bool, _ model: any PersistentModel, of backing: AnyBackingData, _ property: Schema.Property
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
        endsByModel[ObjectIdentifier(model), default: []].insert(end)
        setListed(isLinked, model, at: end)
    }

    /// Removes all links from and to a model that leaves the context.
    mutating func forget(_ backing: AnyBackingData) {
        guard !changes.isEmpty, let model = backing.model, let entity = backing.membership?.entity else { return }
        for property in entity.relationshipProperties { changes[End(backing, property)] = nil }
        for end in endsByModel.removeValue(forKey: ObjectIdentifier(model)) ?? [] {
            _ = changes[end]?.added.remove(model)
            _ = changes[end]?.removed.remove(model)
        }
        forgetLists()
    }

    /// Removes changes that were saved.
    mutating func removeChanges(where isSaved: (Changes) -> Bool) {
        guard !changes.isEmpty else { return }
        changes = changes.filter { !isSaved($0.value) }
        if changes.isEmpty { endsByModel = [:] }
    }

    // MARK: Lists

    func list(of backing: AnyBackingData, _ property: Schema.Property) -> ToManyList? {
        lists.isEmpty ? nil : lists[ObjectIdentifier(property)]?[ObjectIdentifier(backing)]?.models
    }

    mutating func keep(_ models: [AnyObject], of backing: AnyBackingData, _ property: Schema.Property) -> ToManyList {
        let list = ToManyList(models, isLinked: true)
        guard let model = backing.model else { return list }
        let end = End(backing, property)
        let known = lists[end.property, default: [:]].updateValue(
            List(model: model, property: property, models: list), forKey: end.backing)
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

    /// Returns the models that the list of `model` must contain and those that it must not, according to the lists of
    /// the inverse relationship that were read.
    ///
    /// This keeps both sides consistent until one of them is fetched again, even if another context has changed the
    /// links.
    ///
    /// - Parameters:
    ///   - inverse: The inverse of the relationship whose list is read.
    ///   - model: The model whose list is read.
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

    /// Discards the lists of the given properties, so that they are read again.
    mutating func forgetLists(of properties: [Schema.Property]) {
        guard !lists.isEmpty else { return }
        for property in properties {
            guard let discarded = lists.removeValue(forKey: ObjectIdentifier(property)) else { continue }
            for list in discarded.values where list.isObserved { keepDiscarded(list) }
        }
    }

    /// Discards all lists, so that they are read again.
    ///
    /// - Parameter deleted: A model that leaves the lists; `nil` if any list may change.
    mutating func forgetLists(deleting deleted: AnyObject? = nil) {
        guard !lists.isEmpty else { return }
        for list in lists.values.lazy.flatMap(\.values) where list.isObserved {
            if let deleted, list.models.members?.contains(ObjectIdentifier(deleted)) != true {
                keepDiscarded(list)
            } else {
                list.model.persistentBackingData.didChange(list.property)
            }
        }
        (lists, latest, oldest) = ([:], [], 0)
    }

    private func keepDiscarded(_ list: List) {
        list.model.persistentBackingData.keepDiscarded(list.models, of: list.property)
    }
}

/// A set of models in insertion order. Inserting or removing a model takes constant time.
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

    /// Removes a model.
    ///
    /// - Returns: Whether the set contained the model.
    mutating func remove(_ model: any PersistentModel) -> Bool {
        members.removeValue(forKey: ObjectIdentifier(model)) != nil
    }
}

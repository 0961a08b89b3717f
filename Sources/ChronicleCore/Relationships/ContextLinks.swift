/// The links between the models of a context: their unsaved changes, and the lists that were read.
///
/// The context stores the links, because models that retained each other would never be released. It keeps changes until they are
/// saved, but only the lists that were read most recently.
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

    /// The links that the program added or removed at one end since the last save.
    struct Changes {
        private struct Link {
            let model: any PersistentModel
            let number: Int
            var isWanted: Bool
            /// As far as the context has read it.
            var isStored: Bool
        }

        let model: any PersistentModel
        let property: Schema.Property
        let number: Int
        private var links: [ObjectIdentifier: Link] = [:]
        private var last = 0

        init(model: any PersistentModel, property: Schema.Property, number: Int) {
            (self.model, self.property, self.number) = (model, property, number)
        }

        var added: [any PersistentModel] { models { $0.isWanted && !$0.isStored } }
        var removed: [any PersistentModel] { models { !$0.isWanted && $0.isStored } }
        var isChanged: Bool { links.values.contains { $0.isWanted != $0.isStored } }
        /// The models that the program linked, even if the store has the links by now.
        var wanted: [any PersistentModel] { models(where: \.isWanted) }

        /// The links of models that a delete rule discarded, which can still return after an error of another store; `nil` without
        /// such links.
        fileprivate var ofDiscarded: Changes? {
            func isDiscarded(_ model: any PersistentModel) -> Bool { model.persistentBackingData.state == .discarded }
            if isDiscarded(model) { return self }
            var kept = self
            kept.links = links.filter { isDiscarded($0.value.model) }
            return kept.links.isEmpty ? nil : kept
        }

        private func models(where isIncluded: (Link) -> Bool) -> [any PersistentModel] {
            links.values.filter(isIncluded).sorted { $0.number < $1.number }.map(\.model)
        }

        fileprivate func isAdded(_ model: AnyObject) -> Bool {
            links[ObjectIdentifier(model)].map { $0.isWanted && !$0.isStored } ?? false
        }

        fileprivate func isChanged(_ model: AnyObject) -> Bool {
            links[ObjectIdentifier(model)].map { $0.isWanted != $0.isStored } ?? false
        }

        func isUnwanted(_ model: AnyObject) -> Bool { links[ObjectIdentifier(model)]?.isWanted == false }

        /// The first change shows whether the store has the link. A change back to what the store has is none.
        fileprivate mutating func want(_ isWanted: Bool, _ model: any PersistentModel) {
            let key = ObjectIdentifier(model)
            if let known = links[key] {
                if known.isStored == isWanted { links[key] = nil } else { links[key]?.isWanted = isWanted }
            } else {
                last += 1
                links[key] = Link(model: model, number: last, isWanted: isWanted, isStored: !isWanted)
            }
        }

        fileprivate mutating func removeStored(_ model: any PersistentModel) {
            let key = ObjectIdentifier(model)
            last += 1
            links[key] = Link(
                model: model, number: links[key]?.number ?? last, isWanted: false, isStored: true)
        }

        fileprivate mutating func setStored(_ isStored: Bool, _ model: AnyObject) {
            links[ObjectIdentifier(model)]?.isStored = isStored
        }

        /// Returns the models whose links were changed by the program, and whether the store has them.
        fileprivate mutating func setStored(
            _ stored: Set<ObjectIdentifier>
        ) -> [(model: any PersistentModel, isStored: Bool)] {
            for key in links.keys { links[key]?.isStored = stored.contains(key) }
            return links.values.map { ($0.model, $0.isStored) }
        }

        fileprivate mutating func remove(_ model: AnyObject) { links[ObjectIdentifier(model)] = nil }
    }

    private struct List {
        let model: any PersistentModel
        let property: Schema.Property
        let models: ToManyList

        var isObserved: Bool { model.persistentBackingData.isObserved }
    }

    private var changes: [End: Changes] = [:]
    private var endsByModel: [ObjectIdentifier: Set<End>] = [:]
    private var lastChange = 0
    private var lists: [ObjectIdentifier: [ObjectIdentifier: List]] = [:]
    /// A ring buffer of the ends whose lists are kept. When it is full, the oldest end is at ``oldest``.
    private var latest: [End] = []
    private var oldest = 0
    private static let capacity = 1024

    /// In the order of the first change.
    var changedEnds: [Changes] { changes.isEmpty ? [] : changes.values.sorted { $0.number < $1.number } }

    subscript(changesOf backing: AnyBackingData, _ property: Schema.Property) -> Changes? {
        changes.isEmpty ? nil : changes[End(backing, property)]
    }

    // MARK: Changes

    var addedModels: [any PersistentModel] { changes.values.flatMap(\.added) }

    func isAdded(_ backing: AnyBackingData) -> Bool {
        guard !changes.isEmpty, let model = backing.model else { return false }
        return endsByModel[ObjectIdentifier(model)]?.contains { changes[$0]?.isAdded(model) == true } ?? false
    }

    func isChanged(_ backing: AnyBackingData) -> Bool {
        guard !changes.isEmpty, let model = backing.model else { return false }
        return endsByModel[ObjectIdentifier(model)]?.contains { changes[$0]?.isChanged(model) == true } ?? false
    }

    mutating func set(
        _ isLinked: Bool, _ model: any PersistentModel, of backing: AnyBackingData, _ property: Schema.Property
    ) {
        let end = End(backing, property)
        guard let owner = backing.model else { return }
        if changes[end] == nil {
            lastChange += 1
            changes[end] = Changes(model: owner, property: property, number: lastChange)
        }
        changes[end]?.want(isLinked, model)
        endsByModel[ObjectIdentifier(model), default: []].insert(end)
        setListed(isLinked, model, at: end)
    }

    mutating func removeStored(_ model: any PersistentModel, of backing: AnyBackingData, _ property: Schema.Property) {
        let end = End(backing, property)
        guard let owner = backing.model else { return }
        if changes[end] == nil {
            lastChange += 1
            changes[end] = Changes(model: owner, property: property, number: lastChange)
        }
        changes[end]?.removeStored(model)
        endsByModel[ObjectIdentifier(model), default: []].insert(end)
    }

    /// What the program wants is kept.
    ///
    /// - Parameter inverse: The property at the other ends.
    mutating func setStored(
        _ stored: [AnyObject], of backing: AnyBackingData, _ property: Schema.Property, inverse: Schema.Property?
    ) {
        guard !changes.isEmpty, let model = backing.model,
            let known = changes[End(backing, property)]?.setStored(Set(stored.map { ObjectIdentifier($0) }))
        else { return }
        guard let inverse else { return }
        for link in known {
            changes[End(link.model.persistentBackingData, inverse)]?.setStored(link.isStored, model)
        }
    }

    mutating func forget(_ backing: AnyBackingData) {
        guard !changes.isEmpty, let model = backing.model, let entity = backing.membership?.entity else { return }
        for property in entity.relationshipProperties { changes[End(backing, property)] = nil }
        for end in endsByModel.removeValue(forKey: ObjectIdentifier(model)) ?? [] {
            changes[end]?.remove(model)
        }
        forgetLists()
    }

    mutating func removeChanges(where isSaved: (Changes) -> Bool) {
        guard !changes.isEmpty else { return }
        changes = changes.compactMapValues { isSaved($0) ? $0.ofDiscarded : $0 }
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

    /// Returns the models that the list of `model` must contain and those that it must not, according to the lists of the inverse
    /// relationship that were read. This keeps both sides consistent until one of them is fetched again, even if another context
    /// has changed the links.
    ///
    /// - Parameter inverse: The inverse of the relationship whose list is read.
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

    mutating func forgetLists(of properties: [Schema.Property]) {
        guard !lists.isEmpty else { return }
        var forgotten: Set<ObjectIdentifier> = []
        for property in properties {
            guard let discarded = lists.removeValue(forKey: ObjectIdentifier(property)) else { continue }
            forgotten.insert(ObjectIdentifier(property))
            for list in discarded.values where list.isObserved { keepDiscarded(list) }
        }
        guard !forgotten.isEmpty else { return }
        latest = (latest[oldest...] + latest[..<oldest]).filter { !forgotten.contains($0.property) }
        oldest = 0
    }

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

/// The destinations of a to-many relationship that were read, in the order of the property's value.
///
/// Appending and removing a model takes constant time from either side: a removal from the inverse side is only recorded until the
/// next read.
///
/// A property is changed in place (`trip.items.append(item)`): the program receives the array as its only owner, so that nothing is
/// copied. The change is then determined by comparing the array with the baseline, the destinations that both sides agreed on
/// before. If the array has grown or shrunk at its end, only the end is compared immediately; the rest is compared before other
/// code depends on it, see ``ModelContext/verifyLists()``.
final class ToManyList {
    /// The value of the property; empty while the program changes it in place. Arrays of class instances have the same layout for
    /// every class, so this is the property's own array.
    private var models: [AnyObject]
    /// The destinations that both sides agreed on, in a separate array. Used from the first change in place on.
    private var baseline: [AnyObject] = []
    private var hasBaseline = false
    private var isInUse = false
    /// Models that the inverse side may have removed and that are still in the arrays.
    private var removedModels: Set<ObjectIdentifier> = []
    private(set) var isVerified = true
    /// The destinations of a relationship that is stored as links; `nil` for others, whose destinations store the reference.
    private(set) var members: Set<ObjectIdentifier>?

    struct Change {
        var removed: [AnyObject] = []
        var added: [AnyObject] = []
    }

    init(_ models: [AnyObject], isLinked: Bool = false) {
        self.models = models
        if isLinked { members = Set(models.map { ObjectIdentifier($0) }) }
    }

    var hasPendingRemovals: Bool { !removedModels.isEmpty }

    // MARK: Reading

    /// - Parameter isMember: Returns whether a model is currently a destination.
    func read(where isMember: (AnyObject) -> Bool) -> [AnyObject] {
        applyPendingRemovals(isMember)
        return isInUse ? baseline : models
    }

    private func applyPendingRemovals(_ isMember: (AnyObject) -> Bool) {
        guard !removedModels.isEmpty else { return }
        let removed = removedModels
        removedModels = []
        if isInUse {
            baseline = Self.remaining(baseline, removed, isMember)
        } else {
            models = Self.remaining(models, removed, isMember)
            if hasBaseline { baseline = models.map { $0 } }
        }
    }

    /// Omits the removed models. A model that was removed and added again occurs twice; its last position counts.
    private static func remaining(
        _ models: [AnyObject], _ removed: Set<ObjectIdentifier>, _ isMember: (AnyObject) -> Bool
    ) -> [AnyObject] {
        if let only = removed.first, removed.count == 1 { return remaining(models, only, isMember) }
        var kept: Set<ObjectIdentifier> = []
        var remaining: [AnyObject] = []
        for model in models.reversed() {
            let identifier = ObjectIdentifier(model)
            if !removed.contains(identifier) || isMember(model) && kept.insert(identifier).inserted {
                remaining.append(model)
            }
        }
        remaining.reverse()
        return remaining
    }

    /// Does not hash the other models, because a program may read the list after every removal.
    private static func remaining(
        _ models: [AnyObject], _ removed: ObjectIdentifier, _ isMember: (AnyObject) -> Bool
    ) -> [AnyObject] {
        let places = models.withAddresses { addresses in
            addresses.indices.filter { addresses[$0] == UInt(bitPattern: removed) }
        }
        var remaining = models
        guard let last = places.last else { return remaining }
        for place in isMember(models[last]) ? places.dropLast().reversed() : places.reversed() {
            remaining.remove(at: place)
        }
        return remaining
    }

    // MARK: Changes of the other side

    /// The list must not contain the model yet.
    func append(_ model: AnyObject) {
        if !isInUse { models.append(model) }
        if hasBaseline { baseline.append(model) }
    }

    ///  The model stays in the arrays until they are read.
    func remove(_ model: AnyObject) {
        removedModels.insert(ObjectIdentifier(model))
    }

    /// For a relationship that is stored as links.
    ///
    /// - Returns: Whether this changed the members.
    @discardableResult
    func setMember(_ isMember: Bool, _ model: AnyObject) -> Bool {
        if isMember { return members?.insert(ObjectIdentifier(model)).inserted == true }
        return members?.remove(ObjectIdentifier(model)) != nil
    }

    // MARK: Changes of the program

    func beginInPlaceChange(where isMember: (AnyObject) -> Bool) -> [AnyObject] {
        applyPendingRemovals(isMember)
        if !hasBaseline {
            baseline = models.map { $0 }
            hasBaseline = true
        }
        // During a nested change, a copy is returned.
        guard !isInUse else { return baseline }
        isInUse = true
        defer { models = [] }
        return models
    }

    func endInPlaceChange(_ changed: [AnyObject], where isMember: (AnyObject) -> Bool) -> Change {
        // Models that were removed during the change and are still in the array are added again.
        applyPendingRemovals(isMember)
        isInUse = false
        models = changed
        return changeAtEnd(isMember) ?? change(where: isMember)
    }

    /// Returns what the program has changed in an array, if another list has replaced this one meanwhile.
    func endChangeOfReplaced(_ changed: [AnyObject]) -> Change {
        let known = Set(baseline.map { ObjectIdentifier($0) })
        removedModels = []
        isInUse = false
        models = changed
        return change { known.contains(ObjectIdentifier($0)) }
    }

    func assign(_ assigned: [AnyObject], where isMember: (AnyObject) -> Bool) -> Change {
        applyPendingRemovals(isMember)
        if !hasBaseline { baseline = models }
        models = assigned
        let change = change(where: isMember)
        if !hasBaseline { baseline = [] }
        return change
    }

    /// Returns `nil` unless the array before its end appears to be unchanged.
    private func changeAtEnd(_ isMember: (AnyObject) -> Bool) -> Change? {
        let common = min(baseline.count, models.count)
        guard baseline.count != models.count,
            common == 0 || baseline[0] === models[0] && baseline[common - 1] === models[common - 1]
        else { return nil }
        var change = Change()
        if models.count > common {
            change.added = Self.distinct(Array(models[common...])) { !isMember($0) }
            // Another model may have replaced one that was added again.
            guard change.added.count == models.count - common else { return nil }
            baseline.append(contentsOf: change.added)
        } else {
            change.removed = Array(baseline[common...])
            baseline.removeSubrange(common...)
        }
        isVerified = isVerified && common <= 2
        return change
    }

    /// Compares all of the list.
    func change(where isMember: (AnyObject) -> Bool) -> Change {
        isVerified = true
        let (start, end) = models.withAddresses { new in
            baseline.withAddresses { old in
                let start = new.commonPrefix(with: old)
                return (start, new.commonSuffix(with: old, atMost: min(new.count, old.count) - start))
            }
        }
        let (oldRange, newRange) = (start..<baseline.count - end, start..<models.count - end)
        guard !oldRange.isEmpty || !newRange.isEmpty else { return Change() }
        let (old, new) = (Array(baseline[oldRange]), Array(models[newRange]))
        let (oldMembers, newMembers) = (Set(old.map { ObjectIdentifier($0) }), Set(new.map { ObjectIdentifier($0) }))
        // A model that is already in the unchanged part of the list is not added again.
        let kept = Self.distinct(new) { oldMembers.contains(ObjectIdentifier($0)) || !isMember($0) }
        let change = Change(
            removed: old.filter { !newMembers.contains(ObjectIdentifier($0)) },
            added: kept.filter { !oldMembers.contains(ObjectIdentifier($0)) })
        if kept.count < newRange.count { models.replaceSubrange(newRange, with: kept) }
        if hasBaseline { baseline.replaceSubrange(oldRange, with: kept) }
        return change
    }

    private static func distinct(_ models: [AnyObject], where isIncluded: (AnyObject) -> Bool) -> [AnyObject] {
        if models.count == 1 { return models.filter(isIncluded) }
        var seen: Set<ObjectIdentifier> = []
        return models.filter { isIncluded($0) && seen.insert(ObjectIdentifier($0)).inserted }
    }

    func revert(_ change: Change) {
        let added = Set(change.added.map { ObjectIdentifier($0) })
        baseline.removeAll { added.contains(ObjectIdentifier($0)) }
        baseline += change.removed
        models = baseline.map { $0 }
        isVerified = true
    }

    func commonPrefix(with other: [AnyObject]) -> Int {
        models.withAddresses { models in other.withAddresses { other in models.commonPrefix(with: other) } }
    }

    /// Omits those that the inverse side may have removed.
    var knownIdentifiers: Set<PersistentIdentifier> {
        var identifiers: Set<PersistentIdentifier> = []
        for model in isInUse ? baseline : models where !removedModels.contains(ObjectIdentifier(model)) {
            if let model = model as? any PersistentModel { identifiers.insert(model.persistentModelID) }
        }
        return identifiers
    }

    func ends(with model: AnyObject) -> Bool { models.last === model }
}

extension [AnyObject] {
    /// The comparison of addresses needs no reference counting.
    fileprivate func withAddresses<Result>(_ body: (UnsafeBufferPointer<UInt>) -> Result) -> Result {
        withUnsafeBufferPointer { objects in
            objects.withMemoryRebound(to: UInt.self) { body($0) }
        }
    }
}

extension UnsafeBufferPointer<UInt> {
    fileprivate func commonPrefix(with other: Self) -> Int {
        let most = Swift.min(count, other.count)
        var length = 0
        while length < most, self[length] == other[length] { length += 1 }
        return length
    }

    fileprivate func commonSuffix(with other: Self, atMost most: Int) -> Int {
        var length = 0
        while length < most, self[count - 1 - length] == other[other.count - 1 - length] { length += 1 }
        return length
    }
}

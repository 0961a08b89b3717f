/// The destinations of a to-many relationship that were read, in the order in which the property has them.
///
/// The program changes a list through its property, and the other sides change it when they are set. Adding a model
/// takes constant time from either side, as does removing it from the other side; the next read closes the gaps.
///
/// A property is changed in place (`trip.items.append(item)`): the array is lent to the program, which is then its only
/// owner, so that nothing is copied. What the program did to it follows from a comparison with the destinations that
/// both sides agreed on before. Of an array that has grown or shrunk at its end, only the end is compared at once; the
/// rest is compared before anything depends on it, see ``ModelContext/settleLists()``.
final class ToManyList {
    /// What the property reads as; empty while it is lent. Arrays of class instances have one layout whatever their
    /// class, so that this is the property's own array.
    private var models: [AnyObject]
    /// The destinations that both sides agreed on, in an array of its own; from the first change in place on.
    private var agreed: [AnyObject] = []
    private var hasAgreed = false
    private var isLent = false
    /// Models that may have left from the other side, and are still in the arrays.
    private var departures: Set<ObjectIdentifier> = []
    /// Whether all of the array is known to be what both sides agree on.
    private(set) var isVerified = true
    /// The destinations of a relationship that is kept as links; of others the destinations themselves tell.
    private(set) var members: Set<ObjectIdentifier>?

    /// What a program did to the list.
    struct Change {
        var removed: [AnyObject] = []
        var added: [AnyObject] = []
    }

    init(_ models: [AnyObject], isLinked: Bool = false) {
        self.models = models
        if isLinked { members = Set(models.map { ObjectIdentifier($0) }) }
    }

    var hasGaps: Bool { !departures.isEmpty }

    // MARK: Reading

    /// The destinations.
    ///
    /// - Parameter isMember: Whether a model is a destination now.
    func read(where isMember: (AnyObject) -> Bool) -> [AnyObject] {
        closeGaps(isMember)
        return isLent ? agreed : models
    }

    private func closeGaps(_ isMember: (AnyObject) -> Bool) {
        guard !departures.isEmpty else { return }
        let departed = departures
        departures = []
        if isLent {
            agreed = Self.remaining(agreed, departed, isMember)
        } else {
            models = Self.remaining(models, departed, isMember)
            if hasAgreed { agreed = models.map { $0 } }
        }
    }

    /// A model that left and came back is in the array twice: it counts where it came last.
    private static func remaining(
        _ models: [AnyObject], _ departed: Set<ObjectIdentifier>, _ isMember: (AnyObject) -> Bool
    ) -> [AnyObject] {
        if let only = departed.first, departed.count == 1 { return remaining(models, only, isMember) }
        var kept: Set<ObjectIdentifier> = []
        var remaining: [AnyObject] = []
        for model in models.reversed() {
            let identifier = ObjectIdentifier(model)
            if !departed.contains(identifier) || isMember(model) && kept.insert(identifier).inserted {
                remaining.append(model)
            }
        }
        remaining.reverse()
        return remaining
    }

    /// The same for one model, without hashing the others: a program may read the list after each model that leaves.
    private static func remaining(
        _ models: [AnyObject], _ departed: ObjectIdentifier, _ isMember: (AnyObject) -> Bool
    ) -> [AnyObject] {
        let places = models.withAddresses { addresses in
            addresses.indices.filter { addresses[$0] == UInt(bitPattern: departed) }
        }
        var remaining = models
        guard let last = places.last else { return remaining }
        for place in isMember(models[last]) ? places.dropLast().reversed() : places.reversed() {
            remaining.remove(at: place)
        }
        return remaining
    }

    // MARK: Changes of the other side

    /// A destination that the list does not have yet.
    func append(_ model: AnyObject) {
        if !isLent { models.append(model) }
        if hasAgreed { agreed.append(model) }
    }

    /// A destination leaves. The model stays in the arrays until they are read.
    func remove(_ model: AnyObject) {
        departures.insert(ObjectIdentifier(model))
    }

    /// Remembers that a model is, or is not, among the destinations of a relationship that is kept as links.
    ///
    /// - Returns: Whether that is news.
    @discardableResult
    func setMember(_ isMember: Bool, _ model: AnyObject) -> Bool {
        if isMember { return members?.insert(ObjectIdentifier(model)).inserted == true }
        return members?.remove(ObjectIdentifier(model)) != nil
    }

    // MARK: Changes of the program

    /// Hands over the array to be changed in place.
    func lend(where isMember: (AnyObject) -> Bool) -> [AnyObject] {
        closeGaps(isMember)
        if !hasAgreed {
            agreed = models.map { $0 }
            hasAgreed = true
        }
        // While it is lent already, a copy has to do.
        guard !isLent else { return agreed }
        isLent = true
        defer { models = [] }
        return models
    }

    /// Takes over what became of the array, or another one that was assigned.
    ///
    /// - Returns: What the program changed.
    func take(_ changed: [AnyObject], where isMember: (AnyObject) -> Bool) -> Change {
        // What left meanwhile, and is in the array all the same, is added again.
        closeGaps(isMember)
        isLent = false
        models = changed
        return changeAtEnd(isMember) ?? change(where: isMember)
    }

    /// Takes over an array that was assigned.
    func assign(_ assigned: [AnyObject], where isMember: (AnyObject) -> Bool) -> Change {
        closeGaps(isMember)
        if !hasAgreed { agreed = models }
        models = assigned
        let change = change(where: isMember)
        if !hasAgreed { agreed = [] }
        return change
    }

    /// What was added or removed at the end, if the models before it seem to be those of before.
    private func changeAtEnd(_ isMember: (AnyObject) -> Bool) -> Change? {
        let common = min(agreed.count, models.count)
        guard agreed.count != models.count,
            common == 0 || agreed[0] === models[0] && agreed[common - 1] === models[common - 1]
        else { return nil }
        var change = Change()
        if models.count > common {
            change.added = Self.distinct(Array(models[common...])) { !isMember($0) }
            if change.added.count < models.count - common { models.replaceSubrange(common..., with: change.added) }
            agreed.append(contentsOf: change.added)
        } else {
            change.removed = Array(agreed[common...])
            agreed.removeSubrange(common...)
        }
        isVerified = isVerified && common <= 2
        return change
    }

    /// What the program changed, by comparing all of the list.
    func change(where isMember: (AnyObject) -> Bool) -> Change {
        isVerified = true
        let (start, end) = models.withAddresses { new in
            agreed.withAddresses { old in
                let start = new.commonPrefix(with: old)
                return (start, new.commonSuffix(with: old, atMost: min(new.count, old.count) - start))
            }
        }
        let (oldRange, newRange) = (start..<agreed.count - end, start..<models.count - end)
        guard !oldRange.isEmpty || !newRange.isEmpty else { return Change() }
        let (old, new) = (Array(agreed[oldRange]), Array(models[newRange]))
        let (oldMembers, newMembers) = (Set(old.map { ObjectIdentifier($0) }), Set(new.map { ObjectIdentifier($0) }))
        // A destination outside of the part that changed is not added to it once more.
        let kept = Self.distinct(new) { oldMembers.contains(ObjectIdentifier($0)) || !isMember($0) }
        let change = Change(
            removed: old.filter { !newMembers.contains(ObjectIdentifier($0)) },
            added: kept.filter { !oldMembers.contains(ObjectIdentifier($0)) })
        if kept.count < newRange.count { models.replaceSubrange(newRange, with: kept) }
        if hasAgreed { agreed.replaceSubrange(oldRange, with: kept) }
        return change
    }

    private static func distinct(_ models: [AnyObject], where isIncluded: (AnyObject) -> Bool) -> [AnyObject] {
        if models.count == 1 { return models.filter(isIncluded) }
        var seen: Set<ObjectIdentifier> = []
        return models.filter { isIncluded($0) && seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Takes a change back that could not be carried out.
    func revert(_ change: Change) {
        let added = Set(change.added.map { ObjectIdentifier($0) })
        agreed.removeAll { added.contains(ObjectIdentifier($0)) }
        agreed += change.removed
        models = agreed.map { $0 }
        isVerified = true
    }

    /// How many models at the beginning are those of the list.
    func commonPrefix(with other: [AnyObject]) -> Int {
        models.withAddresses { models in other.withAddresses { other in models.commonPrefix(with: other) } }
    }

    /// Whether the last destination is this one.
    func ends(with model: AnyObject) -> Bool { models.last === model }
}

extension [AnyObject] {
    /// The addresses of the objects: comparing these counts no references.
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

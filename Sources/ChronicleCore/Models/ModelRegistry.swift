/// The models of a context that are in memory, by identifier. The registry does not retain them.
///
/// The registry is a hash table that is optimized for rows: finding or adding a key costs a multiplication and usually
/// one comparison, where a dictionary would hash the key twice. Collisions are resolved by linear probing; removing an
/// entry moves later entries to close the gap.
///
/// The registry is a separate object so that a model can remove itself in its deinitializer even after the context was
/// released.
final class ModelRegistry {
    private struct Entry {
        let key: UInt64
        let backing: Unmanaged<AnyBackingData>
    }

    /// The buckets. Their number is a power of two and at least ``groupSize``.
    private var buckets: UnsafeMutableBufferPointer<Entry?>
    private(set) var count = 0
    private static let groupSize = 8

    init() {
        buckets = .allocate(capacity: Self.groupSize)
        buckets.initialize(repeating: nil)
    }

    deinit { buckets.deallocate() }

    // MARK: Buckets

    /// Returns a key that is unique among the rows of an entity and rarely equals a key of another entity.
    private static func key(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> UInt64 {
        UInt64(bitPattern: number) &+ UInt64(bitPattern: Int64(origin.hash))
    }

    /// Returns the first bucket for a key.
    ///
    /// Eight consecutive keys share a group of adjacent buckets, because rows are usually fetched in order. Multiplying
    /// by the golden ratio distributes the groups, so that keys at regular distances do not collide.
    private func bucket(_ key: UInt64) -> Int {
        let groups = UInt64(buckets.count / Self.groupSize)
        let group = ((key >> 3) &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: groups).high
        return Int(truncatingIfNeeded: group) &* Self.groupSize &+ Int(truncatingIfNeeded: key & 7)
    }

    private func next(_ bucket: Int) -> Int { (bucket &+ 1) & (buckets.count &- 1) }

    /// Returns the bucket that contains an identifier, or the bucket to add it to.
    private func find(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> (bucket: Int, backing: AnyBackingData?)
    {
        let key = Self.key(origin, number)
        var bucket = bucket(key)
        while let entry = buckets[bucket] {
            if entry.key == key {
                let backing = entry.backing.takeUnretainedValue()
                if backing.number == number, let other = backing.origin, other === origin || other.isEqual(origin) {
                    return (bucket, backing)
                }
            }
            bucket = next(bucket)
        }
        return (bucket, nil)
    }

    // MARK: Models

    /// Returns the backing data of the model with this identifier, or `nil` if the model is not in memory.
    subscript(identifier: PersistentIdentifier) -> AnyBackingData? {
        find(identifier.origin, identifier.number).backing
    }

    /// Returns the first identifier whose model is in memory.
    func first(of identifiers: [PersistentIdentifier]) -> PersistentIdentifier? {
        if count == 0 { return nil }
        return identifiers.first { identifier in
            // The first bucket is usually empty, so this avoids most searches.
            buckets[bucket(Self.key(identifier.origin, identifier.number))] != nil && self[identifier] != nil
        }
    }

    /// Adds a model under its identifier and replaces any other model with that identifier.
    func add(_ backing: AnyBackingData, _ identifier: PersistentIdentifier) {
        reserve(1)
        let (bucket, known) = find(identifier.origin, identifier.number)
        if known == nil { count += 1 }
        buckets[bucket] = Entry(
            key: Self.key(identifier.origin, identifier.number), backing: .passUnretained(backing))
    }

    /// Removes a model, unless another one replaced it.
    func remove(_ backing: AnyBackingData) {
        guard let origin = backing.origin else { return }
        var gap = bucket(Self.key(origin, backing.number))
        // Comparing objects is faster than comparing their identifiers.
        let sought = Unmanaged.passUnretained(backing).toOpaque()
        while true {
            guard let entry = buckets[gap] else { return }
            if entry.backing.toOpaque() == sought { break }
            gap = next(gap)
        }
        count -= 1
        var bucket = next(gap)
        while let entry = buckets[bucket] {
            // Moves an entry if the search for it begins at the gap or before it.
            let distance = (bucket &- self.bucket(entry.key)) & (buckets.count &- 1)
            if distance >= (bucket &- gap) & (buckets.count &- 1) {
                buckets[gap] = entry
                gap = bucket
            }
            bucket = next(bucket)
        }
        buckets[gap] = nil
    }

    /// Calls a closure for each model in memory.
    func forEach(_ body: (AnyBackingData) -> Void) {
        // Retains all backing data: `body` may release models, which removes them from the table.
        let known = buckets.compactMap { $0?.backing.takeUnretainedValue() }
        for backing in known { body(backing) }
    }

    /// Reserves space for additional models.
    func reserve(_ more: Int) {
        // At most three of five buckets are in use.
        let needed = (count + more) / 3 * 5 + Self.groupSize
        guard needed > buckets.count else { return }
        let old = buckets
        buckets = .allocate(capacity: 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount))
        buckets.initialize(repeating: nil)
        for case let entry? in old {
            var bucket = bucket(entry.key)
            while buckets[bucket] != nil { bucket = next(bucket) }
            buckets[bucket] = entry
        }
        old.deallocate()
    }
}

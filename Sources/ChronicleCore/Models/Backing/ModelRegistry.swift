/// The models of a context that are in memory, by identifier. The registry does not retain them.
///
/// The hash table is optimized for rows: finding or adding a key costs a multiplication and usually one comparison. Collisions are
/// resolved by linear probing; removing an entry moves later entries to close the gap. It is a separate object so that a model can
/// remove itself in its deinitializer even after the context was released.
final class ModelRegistry {
    private struct Entry {
        let key: UInt64
        let backing: Unmanaged<AnyBackingData>
    }

    /// The buckets. Their number is a power of two and at least ``groupSize``.
    @exclusivity(unchecked) private var buckets: UnsafeMutableBufferPointer<Entry?>
    @exclusivity(unchecked) private(set) var count = 0
    /// The number of models from which on there are too few buckets.
    @exclusivity(unchecked) private var limit: Int
    /// Counts the changes, which invalidate a ``Search``.
    @exclusivity(unchecked) private var version: UInt32 = 0
    private static let groupSize = 32

    struct Search {
        let isFound: Bool
        fileprivate let bucket: Int
        fileprivate let version: UInt32
    }

    init() {
        buckets = .allocate(capacity: Self.groupSize)
        buckets.initialize(repeating: nil)
        limit = Self.limit(Self.groupSize)
    }

    deinit { buckets.deallocate() }

    /// Three of five buckets are in use.
    private static func limit(_ bucketCount: Int) -> Int { bucketCount / 5 * 3 }

    // MARK: Buckets

    /// The key is unique among the rows of an entity and rarely equals a key of another entity.
    @inline(__always)
    private static func key(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> UInt64 {
        UInt64(bitPattern: number) &+ UInt64(bitPattern: Int64(origin.hash))
    }

    /// Consecutive keys share a group of adjacent buckets, because rows are usually fetched in order. Multiplying by the golden
    /// ratio distributes the groups and changes the order within each of them, so that keys at regular distances do not collide.
    @inline(__always)
    private func bucket(_ key: UInt64) -> Int {
        let groups = UInt64(buckets.count / Self.groupSize)
        let hash = (key / UInt64(Self.groupSize)) &* 0x9E37_79B9_7F4A_7C15
        let group = hash.multipliedFullWidth(by: groups).high
        let position = (key ^ (hash >> 24)) & UInt64(Self.groupSize - 1)
        return Int(truncatingIfNeeded: group) &* Self.groupSize &+ Int(truncatingIfNeeded: position)
    }

    @inline(__always)
    private func next(_ bucket: Int) -> Int { (bucket &+ 1) & (buckets.count &- 1) }

    @inline(__always)
    private func find(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> (bucket: Int, isFound: Bool) {
        let key = Self.key(origin, number)
        var bucket = bucket(key)
        while let entry = buckets[bucket] {
            if entry.key == key {
                let backing = entry.backing.takeUnretainedValue()
                if backing.number == number, let other = backing.origin, other === origin || other.isEqual(origin) {
                    return (bucket, true)
                }
            }
            bucket = next(bucket)
        }
        return (bucket, false)
    }

    // MARK: Models

    subscript(identifier: PersistentIdentifier) -> AnyBackingData? {
        let (bucket, isFound) = find(identifier.origin, identifier.number)
        return isFound ? buckets[bucket]?.backing.takeUnretainedValue() : nil
    }

    @inline(__always)
    func search(_ identifier: PersistentIdentifier) -> Search {
        let (bucket, isFound) = find(identifier.origin, identifier.number)
        return Search(isFound: isFound, bucket: bucket, version: version)
    }

    func first(of identifiers: [PersistentIdentifier]) -> PersistentIdentifier? {
        if count == 0 { return nil }
        return identifiers.first { identifier in
            // The first bucket is usually empty, so this avoids most searches.
            buckets[bucket(Self.key(identifier.origin, identifier.number))] != nil && self[identifier] != nil
        }
    }

    /// - Parameter search: The result of a search for the identifier, which is repeated only if the registry has changed since.
    func add(_ backing: AnyBackingData, _ identifier: PersistentIdentifier, _ search: Search? = nil) {
        if count >= limit { reserve(1) }
        let bucket: Int
        let isKnown: Bool
        if let search, search.version == version {
            (bucket, isKnown) = (search.bucket, search.isFound)
        } else {
            (bucket, isKnown) = find(identifier.origin, identifier.number)
        }
        if !isKnown { count += 1 }
        version &+= 1
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
        version &+= 1
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

    func forEach(_ body: (AnyBackingData) -> Void) {
        // Retains all backing data: `body` may release models, which removes them from the table.
        let known = buckets.compactMap { $0?.backing.takeUnretainedValue() }
        for backing in known { body(backing) }
    }

    func reserve(_ more: Int) {
        guard count + more > limit else { return }
        var size = buckets.count
        while Self.limit(size) < count + more { size *= 2 }
        let old = buckets
        buckets = .allocate(capacity: size)
        buckets.initialize(repeating: nil)
        limit = Self.limit(size)
        version &+= 1
        for case let entry? in old {
            var bucket = bucket(entry.key)
            while buckets[bucket] != nil { bucket = next(bucket) }
            buckets[bucket] = entry
        }
        old.deallocate()
    }
}

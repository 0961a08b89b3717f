/// The models of a context that are alive, by identifier; none of them is kept alive by it.
///
/// A hash table made for rows: looking up a key and adding it is a multiplication and, mostly, one comparison, where a
/// dictionary would hash the key twice. Collisions go to the next place (linear probing); removing closes the gap.
///
/// It is an object of its own so that models, which leave it when they go, need not ask whether the context is still
/// there.
final class ModelRegistry {
    private struct Entry {
        let key: UInt64
        let backing: Unmanaged<BackingData>
    }

    /// The number of places is a power of two, and at least ``groupSize``.
    private var places: UnsafeMutableBufferPointer<Entry?>
    private(set) var count = 0
    private static let groupSize = 8

    init() {
        places = .allocate(capacity: Self.groupSize)
        places.initialize(repeating: nil)
    }

    deinit { places.deallocate() }

    // MARK: Places

    /// Different for all rows of an entity, and likely different for those of two.
    private static func key(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> UInt64 {
        UInt64(bitPattern: number) &+ UInt64(bitPattern: Int64(origin.hash))
    }

    /// Keys that follow each other stand together, eight at a time, as rows that are fetched one after the other do.
    /// The groups are spread by the golden ratio, so that keys at regular distances do not meet.
    private func place(_ key: UInt64) -> Int {
        let groups = UInt64(places.count / Self.groupSize)
        let group = ((key >> 3) &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: groups).high
        return Int(truncatingIfNeeded: group) &* Self.groupSize &+ Int(truncatingIfNeeded: key & 7)
    }

    private func next(_ place: Int) -> Int { (place &+ 1) & (places.count &- 1) }

    /// Where the identifier is, or where it would be added.
    private func find(_ origin: PersistentIdentifier.Origin, _ number: Int64) -> (place: Int, backing: BackingData?) {
        let key = Self.key(origin, number)
        var place = place(key)
        while let entry = places[place] {
            if entry.key == key {
                let backing = entry.backing.takeUnretainedValue()
                if backing.number == number, let other = backing.origin, other === origin || other.isEqual(origin) {
                    return (place, backing)
                }
            }
            place = next(place)
        }
        return (place, nil)
    }

    // MARK: Models

    /// What a context knows of the model with this identifier, if it is alive.
    subscript(identifier: PersistentIdentifier) -> BackingData? {
        find(identifier.origin, identifier.number).backing
    }

    /// The first of some identifiers that a model is alive under.
    func first(of identifiers: [PersistentIdentifier]) -> PersistentIdentifier? {
        if count == 0 { return nil }
        return identifiers.first { identifier in
            // Mostly the place is empty.
            places[place(Self.key(identifier.origin, identifier.number))] != nil && self[identifier] != nil
        }
    }

    /// Adds a model under its identifier, in place of another that had it.
    func add(_ backing: BackingData, _ identifier: PersistentIdentifier) {
        reserve(1)
        let (place, known) = find(identifier.origin, identifier.number)
        if known == nil { count += 1 }
        places[place] = Entry(
            key: Self.key(identifier.origin, identifier.number), backing: .passUnretained(backing))
    }

    /// Removes a model, unless another took its place.
    func remove(_ backing: BackingData) {
        guard let origin = backing.origin else { return }
        var gap = place(Self.key(origin, backing.number))
        // By the object, which says as much as its identifier.
        let sought = Unmanaged.passUnretained(backing).toOpaque()
        while true {
            guard let entry = places[gap] else { return }
            if entry.backing.toOpaque() == sought { break }
            gap = next(gap)
        }
        count -= 1
        var place = next(gap)
        while let entry = places[place] {
            // Whoever would be looked for at the gap, or before it, moves there.
            let distance = (place &- self.place(entry.key)) & (places.count &- 1)
            if distance >= (place &- gap) & (places.count &- 1) {
                places[gap] = entry
                gap = place
            }
            place = next(place)
        }
        places[gap] = nil
    }

    func forEach(_ body: (BackingData) -> Void) {
        // Held until the end: what `body` does may end models, which then leave the table.
        let known = places.compactMap { $0?.backing.takeUnretainedValue() }
        for backing in known { body(backing) }
    }

    /// Makes room for more models.
    func reserve(_ more: Int) {
        // At most three of five places are taken.
        let needed = (count + more) / 3 * 5 + Self.groupSize
        guard needed > places.count else { return }
        let old = places
        places = .allocate(capacity: 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount))
        places.initialize(repeating: nil)
        for case let entry? in old {
            var place = place(entry.key)
            while places[place] != nil { place = next(place) }
            places[place] = entry
        }
        old.deallocate()
    }
}

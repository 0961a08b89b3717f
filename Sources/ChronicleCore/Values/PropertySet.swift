/// A set of stored properties by their ``Schema/Property/slot``: the properties that a snapshot changes.
@frozen
public struct PropertySet: Hashable, Sendable, Codable {
    @usableFromInline var low: UInt64 = 0
    /// Slots from 64 on, 64 a word; without trailing zero words, so that equal sets are equal.
    @usableFromInline var high: [UInt64] = []

    @inlinable
    public init() {}

    @inlinable
    public var isEmpty: Bool { low == 0 && high.isEmpty }

    /// The number of properties in the set.
    public var count: Int {
        high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
    }

    @inlinable
    public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    @inlinable
    public mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 << UInt64(slot)
        } else {
            let word = slot / 64 - 1
            while high.count <= word { high.append(0) }
            high[word] |= 1 << UInt64(slot % 64)
        }
    }

    @inlinable
    public mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < high.count {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
            while high.last == 0 { high.removeLast() }
        }
    }
}

extension PropertySet: Sequence {
    /// Iterates over the slots in ascending order.
    public struct Iterator: IteratorProtocol {
        var rest: UInt64
        var word = 0
        let high: [UInt64]

        public mutating func next() -> Int? {
            while rest == 0 {
                guard word < high.count else { return nil }
                rest = high[word]
                word += 1
            }
            let bit = rest.trailingZeroBitCount
            rest &= rest - 1
            return word * 64 + bit
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(rest: low, high: high)
    }
}

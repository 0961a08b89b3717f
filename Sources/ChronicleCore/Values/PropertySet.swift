/// A set of stored properties, identified by their ``Schema/Property/slot``, such as those that a save changes.
@frozen
public struct PropertySet: Hashable, Sendable, Codable {
    @usableFromInline var low: UInt64 = 0
    /// The slots from 64 on, 64 in each word. There are no trailing zero words, so that equal sets are equal.
    @usableFromInline var high: [UInt64] = []

    /// Creates an empty set.
    @inlinable
    public init() {}

    /// Whether the set is empty.
    @inlinable
    public var isEmpty: Bool { low == 0 && high.isEmpty }

    /// The number of properties in the set.
    ///
    /// - Complexity: O(*n*), where *n* is the largest slot divided by 64.
    public var count: Int {
        high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
    }

    /// Returns whether the set contains a property.
    ///
    /// - Parameter slot: The slot of the property.
    /// - Returns: `true` if the set contains the slot.
    @inlinable
    public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    /// Inserts a property.
    ///
    /// - Parameter slot: The slot of the property, 0 or greater.
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

    /// Removes a property.
    ///
    /// - Parameter slot: The slot of the property. A slot that is not in the set is ignored.
    @inlinable
    public mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
        } else if slot / 64 - 1 < high.count {
            high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
            while high.last == 0 { high.removeLast() }
        }
    }

    mutating func removeAll() {
        low = 0
        if !high.isEmpty { high = [] }
    }
}

extension PropertySet: Sequence {
    /// An iterator over the slots in ascending order.
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

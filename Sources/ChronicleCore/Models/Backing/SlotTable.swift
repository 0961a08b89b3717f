@usableFromInline
struct SlotTable: Sendable {
    /// The slots by offset in units of four bytes, to which every wrapper is aligned; -1 where no wrapper begins.
    @usableFromInline let slots: [Int16]

    init(_ properties: [Schema.Property]) {
        let offsets = properties.compactMap(\.offset)
        var slots = Array(repeating: Int16(-1), count: (offsets.max() ?? -4) / 4 + 1)
        for property in properties {
            if let offset = property.offset { slots[offset / 4] = Int16(property.slot) }
        }
        self.slots = slots
    }

    @inlinable @inline(__always)
    func slot(at offset: Int) -> Int? {
        let index = offset &>> 2
        guard index >= 0, index < slots.count else { return nil }
        let slot = Int(slots[index])
        return slot < 0 ? nil : slot
    }
}

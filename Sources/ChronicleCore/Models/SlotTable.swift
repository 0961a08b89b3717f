/// The slot of an attribute by where its wrapper stands in the model.
@usableFromInline
struct SlotTable: Sendable {
    /// By offset in words of four bytes, which every wrapper is aligned to; -1 where none begins.
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
        let place = offset &>> 2
        guard place >= 0, place < slots.count else { return nil }
        let slot = Int(slots[place])
        return slot < 0 ? nil : slot
    }
}

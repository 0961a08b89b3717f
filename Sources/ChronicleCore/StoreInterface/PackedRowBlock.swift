/// The memory of packed rows, which is released with the last of them.
@usableFromInline
final class PackedRowBlock {
    let memory: UnsafeMutableRawPointer
    let size: Int
    /// The origins of the references in the rows, at most ``PackedRow/Tag/originLimit``.
    let origins: [PersistentIdentifier.Origin]
    /// The values that are not packed, if the block contains a single row.
    @exclusivity(unchecked) private(set) var objects: [PropertyValue] = []

    init(size: Int, origins: [PersistentIdentifier.Origin]) {
        memory = .allocate(byteCount: size, alignment: MemoryLayout<UInt64>.alignment)
        self.size = size
        self.origins = origins
    }

    var end: UnsafeMutableRawPointer { memory + size }

    deinit { memory.deallocate() }

    func add(_ value: PropertyValue) -> Int {
        objects.append(value)
        return objects.count - 1
    }
}

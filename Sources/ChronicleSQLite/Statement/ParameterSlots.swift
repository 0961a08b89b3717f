/// Memory of a statement's own for short texts and blobs, one slot for each of its parameters.
///
/// SQLite copies what it is given into memory that it allocates for each bind and frees with the next. A slot is
/// allocated once, and SQLite is told that it stays valid, which holds until the next bind of the same parameter. That
/// takes half the time.
struct ParameterSlots {
    /// Longer values are copied by SQLite.
    static let size = 64

    /// Further parameters have none, so that a long list of them does not cost as much again in empty memory.
    private static let maximum: Int32 = 512

    private let start: UnsafeMutableRawPointer?
    private let count: Int32

    init(count: Int32) {
        self.count = min(count, Self.maximum)
        start =
            count > 0 ? .allocate(byteCount: Int(self.count) * Self.size, alignment: MemoryLayout<UInt>.alignment) : nil
    }

    func deallocate() {
        start?.deallocate()
    }

    /// The slot of the parameter, nil when it has none or `byteCount` is too much for it.
    func slot(at index: Int32, for byteCount: Int) -> UnsafeMutableRawPointer? {
        guard byteCount <= Self.size, index >= 1, index <= count else { return nil }
        return start.map { $0 + Int(index - 1) * Self.size }
    }
}

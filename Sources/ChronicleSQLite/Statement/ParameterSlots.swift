/// Memory for short texts and blobs, one slot for each parameter. SQLite copies a bound value to memory that it allocates
/// for each bind. A slot is allocated once and passed as static memory, which stays valid until the next bind of the same
/// parameter, in half the time.
struct ParameterSlots {
    /// The size in bytes. SQLite copies longer values.
    static let size = 64

    /// Limits the unused memory of statements with many parameters.
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

    /// `nil` if the parameter has no slot or the value is too long.
    func slot(at index: Int32, for byteCount: Int) -> UnsafeMutableRawPointer? {
        guard byteCount <= Self.size, index >= 1, index <= count else { return nil }
        return start.map { $0 + Int(index - 1) * Self.size }
    }
}

/// The position of each transaction in the file.
struct HistoryIndex: Sendable {
    /// The newest transaction, deleted or not.
    private(set) var newest = JournalPosition.start
    /// The newest transaction that was deleted.
    private(set) var floor = JournalPosition.start
    /// The transaction before the first one in the file.
    private(set) var base = JournalPosition.start
    private var offsets: [Int] = []
    private var checksums: [UInt32] = []

    /// The number of bytes of deleted transactions.
    func deletedBytes(until end: Int) -> Int {
        guard let first = offsets.first else { return 0 }
        return (numbers.isEmpty ? end : offset(of: numbers.lowerBound)) - first
    }

    /// The numbers of the existing transactions.
    var numbers: Range<Int> { floor.number + 1..<newest.number + 1 }

    /// The offset of a transaction's record.
    func offset(of number: Int) -> Int { offsets[number - base.number - 1] }

    /// The checksum of a transaction; `nil` if the file no longer has it, or does not have it yet.
    func checksum(of number: Int) -> UInt32? {
        if number == base.number { return base.checksum }
        // A token may contain any number.
        guard number > base.number else { return nil }
        let index = number - base.number - 1
        return checksums.indices.contains(index) ? checksums[index] : nil
    }

    mutating func begin(at position: JournalPosition) { (newest, floor, base) = (position, position, position) }

    mutating func append(checksum: UInt32, offset: Int) {
        newest = JournalPosition(number: newest.number + 1, checksum: checksum)
        offsets.append(offset)
        checksums.append(checksum)
    }

    /// - Returns: Whether such a transaction exists or existed.
    mutating func raiseFloor(to number: Int) -> Bool {
        // After a compaction, the journal still has the records of earlier deletions.
        if number <= floor.number { return true }
        guard let checksum = checksum(of: number) else { return false }
        floor = JournalPosition(number: number, checksum: checksum)
        return true
    }
}

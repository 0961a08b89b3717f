/// Where each transaction stands in the file.
struct HistoryIndex: Sendable {
    /// The newest transaction, deleted or not.
    private(set) var newest = JournalPosition.start
    /// The newest transaction that was deleted.
    private(set) var floor = JournalPosition.start
    /// The transaction before the first that the file has.
    private(set) var base = JournalPosition.start
    private var offsets: [Int] = []
    private var checks: [UInt32] = []

    /// How many bytes the transactions take that were deleted.
    func wasted(until end: Int) -> Int {
        guard let first = offsets.first else { return 0 }
        return (numbers.isEmpty ? end : offset(of: numbers.lowerBound)) - first
    }

    /// The numbers of the transactions that there are.
    var numbers: Range<Int> { floor.number + 1..<newest.number + 1 }

    /// Where a transaction's record begins.
    func offset(of number: Int) -> Int { offsets[number - base.number - 1] }

    /// The check of a transaction; `nil` when the file does not have it any more, or not yet.
    func check(of number: Int) -> UInt32? {
        if number == base.number { return base.check }
        // Tokens may hold any number.
        guard number > base.number else { return nil }
        let index = number - base.number - 1
        return checks.indices.contains(index) ? checks[index] : nil
    }

    mutating func begin(at position: JournalPosition) { (newest, floor, base) = (position, position, position) }

    mutating func append(check: UInt32, offset: Int) {
        newest = JournalPosition(number: newest.number + 1, check: check)
        offsets.append(offset)
        checks.append(check)
    }

    /// - Returns: Whether there is such a transaction, or was.
    mutating func raiseFloor(to number: Int) -> Bool {
        // After a compaction the journal still says of earlier deletions what has been done.
        if number <= floor.number { return true }
        guard let check = check(of: number) else { return false }
        floor = JournalPosition(number: number, check: check)
        return true
    }
}

/// What a deletion removes of the seals: a bit for each transaction of the list of a seal, which keeps its hash.
package struct DeletedEntries<Seals: SealRows, Events: EventRows> {
    private struct Seal {
        let number: Int64
        let last: Int64
        /// The positions of the transactions, ascending.
        let positions: [Int64]
        var deleted: [Int] = []
    }

    private let seals: Seals
    private let events: Events
    private var seal: Seal?
    private var parts: [(seal: Int64, content: [UInt8])] = []
    private var sealedTransactions = 0
    private var unproven = [UnprovenDetail(ranges: [], transactions: 0)]

    /// The ranges of an event, whose detail the sealer reads in each of its commits.
    private static var maximumRanges: Int { 1_000 }

    package init(_ seals: Seals, _ events: Events) { (self.seals, self.events) = (seals, events) }

    /// Adds a transaction or a void header that a seal contains, in ascending order.
    package mutating func addSealed(_ position: Int64, isTransaction: Bool = true) throws {
        if isTransaction { sealedTransactions += 1 }
        if seal.map({ $0.last < position }) ?? true {
            endSeal()
            seal = try seals.first(endingFrom: position).map { number, last in
                Seal(number: number, last: last, positions: try seals.entries(of: number).map(\.position))
            }
        }
        // Verification reports a row that is not in the list.
        guard let index = seal?.positions.binarySearch(position) else { return }
        seal?.deleted.append(index)
    }

    /// Adds ranges of positions that no seal contains.
    package mutating func addUnproven(_ ranges: [[Int64]], transactions: Int) {
        if unproven[unproven.count - 1].ranges.count >= Self.maximumRanges {
            unproven.append(UnprovenDetail(ranges: [], transactions: 0))
        }
        unproven[unproven.count - 1].ranges += ranges
        unproven[unproven.count - 1].transactions += transactions
    }

    private mutating func endSeal() {
        guard let seal, !seal.deleted.isEmpty else { return }
        parts.append((seal.number, SealedEvent.content(deleting: seal.deleted, of: seal.positions.count)))
    }

    /// Writes the events, after the last rows were added.
    package mutating func record() throws {
        endSeal()
        seal = nil
        if !parts.isEmpty {
            let event = try events.add(.deletion, DeletionDetail(transactions: sealedTransactions))
            for part in parts { try events.addPart(part.content, ofEvent: event, seal: part.seal) }
        }
        // Without a range, only the header of the newest transaction of a file is void now.
        for detail in unproven where !detail.ranges.isEmpty || detail.transactions > 0 {
            try events.add(.unproven, detail)
        }
    }
}

extension [Int64] {
    /// Returns the index of an element of an ascending array.
    fileprivate func binarySearch(_ element: Int64) -> Int? {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self[middle] == element { return middle }
            range = self[middle] < element ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

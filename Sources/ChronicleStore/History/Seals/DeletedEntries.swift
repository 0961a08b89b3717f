import ChronicleCore
import ChronicleSQLite

/// What a deletion removes of the seals: a bit for each transaction of the list of a seal, which keeps its hash.
struct DeletedEntries {
    private struct Seal {
        let number: Int64
        let last: Int64
        /// The positions of the transactions, ascending.
        let positions: [Int64]
        var deleted: [Int] = []
    }

    private let seals: SealedHistory
    private var seal: Seal?
    private var parts: [(seal: Int64, content: [UInt8])] = []
    private var sealedTransactions = 0
    private var unproven = [UnprovenDetail(ranges: [], transactions: 0)]

    /// The ranges of an event, whose detail the sealer reads in each of its commits.
    private static let maximumRanges = 1_000

    init(_ seals: SealedHistory) { self.seals = seals }

    /// Adds rows before they are deleted, in ascending order.
    ///
    /// - Parameter newest: The newest row, which remains as a void header.
    mutating func add(_ positions: ClosedRange<Int64>, newest: Int64) throws {
        let statement = try seals.connection.cached(
            """
            SELECT id, \(ChangeTable.isHeader()) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? \
            AND \(ChangeTable.endsTransaction()) ORDER BY id
            """)
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        var transactions = 0
        while try statement.step() {
            let position = try statement.position(0)
            let isTransaction = statement.int64(1) == 1
            if position > seals.end {
                if isTransaction { transactions += 1 }
            } else {
                if isTransaction { sealedTransactions += 1 }
                try mark(position)
            }
        }
        if unproven[unproven.count - 1].ranges.count >= Self.maximumRanges {
            unproven.append(UnprovenDetail(ranges: [], transactions: 0))
        }
        unproven[unproven.count - 1].ranges += seals.unprovenRanges(positions, newest: newest)
        unproven[unproven.count - 1].transactions += transactions
    }

    private mutating func mark(_ position: Int64) throws {
        if seal.map({ $0.last < position }) ?? true {
            endSeal()
            let table = SealTable(seals.connection)
            seal = try table.first(endingFrom: position).map { number, last in
                Seal(number: number, last: last, positions: try table.entries(of: number).map(\.position))
            }
        }
        // Verification reports a row that is not in the list.
        guard let index = seal?.positions.binarySearch(position) else { return }
        seal?.deleted.append(index)
    }

    private mutating func endSeal() {
        guard let seal, !seal.deleted.isEmpty else { return }
        parts.append((seal.number, SealedEvent.content(deleting: seal.deleted, of: seal.positions.count)))
    }

    /// Writes the events, after the last rows were added.
    mutating func record() throws {
        endSeal()
        seal = nil
        let events = EventTable(seals.connection)
        if !parts.isEmpty {
            let event = try events.add(.deletion, DeletionDetail(transactions: sealedTransactions))
            for part in parts { try events.addPart(part.content, ofEvent: event, seal: part.seal) }
        }
        // Without a range, only the header of the newest transaction is void now.
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

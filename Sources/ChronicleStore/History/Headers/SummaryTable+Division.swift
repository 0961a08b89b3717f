import ChronicleCore
import Foundation

extension SummaryTable {
    struct Range {
        let first: Int64
        var last: Int64
        var sources: Int64 = 0
        let transactions: Int64
        var count: Int64 = 0
        var earliest: Double?
        var latest: Double?
    }

    /// A division of the open range into ranges.
    struct Division {
        let first: Int64
        /// The number before ``current``.
        private(set) var transactions: Int64
        private(set) var ranges: [Range] = []
        /// A range of short transactions that is not complete yet.
        private var current: Range?
        /// The positions by source.
        private(set) var newest: [Int64: Int64] = [:]
        private var last: Int64

        init(first: Int64, transactions: Int64) {
            self.first = first
            self.transactions = transactions
            last = first - 1
        }

        mutating func add(_ header: HistoryHeader) throws {
            try add(
                header.first...header.position, source: header.source,
                timestamp: header.timestamp.timeIntervalSinceReferenceDate)
        }

        mutating func add(_ header: ChangeTable.Header, at position: Int64) throws {
            try add(header.first...position, source: header.source, timestamp: header.timestamp)
        }

        private mutating func add(_ positions: ClosedRange<Int64>, source: Int64, timestamp: Double) throws {
            let position = positions.upperBound
            guard positions.lowerBound > last else {
                throw SwiftDataError.damagedRow(.change(position), "its changes belong to another transaction")
            }
            last = position
            newest[source] = position
            let isLong = positions.count > longTransaction
            if let current, isLong || position - current.first >= interval { end() }
            var range =
                current
                ?? Range(
                    first: isLong ? position : positions.lowerBound, last: position, transactions: transactions)
            range.last = position
            range.count += 1
            range.sources |= bit(ofSource: source)
            range.earliest = min(range.earliest ?? timestamp, timestamp)
            range.latest = max(range.latest ?? timestamp, timestamp)
            current = range
            if isLong { end() }
        }

        mutating func end() {
            guard let current else { return }
            ranges.append(current)
            transactions += current.count
            self.current = nil
        }
    }
}

import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// What the chain of seals requires of purges and deletions. Must be used in one transaction.
struct SealedHistory: SealedHistoryRows {
    let connection: Connection
    let end: Int64
    let sealed: Date?
    let number: Int64

    var seals: SealTable { SealTable(connection) }
    var events: EventTable { EventTable(connection) }

    /// `nil` if the history is not sealed.
    init?(_ connection: Connection) throws {
        guard try SealTables.exist(connection) else { return nil }
        self.connection = connection
        let statement = try connection.cached(
            "SELECT last, sealed, number FROM \(SealTables.seal) ORDER BY number DESC LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else {
            (end, sealed, number) = (0, nil, 0)
            return
        }
        number = statement.int64(2)
        let row = FileRow.seal(number)
        end = try statement.integer(0, in: 0...HistoryPosition.valid.upperBound, of: row)
        sealed = try statement.time(1, of: row)
    }

    // MARK: Purges

    /// The deletion of the first rows of the history.
    struct Purge {
        let reason: PurgeReason
        let rows: ClosedRange<Int64>
        /// The header of the last deleted transaction. If it is after the rows, others of the transaction remain.
        let header: Int64
        /// The number of transactions whose last row was deleted.
        let transactions: Int

        fileprivate var purged: Int64? { header > rows.upperBound ? header : nil }
    }

    /// Records a purge in its transaction, and deletes the seals before the last one that it reaches.
    func record(_ purge: Purge) throws {
        guard purge.rows.upperBound > end else { return try recordSealed(purge) }
        if purge.rows.lowerBound <= end {
            // A void header. The transactions of the seals are deleted before others.
            try recordSealed(
                Purge(reason: purge.reason, rows: purge.rows.lowerBound...end, header: end, transactions: 0))
        }
        try recordUnproven(purge)
    }

    private func recordSealed(_ purge: Purge) throws {
        let boundary = purge.purged == nil ? try seals.last(through: purge.rows.upperBound) : nil
        let detail = PurgeDetail(
            reason: purge.reason, through: purge.header, purged: purge.purged, boundary: boundary?.number,
            transactions: purge.transactions)
        try events.extend(.purge, detail) { $0.extend(with: detail) }
        // Afterwards, so that the newest event is one that remains, and its number is not used again.
        if let boundary { try releaseSeals(before: boundary) }
    }

    private func recordUnproven(_ purge: Purge) throws {
        let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
        let ranges = unprovenRanges(end + 1...purge.rows.upperBound, newest: newest)
        // Without a range, only the header of the newest transaction is void now.
        guard !ranges.isEmpty || purge.transactions > 0 else { return }
        let detail = UnprovenDetail(
            ranges: ranges, transactions: purge.transactions, reason: purge.reason, purged: purge.purged)
        try events.extend(.unproven, detail) { $0.extend(with: detail, from: end + 1) }
    }

    /// The positions of a deletion that no row has afterwards, and no seal contains: one range or none.
    ///
    /// - Parameter newest: The newest row, which remains as a void header.
    func unprovenRanges(_ positions: ClosedRange<Int64>, newest: Int64) -> [[Int64]] {
        let (first, last) = (max(positions.lowerBound, end + 1), min(positions.upperBound, newest - 1))
        return first <= last ? [[first, last]] : []
    }

    /// Deletes what precedes a seal, and its commitments.
    private func releaseSeals(before boundary: SealTable.End) throws {
        for sql in SealTables.release() {
            let release = try connection.cached(sql)
            try release.bind(boundary.number, at: 1)
            try release.run()
        }
        // Those that remain are the rows of erased values, which the events of the erasures count.
        let commitments = try connection.cached("DELETE FROM \(SealTables.commitment) WHERE position <= ?")
        try commitments.bind(boundary.last, at: 1)
        try commitments.run()
    }

    /// Records that all models and the history are deleted, before the rows are.
    ///
    /// - Parameter newest: The newest row, which remains as a void header.
    func recordDeletionOfAll(through newest: Int64) throws {
        let first = HistoryPosition.valid.lowerBound
        if end >= first {
            let transactions = try transactionCount(first...end)
            try record(Purge(reason: .erase, rows: first...end, header: end, transactions: transactions))
        }
        guard end < newest else { return }
        let transactions = try transactionCount(end + 1...newest)
        try record(Purge(reason: .erase, rows: end + 1...newest, header: newest, transactions: transactions))
    }

    func transactionCount(_ positions: ClosedRange<Int64>) throws -> Int {
        let count = try connection.scalarInt64(
            "SELECT count(*) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? AND \(ChangeTable.isHeader())"
        ) {
            try $0.bind(positions.lowerBound, at: 1)
            try $0.bind(positions.upperBound, at: 2)
        }
        return Int(count ?? 0)
    }

    // MARK: Deletions

    /// Deletes the keys and the commitments of rows that are deleted. Without them, nothing can be guessed from the hash of the
    /// transaction, which its seal keeps. The rows of erased values remain until the seal is deleted, because the event of the
    /// erasure has their number and their hash.
    func deleteCommitments(_ positions: ClosedRange<Int64>) throws {
        for sql in Self.deleteCommitments {
            let statement = try connection.cached(sql)
            try statement.bind(positions.lowerBound, at: 1)
            try statement.bind(positions.upperBound, at: 2)
            try statement.run()
        }
    }

    private static let deleteCommitments = [
        "DELETE FROM \(SealTables.commitment) WHERE position BETWEEN ? AND ? AND event IS NULL",
        """
        UPDATE \(SealTables.commitment) SET attribute = NULL, key = NULL, commitment = NULL \
        WHERE position BETWEEN ? AND ?
        """,
    ]
}

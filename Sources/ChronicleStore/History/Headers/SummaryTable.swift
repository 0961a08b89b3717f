import ChronicleCore
import ChronicleSQLite
import Foundation

/// The table `chronicle_summary`, which describes ranges of the history, so that reads of headers skip the changes of
/// long transactions and the ranges that cannot match, as PostgreSQL's block range indexes do
/// (<https://www.postgresql.org/docs/current/brin.html>).
///
/// | column | content |
/// | --- | --- |
/// | `first`, `last` | the positions of the rows; a long transaction has a range that consists of its header |
/// | `sources` | a mask of the sources of the transactions: the bits of their numbers modulo 63 |
/// | `earliest`, `latest` | the lowest and the highest timestamp |
/// | `transactions` | the number of transactions before the range, deleted or not |
///
/// Every header is in a range. The last range is *open*: it contains the most recent transactions and all that follow,
/// and its sources and timestamps are unknown. A transaction that crosses a multiple of ``interval`` divides it into
/// ranges. Summaries therefore cost little for each save.
///
/// A range may contain fewer transactions than its summary states, because some of them were deleted.
enum SummaryTable {
    static let name = "chronicle_summary"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, sources INTEGER NOT NULL, \
        earliest REAL, latest REAL, transactions INTEGER NOT NULL)
        """

    /// The number of rows after which the open range is divided.
    static let interval: Int64 = 1_024
    /// The number of rows, without the header, from which a transaction has its own range.
    private static let longTransaction: Int64 = 32
    /// The last position of the open range.
    static let open = HistoryPosition.valid.upperBound

    /// Inserts the open range of an empty history.
    static func insertOpenRange(_ connection: Connection) throws {
        try insert(Range(first: 1, last: open, sources: -1), transactions: 0, connection)
    }

    /// The bit of a source in the column `sources`.
    static func bit(ofSource number: Int64) -> Int64 { 1 << (number % 63) }

    private struct Range {
        var first: Int64
        var last: Int64
        var sources: Int64 = 0
        /// The number of transactions in the range.
        var count: Int64 = 0
        var earliest: Double?
        var latest: Double?

        mutating func add(_ header: HistoryHeader) {
            let timestamp = header.timestamp.timeIntervalSinceReferenceDate
            last = header.position
            count += 1
            sources |= SummaryTable.bit(ofSource: header.source)
            earliest = min(earliest ?? timestamp, timestamp)
            latest = max(latest ?? timestamp, timestamp)
        }
    }

    // MARK: Writing

    /// Divides the open range if a transaction crosses a multiple of ``interval``.
    ///
    /// - Parameters:
    ///   - first: The position of the transaction's first change.
    ///   - position: The position of its header.
    ///   - connection: The connection, in the transaction that writes the header.
    @inline(__always)
    static func add(from first: Int64, through position: Int64, _ connection: Connection) throws {
        if (first - 1) / interval != position / interval { try divide(from: first, through: position, connection) }
    }

    /// Divides the open range into ranges up to a header, and a new open range.
    ///
    /// - Parameters:
    ///   - first: The position of the first change of the header's transaction. Only the rows before it are searched
    ///     for headers, because the changes of a transaction contain none.
    ///   - position: The position of the header.
    ///   - connection: The connection, in the transaction that writes the header.
    static func divide(from first: Int64, through position: Int64, _ connection: Connection) throws {
        let open = try openRange(connection)
        guard position >= open.first else { return }
        try delete(open.first, connection)
        var division = Division(connection: connection, transactions: open.transactions, last: open.first - 1)
        if first > open.first { try division.add(open.first...first - 1) }
        try division.add(position...position)
        try division.finish(position)
    }

    /// A division of the open range.
    private struct Division {
        let connection: Connection
        /// The number of transactions before ``current``.
        var transactions: Int64
        /// A range of short transactions that is not complete yet.
        var current: Range?
        /// The position of the newest transaction of each source.
        var newest: [Int64: Int64] = [:]
        /// The position of the last header.
        var last: Int64

        mutating func add(_ positions: ClosedRange<Int64>) throws {
            let statement = try connection.cached(
                """
                SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? \
                AND \(ChangeTable.isHeader()) ORDER BY id
                """)
            defer { statement.reset() }
            try statement.bind(positions.lowerBound, at: 1)
            try statement.bind(positions.upperBound, at: 2)
            while try statement.step() { try add(HistoryHeader(statement)) }
        }

        private mutating func add(_ header: HistoryHeader) throws {
            guard header.first > last else {
                throw SwiftDataError.damagedRow(.change(header.position), "its changes belong to another transaction")
            }
            last = header.position
            newest[header.source] = header.position
            let isLong = header.position - header.first >= longTransaction
            if let current, isLong || header.position - current.first >= interval { try end(current) }
            var range = current ?? Range(first: isLong ? header.position : header.first, last: header.position)
            range.add(header)
            current = range
            if isLong { try end(range) }
        }

        private mutating func end(_ range: Range) throws {
            try insert(range, transactions: transactions, connection)
            transactions += range.count
            current = nil
        }

        mutating func finish(_ position: Int64) throws {
            if let current { try end(current) }
            try insert(Range(first: position + 1, last: open, sources: -1), transactions: transactions, connection)
            for (source, position) in newest { try SourceTable.setNewest(position, of: source, connection) }
        }
    }

    /// Deletes the ranges of deleted transactions.
    static func delete(_ positions: ClosedRange<Int64>, _ connection: Connection) throws {
        let statement = try connection.cached("DELETE FROM \(name) WHERE first >= ? AND last <= ?")
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        try statement.run()
    }

    private static func delete(_ first: Int64, _ connection: Connection) throws {
        let statement = try connection.cached("DELETE FROM \(name) WHERE first = ?")
        try statement.bind(first, at: 1)
        try statement.run()
    }

    private static func insert(_ range: Range, transactions: Int64, _ connection: Connection) throws {
        let statement = try connection.cached(
            """
            INSERT INTO \(name)(first, last, sources, earliest, latest, transactions) VALUES (?, ?, ?, ?, ?, ?)
            """)
        try statement.bind(range.first, at: 1)
        try statement.bind(range.last, at: 2)
        try statement.bind(range.sources, at: 3)
        for (index, date) in [(Int32(4), range.earliest), (5, range.latest)] {
            if let date { try statement.bind(date, at: index) } else { try statement.bindNull(index) }
        }
        try statement.bind(transactions, at: 6)
        try statement.run()
    }

    // MARK: Reading

    /// Returns the beginning of the open range and the number of transactions before it.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if the newest range is not open or its values are invalid, because
    ///   readers would then miss transactions.
    static func openRange(_ connection: Connection) throws -> (first: Int64, transactions: Int64) {
        let statement = try connection.cached(
            "SELECT first, last, transactions FROM \(name) ORDER BY first DESC LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else { throw SwiftDataError.damagedRow(.summary(0), "the table is empty") }
        let row = FileRow.summary(statement.int64(0))
        guard try statement.integer(1, of: row) == open else {
            throw SwiftDataError.damagedRow(row, "the newest range is not open")
        }
        return (
            try statement.integer(0, in: HistoryPosition.valid, of: row),
            try statement.integer(2, in: 0...HistoryPosition.valid.upperBound, of: row)
        )
    }
}

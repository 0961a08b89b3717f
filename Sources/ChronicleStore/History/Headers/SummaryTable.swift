import ChronicleCore
import ChronicleSQLite
import Foundation

/// Ranges of the history, so that reads of headers skip the changes of long transactions and the ranges that cannot match,
/// as PostgreSQL's block range indexes do (<https://www.postgresql.org/docs/current/brin.html>).
///
/// | column | content |
/// | --- | --- |
/// | `first`, `last` | the positions of the rows; a long transaction has a range that consists of its header |
/// | `sources` | a mask of the sources of the transactions: the bits of their numbers modulo 63 |
/// | `earliest`, `latest` | the lowest and the highest timestamp |
/// | `transactions` | the number of transactions before the range, deleted or not |
///
/// The last range is *open*: it contains the most recent transactions and all that follow, and its sources and timestamps
/// are unknown. A transaction that crosses a multiple of ``interval`` divides it, so summaries cost little for each save. A
/// range may contain fewer transactions than its summary states, because some were deleted.
enum SummaryTable {
    static let name = "chronicle_summary"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, sources INTEGER NOT NULL, \
        earliest REAL, latest REAL, transactions INTEGER NOT NULL)
        """

    /// The number of rows after which the open range is divided.
    static let interval: Int64 = 1_024
    /// The number of rows, without the header, from which a transaction has a separate range.
    static let longTransaction: Int64 = 32
    /// The last position of the open range.
    static let open = HistoryPosition.valid.upperBound

    static func insertOpenRange(_ connection: Connection) throws {
        try insert(Range(first: 1, last: open, sources: -1, transactions: 0), connection)
    }

    /// The bit of a source in the column `sources`.
    static func bit(ofSource number: Int64) -> Int64 { 1 << (number % 63) }

    // MARK: Writing

    /// Adds a header that was just inserted, in its transaction, and divides the open range if it crosses a multiple of
    /// ``interval``.
    static func add(
        _ header: ChangeTable.Header, at position: Int64, _ connection: Connection, recorder: HistoryRecorder? = nil
    ) throws {
        if (header.first - 1) / interval == position / interval {
            try recorder?.division?.add(header, at: position)
        } else {
            try divide(from: header.first, through: position, connection, recorder: recorder)
        }
    }

    /// Divides the open range into ranges up to a header, and a new open range. The changes of the header's transaction,
    /// from `first` on, contain no headers, so they are not searched.
    static func divide(
        from first: Int64, through position: Int64, _ connection: Connection, recorder: HistoryRecorder? = nil
    ) throws {
        let open = try openRange(connection)
        guard position >= open.first else { return }
        try delete(open.first, connection)
        var division = Division(first: open.first, transactions: open.transactions)
        if let known = recorder?.division, known.first == open.first {
            division = known
        } else if first > open.first {
            try add(open.first...first - 1, to: &division, connection)
        }
        try add(position...position, to: &division, connection)
        division.end()
        for range in division.ranges { try insert(range, connection) }
        let next = Division(first: position + 1, transactions: division.transactions)
        try insert(
            Range(first: next.first, last: self.open, sources: -1, transactions: next.transactions), connection)
        for (source, position) in division.newest { try SourceTable.setNewest(position, of: source, connection) }
        recorder?.division = next
    }

    private static func add(
        _ positions: ClosedRange<Int64>, to division: inout Division, _ connection: Connection
    ) throws {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columnsWithoutProcess) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? \
            AND \(ChangeTable.isHeader()) ORDER BY id
            """)
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        while try statement.step() { try division.add(HistoryHeader(statement)) }
    }

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

    private static func insert(_ range: Range, _ connection: Connection) throws {
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
        try statement.bind(range.transactions, at: 6)
        try statement.run()
    }

    // MARK: Reading

    /// Throws ``SwiftDataError/damagedFile`` if the newest range is not open or its values are invalid, because readers
    /// would then miss transactions.
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

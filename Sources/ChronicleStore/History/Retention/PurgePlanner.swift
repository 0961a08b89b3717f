import ChronicleCore
import ChronicleSQLite
import Foundation

/// Must be used in one read transaction.
struct PurgePlanner {
    let connection: Connection
    let retention: HistoryRetention
    let date: Date

    typealias Header = (position: Int64, checkValue: Int64)

    func limit() throws -> Int64 {
        guard retention.hasLimit, let newest = try newestHeader() else { return 0 }
        var limit: Int64 = 0
        if let age = retention.maximumAge { limit = try end(ofTransactionsBefore: date - age.timeInterval) }
        if retention.maximumChanges != nil || retention.maximumBytes != nil {
            let end = try HistorySize.end(
                ofRowsAfter: HistoryPositions(connection).purged() ?? 0, exceeding: retention.maximumChanges,
                retention.maximumBytes, connection)
            // The transaction that contains the position is deleted as a whole, unless it is the newest one. Changes of another
            // program without a header are the newest transaction.
            let hasUngrouped = try HistoryPositions(connection).ungrouped(after: 0) != nil
            let last = hasUngrouped ? newest.position : newest.first - 1
            limit = max(limit, end > 0 ? min(try Self.firstHeader(from: end, connection)?.position ?? last, last) : 0)
        }
        return limit
    }

    /// The last position that is older than the age of each rule, or 0.
    func valueLimits() throws -> [Int64] {
        try retention.valueRules.map { try end(ofTransactionsBefore: date - $0.maximumAge.timeInterval) }
    }

    /// Changes by other programs that follow the header are not deleted.
    private func newestHeader() throws -> HistoryHeader? {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE \(ChangeTable.isHeader()) \
            ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        return try statement.step() ? HistoryHeader(statement) : nil
    }

    /// The position of the last transaction that is older than a date and precedes every transaction that is not, or 0.
    /// Ranges with only older transactions are skipped. A timestamp after the current time is wrong, for example because of
    /// a wrong clock, and says nothing about the age of its transaction, which is deleted with the next one that is old
    /// enough.
    private func end(ofTransactionsBefore date: Date) throws -> Int64 {
        let (limit, now) = (date.timeIntervalSinceReferenceDate, self.date.timeIntervalSinceReferenceDate)
        let next = try connection.cached(
            """
            SELECT \(ChangeTable.columns("c.")) FROM \(SummaryTable.name) AS r CROSS JOIN \(ChangeTable.name) AS c \
            ON c.id BETWEEN r.first AND r.last WHERE (r.latest IS NULL OR r.latest >= ?1 AND r.earliest <= ?2) \
            AND \(ChangeTable.isHeader("c.")) AND c.primary_key >= ?1 \
            AND (c.primary_key <= ?2 OR typeof(c.primary_key) NOT IN ('integer', 'real')) ORDER BY r.first, c.id LIMIT 1
            """)
        defer { next.reset() }
        try next.bind(limit, at: 1)
        try next.bind(now, at: 2)
        let end = try next.step() ? HistoryHeader(next).first - 1 : HistoryPosition.valid.upperBound
        let last = try connection.cached(
            """
            SELECT c.id FROM \(SummaryTable.name) AS r CROSS JOIN \(ChangeTable.name) AS c \
            ON c.id BETWEEN r.first AND min(r.last, ?2) WHERE r.first <= ?2 AND (r.earliest IS NULL OR r.earliest < ?1) \
            AND \(ChangeTable.isHeader("c.")) AND c.primary_key < ?1 ORDER BY r.first DESC, c.id DESC LIMIT 1
            """)
        defer { last.reset() }
        try last.bind(limit, at: 1)
        try last.bind(end, at: 2)
        return try last.step() ? last.position(0) : 0
    }

    static func lastHeader(through position: Int64, _ connection: Connection) throws -> Header? {
        try header("WHERE id <= ? AND \(ChangeTable.isHeader()) ORDER BY id DESC LIMIT 1", position, connection)
    }

    /// The changes of long transactions are skipped.
    static func firstHeader(from position: Int64, _ connection: Connection) throws -> Header? {
        // A long transaction has a range that is its header; see ``SummaryTable``.
        let range = try connection.scalarInt64(
            "SELECT first FROM \(SummaryTable.name) WHERE last >= ? ORDER BY first LIMIT 1"
        ) { try $0.bind(position, at: 1) }
        return try header(
            "WHERE id >= ? AND \(ChangeTable.isHeader()) ORDER BY id LIMIT 1", max(range ?? 0, position), connection)
    }

    private static func header(_ condition: String, _ position: Int64, _ connection: Connection) throws -> Header? {
        let statement = try connection.cached("SELECT id, attributes FROM \(ChangeTable.name) \(condition)")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { return nil }
        let position = try statement.position(0)
        return (position, try statement.integer(1, of: .change(position)))
    }
}

extension Duration {
    var timeInterval: TimeInterval { self / .seconds(1) }
}

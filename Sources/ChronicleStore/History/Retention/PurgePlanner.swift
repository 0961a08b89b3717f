import ChronicleCore
import ChronicleSQLite
import Foundation

/// Determines up to which transaction a purge deletes the history. Must be used in one read transaction.
struct PurgePlanner {
    let connection: Connection
    let retention: HistoryRetention
    let date: Date

    typealias Header = (position: Int64, checkValue: Int64)

    /// Returns the newest transaction to delete, and the consumers that it depends on.
    func plan(
        _ holds: [RetentionHold]
    ) throws -> (newest: Header?, keptFor: [String], evicted: [String], evictsBefore: Date?) {
        let evictsBefore = retention.maximumSilence.map { date - $0.timeInterval }
        let limit = try limit()
        let live = holds.filter { $0.isLive(evictsBefore) }
        let newest = try Self.lastHeader(through: min(limit, live.map(\.position).min() ?? .max), connection)
        let evicted = holds.filter { !$0.isLive(evictsBefore) && $0.position < newest?.position ?? 0 }
        return (
            newest, live.filter { $0.position < limit }.map(\.name).sorted(), evicted.map(\.name).sorted(), evictsBefore
        )
    }

    /// Returns the last position that exceeds a limit, or 0.
    private func limit() throws -> Int64 {
        guard retention.hasLimit, let newest = try newestHeader() else { return 0 }
        var limit: Int64 = 0
        if let age = retention.maximumAge { limit = try end(ofTransactionsBefore: date - age.timeInterval, newest) }
        if retention.maximumChanges != nil || retention.maximumBytes != nil {
            let end = try HistorySize.end(
                ofRowsAfter: HistoryFacts(connection).purged() ?? 0, exceeding: retention.maximumChanges,
                retention.maximumBytes, connection)
            // The transaction that contains the position is deleted as a whole, except for the newest one.
            limit = max(limit, try min(headerPosition(from: end) ?? 0, newest.first - 1))
        }
        return limit
    }

    /// Returns the newest header. Changes by other programs that follow it are not deleted.
    private func newestHeader() throws -> HistoryHeader? {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE \(ChangeTable.isHeader()) \
            ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        return try statement.step() ? HistoryHeader(statement) : nil
    }

    /// Returns the last position before the first transaction with a timestamp from a date on. Ranges of older
    /// transactions are skipped.
    private func end(ofTransactionsBefore date: Date, _ newest: HistoryHeader) throws -> Int64 {
        let seconds = date.timeIntervalSinceReferenceDate
        let range = try connection.scalarInt64(
            "SELECT first FROM \(SummaryTable.name) WHERE latest IS NULL OR latest >= ? ORDER BY first LIMIT 1"
        ) { try $0.bind(seconds, at: 1) }
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id >= ? AND \(ChangeTable.isHeader()) \
            AND primary_key >= ? ORDER BY id LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(range ?? 0, at: 1)
        try statement.bind(seconds, at: 2)
        return try statement.step() ? HistoryHeader(statement).first - 1 : newest.position
    }

    /// Returns the position of the first header from a position on.
    private func headerPosition(from position: Int64) throws -> Int64? {
        guard position > 0 else { return nil }
        return try Self.firstHeader(from: position, connection)?.position
    }

    /// Returns the last header up to a position.
    static func lastHeader(through position: Int64, _ connection: Connection) throws -> Header? {
        try header("WHERE id <= ? AND \(ChangeTable.isHeader()) ORDER BY id DESC LIMIT 1", position, connection)
    }

    /// Returns the first header from a position on. The changes of long transactions are skipped.
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
    /// The duration in seconds, for dates.
    var timeInterval: TimeInterval { self / .seconds(1) }
}

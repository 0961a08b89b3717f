import ChronicleCore
import ChronicleSQLite
import Foundation

/// Finds the headers that match a query. Changes by other programs that are not followed by a header yet count as one
/// transaction.
struct HeaderSearch {
    let query: HistoryQuery
    var range: HistoryRange
    let connection: Connection

    /// Returns the headers in the order of the query.
    func headers() throws -> [HistoryHeader] {
        let statement = try statement(Self.columns)
        defer { statement.reset() }
        var headers: [HistoryHeader] = []
        while try statement.step() { headers.append(try HistoryHeader(statement)) }
        return headers
    }

    /// Returns the positions in the order of the query.
    func identifiers() throws -> [Int64] {
        let statement = try statement("SELECT h.id")
        defer { statement.reset() }
        var identifiers: [Int64] = []
        while try statement.step() { identifiers.append(try statement.position(0)) }
        return identifiers
    }

    func count() throws -> Int {
        let statement = try statement("SELECT count(*) FROM (SELECT 1", inOrder: false, ")")
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    /// Returns the last transaction of the initial part of the history in which every transaction matches, and the
    /// following transaction, which does not match. Returns `nil` if the query has a lower bound, a limit, or an
    /// offset.
    ///
    /// Deletion uses this to avoid visiting every row.
    func beginning() throws -> (last: (position: Int64, checkValue: Int64)?, next: Int64?)? {
        guard range.endingAfter == 0, query.limit == nil, query.offset == 0 else { return nil }
        var next: HistoryHeader?
        if let condition = query.sql.condition {
            let statement = try bound(Self.columns, " WHERE (\(condition)) IS NOT TRUE ORDER BY h.id LIMIT 1")
            defer { statement.reset() }
            if try statement.step() { next = try HistoryHeader(statement) }
        }
        let statement = try connection.cached(
            "SELECT id, detail FROM chronicle_change WHERE id < ? AND what < 0 ORDER BY id DESC LIMIT 1")
        defer { statement.reset() }
        try statement.bind(next?.first ?? .max, at: 1)
        guard try statement.step() else { return (nil, next?.position) }
        let last = try statement.position(0)
        return ((last, try statement.integer(1, of: .change(last))), next?.position)
    }

    // MARK: SQL

    /// The columns from which ``HistoryHeader`` is decoded.
    private static let columns = "SELECT h.id, h.what, h.key, h.detail, h.more"

    /// The header directly after the start of the range is excluded: the changes of its transaction all precede the
    /// range.
    ///
    /// SQLite flattens this subquery, so that rows are visited in the order of the table and a limit ends the scan.
    /// https://www.sqlite.org/optoverview.html#flattening
    private static let source = """
         FROM (SELECT id, CASE WHEN what > 0 THEN -\(RecorderStatements.externalSource) ELSE what END AS what, \
        CASE WHEN what > 0 THEN ?5 ELSE key END AS key, CASE WHEN what > 0 THEN NULL ELSE detail END AS detail, \
        max(CASE WHEN what > 0 THEN ?4 ELSE more END, ?2 + 1) AS more FROM chronicle_change \
        WHERE id > ?1 AND (what < 0 AND id > ?2 + 1 OR id = ?3)) AS h \
        LEFT JOIN chronicle_source AS s ON s.id = -h.what
        """

    private func statement(_ selection: String, inOrder: Bool = true, _ end: String = "") throws -> Statement {
        let condition: SQLQuery = query.sql.condition.map { " WHERE \($0)" } ?? ""
        let order: SQLQuery = inOrder ? " ORDER BY \((query.sql.order + ["h.id"]).joined(", "))" : ""
        let limit = SQLQuery(limit: query.limit, offset: query.offset) ?? ""
        return try bound(selection, "\(condition)\(order)\(limit)\(raw: end)")
    }

    private func bound(_ selection: String, _ rest: SQLQuery) throws -> Statement {
        let unsealed = try HistoryFacts(connection).unsealed(after: range.after)
        let statement = try connection.cached("\(raw: selection + Self.source)\(rest)", bindingFrom: 6)
        try statement.bind(range.endingAfter, at: 1)
        try statement.bind(range.after, at: 2)
        if let unsealed {
            try statement.bind(unsealed.upperBound, at: 3)
            try statement.bind(unsealed.lowerBound, at: 4)
            try statement.bind(Date().timeIntervalSinceReferenceDate, at: 5)
        }
        return statement
    }
}

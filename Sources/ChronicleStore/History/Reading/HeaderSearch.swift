import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Changes by other programs that are not followed by a header yet count as one transaction.
struct HeaderSearch {
    let query: HistoryQuery
    var range: HistoryRange
    let connection: Connection

    func headers() throws -> [HistoryHeader] {
        guard let statement = try statement(Self.columns) else { return [] }
        defer { statement.reset() }
        var headers: [HistoryHeader] = []
        while try statement.step() { headers.append(try HistoryHeader(statement)) }
        return headers
    }

    /// Returns the first headers, until their transactions have a number of rows, and whether there may be more. A
    /// transaction with more rows than the largest one is returned alone.
    func headers(
        rowCount: Int, largestTransaction: Int
    ) throws -> (headers: [HistoryHeader], hasMore: Bool) {
        guard let statement = try statement(Self.columns) else { return ([], false) }
        defer { statement.reset() }
        var headers: [HistoryHeader] = []
        var rows = 0
        while try statement.step() {
            let header = try HistoryHeader(statement)
            if header.rowCount > largestTransaction, !headers.isEmpty { return (headers, true) }
            headers.append(header)
            rows += header.rowCount
            if rows >= rowCount { return (headers, true) }
        }
        return (headers, false)
    }

    func identifiers() throws -> [Int64] {
        guard let statement = try statement("SELECT h.id") else { return [] }
        defer { statement.reset() }
        var identifiers: [Int64] = []
        while try statement.step() { identifiers.append(try statement.position(0)) }
        return identifiers
    }

    func count() throws -> Int {
        if let count = try unconditionalCount() { return count }
        guard let statement = try statement("SELECT count(*) FROM (SELECT 1", inOrder: false, ")") else { return 0 }
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(0)) : 0
    }

    /// Returns the positions of those headers that follow deleted transactions; see
    /// `DefaultHistoryTransaction.followsDeletion`. Visits the rows before the floor that are between the headers.
    func followers(of headers: [HistoryHeader]) throws -> Set<Int64> {
        guard range.floor > range.start else { return [] }
        var followers: Set<Int64> = []
        var previous = query.sql.order.isEmpty ? range.start : nil
        for header in headers.sorted(by: { $0.position < $1.position }) {
            let first = max(previous.map { $0 + 1 } ?? header.first - 1, range.start + 1)
            let last = min(header.first - 1, range.floor)
            if first <= last, try hasDeletions(first...last) { followers.insert(header.position) }
            previous = header.position
        }
        return followers
    }

    private func hasDeletions(_ positions: ClosedRange<Int64>) throws -> Bool {
        let rows = try connection.scalarInt64(
            "SELECT count(*) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? AND \(ChangeTable.isNotVoid())"
        ) {
            try $0.bind(positions.lowerBound, at: 1)
            try $0.bind(positions.upperBound, at: 2)
        }
        return rows ?? 0 <= positions.upperBound - positions.lowerBound
    }

    /// Returns the last transaction of the initial part of the history in which every transaction matches, and the
    /// following one, so that deletion does not visit every row. Returns `nil` if the query has a lower bound, a limit, or
    /// an offset.
    func beginning() throws -> (last: (position: Int64, checkValue: Int64)?, next: Int64?)? {
        guard range.endingAfter == 0, query.limit == nil, query.offset == 0 else { return nil }
        var next: HistoryHeader?
        if let condition = query.sql.condition {
            let statement = try bound(
                Self.columns, nil, " WHERE (\(condition)) IS NOT TRUE ORDER BY h.range, h.id LIMIT 1")
            defer { statement.reset() }
            if try statement.step() { next = try HistoryHeader(statement) }
        }
        let statement = try connection.cached(
            """
            SELECT id, attributes FROM \(ChangeTable.name) WHERE id < ? AND \(ChangeTable.isHeader()) \
            ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(next?.first ?? .max, at: 1)
        guard try statement.step() else { return (nil, next?.position) }
        let last = try statement.position(0)
        return ((last, try statement.integer(1, of: .change(last))), next?.position)
    }

    // MARK: Counting

    /// Counts the range without visiting most of it, or returns `nil` if the query has a condition, a limit, or an offset.
    /// The totals of the ranges of ``SummaryTable`` include deleted transactions. All of these are before the floor, so the
    /// ranges up to there are visited.
    private func unconditionalCount() throws -> Int? {
        guard query.sql.condition == nil, query.limit == nil, query.offset == 0 else { return nil }
        let floor = try MetaTable.position(.floor, connection) ?? 0
        let start = max(range.endingAfter, range.after > 0 ? range.after + 1 : 0, floor)
        let open = try SummaryTable.openRange(connection)
        let next = try connection.scalarInt64(
            "SELECT transactions FROM \(SummaryTable.name) WHERE first > ? ORDER BY first LIMIT 1"
        ) { try $0.bind(start, at: 1) }
        let partial = try bound(
            "SELECT count(*)",
            " AND (r.first <= \(value: .integer(start)) OR r.last = \(value: .integer(SummaryTable.open)))", "")
        defer { partial.reset() }
        guard try partial.step() else { return nil }
        let (complete, overflows) = open.transactions.subtractingReportingOverflow(next ?? open.transactions)
        guard !overflows, complete >= 0 else {
            throw SwiftDataError.damagedRow(
                .summary(open.first), "the numbers of transactions are not in ascending order")
        }
        return Int(clamping: complete + partial.int64(0))
    }

    // MARK: SQL

    private static let columns = "SELECT \(ChangeTable.columns("h."))"

    /// The headers in the ranges of ``SummaryTable``, in their order, and the last row of changes that no header follows.
    /// The header directly after the start is excluded, unless its transaction has no changes: they all precede the range.
    ///
    /// SQLite flattens this subquery, so rows are visited in order and a limit ends the scan.
    /// https://www.sqlite.org/optoverview.html#flattening
    private static let source = """
         FROM (SELECT c.id, \
        CASE WHEN \(ChangeTable.isChange("c.")) THEN \(ChangeTable.headerKind(source: SourceTable.external)) \
        ELSE c.kind END AS kind, \
        CASE WHEN \(ChangeTable.isChange("c.")) THEN ?5 ELSE c.primary_key END AS primary_key, \
        CASE WHEN \(ChangeTable.isChange("c.")) THEN NULL ELSE c.attributes END AS attributes, \
        max(CASE WHEN \(ChangeTable.isChange("c.")) THEN ?4 ELSE c.old_value END, ?2 + 1) AS old_value, \
        CASE WHEN \(ChangeTable.isChange("c.")) THEN NULL ELSE c.new_value END AS new_value, r.first AS range \
        FROM \(SummaryTable.name) AS r CROSS JOIN \(ChangeTable.name) AS c \
        ON c.id BETWEEN max(r.first, ?1 + 1) AND r.last \
        WHERE r.first >= ifnull((SELECT max(first) FROM \(SummaryTable.name) WHERE first <= ?1 + 1), 0) \
        AND (\(ChangeTable.isHeader("c.")) AND (c.id > ?2 + 1 OR c.old_value = c.id) OR c.id = ?3)
        """
    private static let sourceEnd = ") AS h LEFT JOIN \(SourceTable.name) AS s ON s.id = \(ChangeTable.source("h."))"

    /// `nil` if no transaction can match.
    func statement(_ selection: String, inOrder: Bool = true, _ end: String = "") throws -> Statement? {
        _ = try SummaryTable.openRange(connection)
        var ranges: SQLQuery = ""
        if let restriction = query.restriction {
            guard let matching = try restriction.ranges(connection) else { return nil }
            ranges = matching
        }
        if range.through < .max { ranges.append(" AND r.first <= \(value: .integer(range.through))") }
        let condition: SQLQuery = query.sql.condition.map { " WHERE \($0)" } ?? ""
        let terms: [SQLQuery] = query.sql.order.isEmpty ? ["h.range", "h.id"] : query.sql.order + ["h.id"]
        let order: SQLQuery = inOrder ? " ORDER BY \(terms.joined(", "))" : ""
        let limit = FetchSQL.limit(query.limit, offset: query.offset, dialect: SQLiteDialect()) ?? ""
        return try bound(selection, ranges, "\(condition)\(order)\(limit)\(raw: end)")
    }

    private func bound(_ selection: String, _ ranges: SQLQuery?, _ rest: SQLQuery) throws -> Statement {
        let ungrouped = try HistoryPositions(connection).ungrouped(after: range.after)
        let statement = try connection.cached(
            "\(raw: selection + Self.source)\(ranges ?? "")\(raw: Self.sourceEnd)\(rest)", bindingFrom: 6)
        try statement.bind(range.endingAfter, at: 1)
        try statement.bind(range.after, at: 2)
        if let ungrouped {
            try statement.bind(ungrouped.upperBound, at: 3)
            try statement.bind(ungrouped.lowerBound, at: 4)
            let date = try PendingTransaction.started(connection) ?? Date()
            try statement.bind(date.timeIntervalSinceReferenceDate, at: 5)
        }
        return statement
    }
}

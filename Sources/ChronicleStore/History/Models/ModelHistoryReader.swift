import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Must be used in one read transaction of its connection.
struct ModelHistoryReader {
    typealias Token = DefaultHistoryToken
    typealias Continuation = ModelHistoryContinuation<Token>

    /// The number of rows that a page visits without an index.
    private static let rowsPerPage: Int64 = 100_000

    private let request: ModelHistoryRequest<DefaultHistoryTransaction>
    private let entities: [Int64]
    private let connection: Connection
    /// The newest position, with which a continuation recognizes the history.
    private let newest: Token
    private let completeAfter: Token?
    /// The first and the last position that no page before this one visited.
    private let first: Int64
    private let last: Int64
    private var transactions: TransactionReader
    private var changes: ChangeAssembly
    private var buffer = ChangeBuffer()
    private var header: (header: HistoryHeader, transaction: DefaultHistoryTransaction)?

    init(
        _ request: ModelHistoryRequest<DefaultHistoryTransaction>, _ entities: [Int64], _ connection: Connection,
        _ catalog: HistoryCatalog
    ) throws {
        self.request = request
        self.entities = entities
        self.connection = connection
        let history = HistoryPositions(connection)
        let store = catalog.storeIdentifier
        newest = try history.newestToken(of: store)
        let facts = try history.facts(at: newest.position(in: store) ?? 0)
        completeAfter = try history.completeAfter(store)
        transactions = try TransactionReader(connection, catalog)
        changes = try ChangeAssembly(connection, catalog)
        var (first, last) = (try (history.purged() ?? 0) + 1, facts.newest)
        if let continuation = request.continuation {
            try Self.check(continuation, request, facts, history, store)
            switch request.order {
            case .forward: first = max(first, continuation.change + 1)
            case .reverse: last = min(last, continuation.change - 1)
            }
        }
        (self.first, self.last) = (first, last)
    }

    private static func check(
        _ continuation: Continuation, _ request: ModelHistoryRequest<DefaultHistoryTransaction>,
        _ facts: HistoryPositionFacts, _ history: HistoryPositions, _ store: String
    ) throws {
        let position = continuation.change
        guard HistoryPosition.valid.contains(position) else {
            throw HistoryPositions.tokenCheck.error(.forked, position: position, facts)
        }
        if let token = continuation.token { _ = try history.checkedPosition(token, storeIdentifier: store) }
        // In descending order, the history ends earlier, which the page reports.
        guard request.order == .forward else { return }
        // Changes that were already missing when the previous page was read are not missing from the result.
        let known = continuation.completeAfter?.position(in: store) ?? 0
        // The floor is a header, so nothing is missing after the last change before it.
        if facts.floor > known, position < facts.floor - 1 {
            throw HistoryPositions.tokenCheck.error(.expired, position: position, facts)
        }
        if facts.gap > known, position < facts.gap {
            throw HistoryPositions.tokenCheck.error(.gap, position: position, facts)
        }
    }

    mutating func page() throws -> ModelHistoryPage<DefaultHistoryTransaction> {
        guard let unvisited = try unvisited(), let key = request.model.integerPrimaryKey, !entities.isEmpty else {
            return result([], next: nil, visited: 0)
        }
        let isIndexed = try ModelIndex.exists(connection)
        let isReverse = request.order == .reverse
        let rows =
            isIndexed || unvisited.upperBound - unvisited.lowerBound < Self.rowsPerPage
            ? unvisited
            : isReverse
                ? unvisited.upperBound - Self.rowsPerPage + 1...unvisited.upperBound
                : unvisited.lowerBound...unvisited.lowerBound + Self.rowsPerPage - 1
        let limit = min(max(request.limit, 1), Int(Int32.max))
        // One more than requested, which shows whether there are more.
        let positions = try positions(of: key, in: rows, isIndexed: isIndexed, limit: limit + 1)
        let entries = try positions.prefix(limit).map { try entry(at: $0) }
        if positions.count > limit {
            // The buffer contains the last change with its preserved values.
            let last = isReverse ? buffer.first : buffer.last
            let visited = isReverse ? rows.upperBound - last : last - rows.lowerBound
            return result(entries, next: last, visited: isIndexed ? entries.count : Int(visited) + 1)
        }
        let end = isReverse ? rows.lowerBound : rows.upperBound
        let isComplete = end == (isReverse ? unvisited.lowerBound : unvisited.upperBound)
        return result(entries, next: isComplete ? nil : end, visited: isIndexed ? entries.count : rows.count)
    }

    /// Deleted history leaves gaps.
    private func unvisited() throws -> ClosedRange<Int64>? {
        let isReverse = request.order == .reverse
        let row = try connection.scalarInt64(
            "SELECT \(isReverse ? "max" : "min")(id) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ?"
        ) {
            try $0.bind(first, at: 1)
            try $0.bind(last, at: 2)
        }
        guard let row, row >= first, row <= last else { return nil }
        return isReverse ? first...row : row...last
    }

    private func result(
        _ entries: [ModelHistoryEntry<DefaultHistoryTransaction>], next: Int64?, visited: Int
    ) -> ModelHistoryPage<DefaultHistoryTransaction> {
        ModelHistoryPage(
            entries: entries,
            continuation: next.map { Continuation(token: newest, change: $0, completeAfter: completeAfter) },
            completeAfter: completeAfter, visitedCount: visited)
    }

    // MARK: Changes

    private func positions(
        of key: Int64, in rows: ClosedRange<Int64>, isIndexed: Bool, limit: Int
    ) throws -> [Int64] {
        let statement = try connection.cached(sql(isIndexed: isIndexed))
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        try statement.bind(rows.lowerBound, at: 2)
        try statement.bind(rows.upperBound, at: 3)
        try statement.bind(limit, at: 4)
        var positions: [Int64] = []
        while try statement.step() { positions.append(try statement.position(0)) }
        return positions
    }

    private func sql(isIndexed: Bool) -> String {
        let order = " ORDER BY id\(request.order == .reverse ? " DESC" : "") LIMIT ?4"
        let select = "SELECT id FROM \(ChangeTable.name)"
        let condition = "primary_key = ?1 AND \(ModelIndex.condition) AND id BETWEEN ?2 AND ?3"
        guard isIndexed else {
            return "\(select) WHERE \(condition) AND \(ChangeTable.entity()) IN "
                + "(\(entities.map(String.init).joined(separator: ", ")))\(order)"
        }
        // SQLite merges the parts, each of which the index returns in order, so the limit ends the search.
        return entities.map {
            "\(select) INDEXED BY \(ModelIndex.name) WHERE \(condition) AND \(ChangeTable.entity()) = \($0)"
        }.joined(separator: " UNION ALL ") + order
    }

    private mutating func entry(at position: Int64) throws -> ModelHistoryEntry<DefaultHistoryTransaction> {
        let (header, transaction) = try header(of: position)
        try collect(position, through: header.last)
        let found = try changes.changes(buffer, of: header.position)
        guard let change = found.first, change.changedPersistentIdentifier == request.model else {
            throw SwiftDataError.damagedRow(.change(position), "the index by model does not match the row")
        }
        return ModelHistoryEntry(transaction: transaction, change: change)
    }

    private mutating func collect(_ position: Int64, through last: Int64) throws {
        buffer.removeAll()
        let statement = try connection.cached(
            "SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? ORDER BY id")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(last, at: 2)
        while try statement.step() {
            let id = statement.int64(ChangeTable.Column.id)
            let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
            guard id == position || kind.operation == .preservedValue else { return }
            try buffer.append(statement, position: id, kind: kind)
        }
    }

    // MARK: Headers

    private mutating func header(
        of change: Int64
    ) throws -> (header: HistoryHeader, transaction: DefaultHistoryTransaction) {
        if let header, header.header.first <= change, change <= header.header.last { return header }
        let found = try storedHeader(after: change) ?? ungroupedHeader()
        guard let found, found.first <= change, change <= found.last else {
            throw SwiftDataError.damagedRow(.change(change), "the change belongs to no transaction")
        }
        let result = (found, try transactions.transaction(found, []))
        header = result
        return result
    }

    private func storedHeader(after change: Int64) throws -> HistoryHeader? {
        let statement = try connection.cached(Self.selectHeader)
        defer { statement.reset() }
        try statement.bind(change, at: 1)
        return try statement.step() ? HistoryHeader(statement) : nil
    }

    private func ungroupedHeader() throws -> HistoryHeader? {
        try HistoryPositions(connection).ungrouped(after: 0).map { try .ungrouped($0, connection) }
    }

    /// The ranges of ``SummaryTable`` skip the changes of long transactions.
    static let selectHeader = """
        SELECT \(ChangeTable.columns("c.")) \
        FROM \(SummaryTable.name) AS r CROSS JOIN \(ChangeTable.name) AS c \
        ON c.id BETWEEN max(r.first, ?1 + 1) AND r.last \
        WHERE r.first >= ifnull((SELECT max(first) FROM \(SummaryTable.name) WHERE first <= ?1), 0) \
        AND \(ChangeTable.isHeader("c.")) ORDER BY r.first, c.id LIMIT 1
        """
}

public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

extension DefaultStore: HistoryPaging {
    /// Returns the next changes of a transaction.
    ///
    /// - Complexity: Proportional to the number of returned changes. The first page of a transaction of another program
    ///   that no save has grouped yet takes time proportional to the number of its changes.
    public func fetchHistoryChanges(
        _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] {
        try readingHistory { connection in
            let positions = try connection.changes(of: request, storeIdentifier: identifier)
            guard let positions else { return [] }
            var reader = try ChangePageReader(
                connection, historyCatalog, returnsStoredValues: request.returnsStoredValues)
            return try reader.read(positions, request)
        }
    }
}

extension Connection {
    /// Begins with the last change of the previous page. Returns `nil` if there are no changes.
    fileprivate func changes(
        of request: HistoryChangesRequest<DefaultHistoryTransaction>, storeIdentifier: String
    ) throws -> ClosedRange<Int64>? {
        let position = request.transaction.transactionIdentifier
        let checkValue = request.transaction.token.checkValue(in: storeIdentifier)
        let history = HistoryPositions(self)
        let facts = try history.facts(at: position)
        let exists =
            switch facts.row {
            case .header(let value): value == checkValue
            case .change: checkValue == nil
            case .none, .partOfChange, .void: false
            }
        let purged = try history.purged() ?? 0
        guard exists, request.transaction.storeIdentifier == storeIdentifier, position > purged else {
            let isOther = request.transaction.storeIdentifier != storeIdentifier
            let failure = isOther ? .ofAnotherStore : HistoryTokenCheck.failure(ofMissing: position, facts)
            throw HistoryPositions.tokenCheck.error(failure, position: position, facts)
        }
        let first =
            try checkValue == nil
            // Later pages need no search, because they begin at the last change of the previous page.
            ? (request.lastChange == nil ? firstUngrouped(before: position) : 1) : firstChange(ofHeaderAt: position)
        let last = checkValue == nil ? position : position - 1
        let start = max(first, min(request.token?.position(in: storeIdentifier) ?? 0, last) + 1)
        guard let change = request.lastChange else { return start <= last ? start...last : nil }
        guard let number = change.integerChangeIdentifier, start <= number, number <= last else {
            throw SwiftDataError.invalidTransactionFetchRequest.with(
                detail: "the last change of the previous page does not belong to the transaction at \(position)")
        }
        return number...last
    }

    private func firstChange(ofHeaderAt position: Int64) throws -> Int64 {
        let statement = try cached("SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id = ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step() else { return position }
        return try HistoryHeader(statement).first
    }

    private func firstUngrouped(before position: Int64) throws -> Int64 {
        let statement = try cached(
            """
            SELECT id FROM \(ChangeTable.name) WHERE \(ChangeTable.endsTransaction()) AND id < ? \
            ORDER BY id DESC LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? statement.position(0) + 1 : 1
    }
}

private struct ChangePageReader {
    private let connection: Connection
    private var buffer = ChangeBuffer()
    private var changes: ChangeAssembly

    init(_ connection: Connection, _ catalog: HistoryCatalog, returnsStoredValues: Bool) throws {
        self.connection = connection
        changes = try ChangeAssembly(connection, catalog, returnsStoredValues: returnsStoredValues)
    }

    mutating func read(
        _ positions: ClosedRange<Int64>, _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] {
        // The last change of the previous page is read again, because its preserved values follow it.
        let known = request.lastChange == nil ? 0 : 1
        let count = min(request.limit, Int(Int32.max) - 1) + known
        let isComplete = try collect(positions, count)
        let last = isComplete ? positions.upperBound : buffer.last
        guard buffer.first == positions.lowerBound, buffer.last == last else {
            throw SwiftDataError.damagedRow(
                .change(request.transaction.transactionIdentifier), "changes of the transaction are missing")
        }
        let all = try changes.changes(buffer, of: request.transaction.transactionIdentifier)
        return known == 0 ? all : Array(all.dropFirst(known))
    }

    /// Returns whether the last change is among the collected rows.
    private mutating func collect(_ positions: ClosedRange<Int64>, _ count: Int) throws -> Bool {
        let statement = try connection.cached(
            "SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? ORDER BY id")
        defer { statement.reset() }
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        while try statement.step() {
            let position = statement.int64(ChangeTable.Column.id)
            let kind = ChangeTable.Kind(rawValue: statement.int64(ChangeTable.Column.kind))
            if buffer.rows.count >= count, kind.operation != .preservedValue { return false }
            try buffer.append(statement, position: position, kind: kind)
        }
        return true
    }
}

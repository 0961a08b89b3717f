public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleStore
import Foundation

extension AppleStore: HistoryProviding {
    /// The `processIdentifier` of a transaction is the name of the process, and the check value of a token is the timestamp
    /// of the transaction.
    public typealias HistoryType = DefaultHistoryTransaction

    /// SwiftData always records a history; Core Data does if the program has enabled it.
    public var recordsHistory: Bool { layout.history != nil }

    /// Returns the transactions that match a descriptor, in commit order unless the descriptor sorts. Updates have the
    /// names of attributes and no values.
    ///
    /// - Complexity: Proportional to the returned changes and to the transactions after the token in the predicate.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try readingHistory { reader in
            try reader.transactions(try rows(descriptor, reader.columns, reader) { try reader.header($0) })
        }
    }

    /// Returns the transactions that match a descriptor, with empty arrays of changes.
    ///
    /// - Complexity: Proportional to the number of transactions that SQLite visits, up to the limit.
    public func fetchHistoryWithoutChanges(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try readingHistory { reader in
            try rows(descriptor, reader.columns, reader) { reader.transaction(try reader.header($0), []) }
        }
    }

    public func fetchHistoryIdentifiers(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [Int64] {
        try readingHistory { try rows(descriptor, "h.Z_PK", $0) { $0.int64(0) } }
    }

    public func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
        try readingHistory { try rows(descriptor, "1", $0, isCounted: true) { Int(clamping: $0.int64(0)) }.first ?? 0 }
    }

    /// Returns the token of the newest transaction. If all transactions were deleted, it has the position of the newest
    /// one.
    ///
    /// - Complexity: O(log *n*) in the length of the history.
    public func currentHistoryToken() throws -> DefaultHistoryToken? {
        try readingHistory { try HistoryFacts($0.connection, storeIdentifier: identifier).newestToken() }
    }

    /// Returns the token before the oldest transaction in the file, whose position is 0 if no transaction was deleted.
    ///
    /// - Complexity: O(log *n*) in the length of the history.
    public func earliestHistoryToken() throws -> DefaultHistoryToken? {
        try readingHistory { try HistoryFacts($0.connection, storeIdentifier: identifier).earliestToken }
    }

    /// Returns the numbers of transactions and changes.
    ///
    /// - Returns: The numbers.
    /// - Throws: `SwiftDataError.historyDisabled` if the file has no history.
    /// - Complexity: O(*n*) in the length of the history. Values are not read.
    public func historyCounts() throws -> (transactions: Int, changes: Int) {
        try readingHistory { reader in
            func count(_ table: String) throws -> Int {
                Int(clamping: try reader.connection.scalarInt64("SELECT count(*) FROM \(table)") ?? 0)
            }
            return (try count("ATRANSACTION WHERE Z_PK > 0"), try count("ACHANGE"))
        }
    }

    /// Throws `SwiftDataError.storeReadOnly`. Delete the history with the program that owns the file.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        throw SwiftDataError.storeReadOnly.with(
            detail: "a store of SwiftData or Core Data can only be read", storeIdentifier: identifier,
            storeName: configuration.name)
    }

    // MARK: Reading

    /// If `isCounted`, the row contains the number of rows.
    private func rows<Result>(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ columns: SQLQuery, _ reader: TransactionReader,
        isCounted: Bool = false, _ make: (Statement) throws -> Result
    ) throws -> [Result] {
        let query = try query(descriptor, columns, reader)
        let statement = try SQLiteQueries.statement(
            isCounted ? SQLiteQueries.dialect.count(of: query) : query, reader.connection)
        defer { statement.reset() }
        var results: [Result] = []
        while try statement.step() { results.append(try make(statement)) }
        return results
    }

    private func query(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ columns: SQLQuery, _ reader: TransactionReader
    ) throws -> SQLQuery {
        let source = HistorySource(
            AppleHistoryColumns(tables: reader.tables, entities: historyEntities), storeIdentifier: identifier)
        let sql = try HistorySQL(descriptor, source)
        let facts = try HistoryFacts(reader.connection, storeIdentifier: identifier)
        var after: Int64 = 0
        for bound in sql.lowerBounds {
            let position = try facts.position(bound.token, isInclusive: bound.isInclusive)
            if bound.isRequired { after = max(after, bound.isInclusive ? position - 1 : position) }
        }
        for bound in sql.upperBounds { _ = try facts.position(bound.token, isUpper: true) }
        var query: SQLQuery = "SELECT \(columns) FROM ATRANSACTION AS h WHERE h.Z_PK > \(value: .integer(after))"
        if let condition = sql.condition { query = "\(query) AND (\(condition))" }
        let limit = [0, .max].contains(descriptor.fetchLimit) ? nil : Int(clamping: descriptor.fetchLimit)
        let offset = Int(clamping: descriptor.fetchOffset)
        let clause = FetchSQL.limit(limit, offset: offset, dialect: SQLiteQueries.dialect) ?? ""
        return "\(query) ORDER BY \(sql.order.joined(", "))\(clause)"
    }

    /// Throws `SwiftDataError.historyDisabled` if the file has no history.
    func readingHistory<Result>(_ body: (TransactionReader) throws -> Result) throws -> Result {
        guard let tables = layout.history else {
            throw SwiftDataError.historyDisabled.with(
                detail:
                    "the file has no tables ATRANSACTION and ACHANGE: the program did not enable persistent history",
                storeIdentifier: identifier, storeName: configuration.name)
        }
        return try reading { try body(TransactionReader(store: self, tables: tables, connection: $0)) }
    }
}

extension AppleStore: HistoryPaging {
    /// Returns the next changes of a transaction, in the order of their keys.
    ///
    /// - Complexity: Proportional to the number of returned changes.
    public func fetchHistoryChanges(
        _ request: HistoryChangesRequest<DefaultHistoryTransaction>
    ) throws -> [HistoryChange] {
        try readingHistory { reader in
            let facts = try HistoryFacts(reader.connection, storeIdentifier: identifier)
            let position = try facts.position(request.transaction.token, isInclusive: true)
            var last: Int64?
            if let change = request.lastChange {
                guard let number = change.integerIdentifier,
                    try reader.connection.contains(change: number, of: position)
                else {
                    throw SwiftDataError.invalidTransactionFetchRequest.with(
                        detail:
                            "the last change of the previous page does not belong to the transaction at \(position)",
                        storeIdentifier: identifier)
                }
                last = number
            }
            return try reader.changes(
                of: position, after: last, limit: request.limit, areStored: request.returnsStoredValues)
        }
    }
}

extension HistoryChange {
    fileprivate var integerIdentifier: Int64? {
        switch self {
        case .insert(let change): change.changeIdentifier as? Int64
        case .update(let change): change.changeIdentifier as? Int64
        case .delete(let change): change.changeIdentifier as? Int64
        }
    }
}

extension Connection {
    fileprivate func contains(change: Int64, of transaction: Int64) throws -> Bool {
        let statement = try cached("SELECT 1 FROM ACHANGE WHERE Z_PK = ? AND ZTRANSACTIONID = ?")
        defer { statement.reset() }
        try statement.bind(change, at: 1)
        try statement.bind(transaction, at: 2)
        return try statement.step()
    }
}

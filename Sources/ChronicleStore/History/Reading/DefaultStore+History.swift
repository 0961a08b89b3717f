public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The history of the store. Reads run concurrently with saves on a separate connection and see what was committed when
/// they began. Changes by other programs that no save has grouped yet are one external transaction at the end of the
/// history.
extension DefaultStore: HistoryProviding {
    public typealias HistoryType = DefaultHistoryTransaction

    public var recordsHistory: Bool { configuration.recordsHistory }

    /// Returns the transactions that match a descriptor, in commit order unless the descriptor sorts.
    ///
    /// - Complexity: Proportional to the returned changes and to the scanned history after the token in the predicate.
    ///   Without other conditions, the scan ends at the limit. The history before the token adds no cost.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try reading(descriptor) { query, range, connection in
            var reader = try TransactionReader(connection, historyCatalog)
            guard query.isPlain else {
                return try reader.read(HeaderSearch(query: query, range: range, connection: connection))
            }
            try reader.read(range.after + 1 ... .max, in: range, offset: query.offset, limit: query.limit ?? .max)
            return reader.transactions
        }
    }

    /// Returns the transactions that match a descriptor, with empty arrays of changes.
    ///
    /// - Complexity: Proportional to the number of transactions after the token in the predicate.
    public func fetchHistoryWithoutChanges(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try reading(descriptor) { query, range, connection in
            var reader = try TransactionReader(connection, historyCatalog)
            let search = HeaderSearch(query: query, range: range, connection: connection)
            let headers = try search.headers()
            try reader.markDeletions(before: headers, search)
            for header in headers { try reader.append(header) }
            return reader.transactions
        }
    }

    /// Returns the number of transactions that match a descriptor.
    ///
    /// - Complexity: Proportional to the number of transactions after the token in the predicate. Without other conditions,
    ///   limit and offset, most of them are counted without visiting them.
    public func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
        try reading(descriptor) { try HeaderSearch(query: $0, range: $1, connection: $2).count() }
    }

    /// Returns the identifiers of the transactions that match a descriptor.
    ///
    /// - Complexity: Proportional to the number of transactions after the token in the predicate.
    public func fetchHistoryIdentifiers(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [Int64] {
        try reading(descriptor) { try HeaderSearch(query: $0, range: $1, connection: $2).identifiers() }
    }

    /// Returns the token of the newest transaction, even if it was deleted. It has the position 0 if there never was one.
    ///
    /// - Complexity: O(log *n*) in the length of the history.
    public func currentHistoryToken() throws -> DefaultHistoryToken? {
        try requireHistory()
        return try attributingErrors {
            try database.read { try HistoryPositions($0).newestToken(of: identifier) }
        }
    }

    /// Returns the token of the last transaction of the deleted beginning, or of the gap with which the history begins. Its
    /// position is 0 if the beginning was not deleted. Later transactions can be missing, because they were deleted, or
    /// because recording was interrupted.
    ///
    /// - Complexity: O(log *n*) in the length of the history.
    public func earliestHistoryToken() throws -> DefaultHistoryToken? {
        try readingHistory { connection in
            let history = HistoryPositions(connection)
            let facts = try history.facts(at: 0)
            // The history of a tracked database begins with a gap.
            if facts.gap > facts.floor, try !history.hasTransactions(through: facts.gap),
                let checkValue = try history.facts(at: facts.gap).row.checkValue
            {
                return DefaultHistoryToken(storeIdentifier: identifier, position: facts.gap, checkValue: checkValue)
            }
            let beginning = SelectiveDeletions(floor: facts.floor, checkValue: facts.floorCheckValue)
            // If nothing is left before the floor, every reader can begin there.
            let isEmpty = try !history.hasTransactions(through: facts.floor)
            let deletions = isEmpty ? beginning : facts.deletions ?? beginning
            guard try !history.hasTransactions(through: deletions.beginning) else {
                return DefaultHistoryToken(storeIdentifier: identifier, position: 0)
            }
            return DefaultHistoryToken(
                storeIdentifier: identifier, position: deletions.beginning, checkValue: deletions.beginningCheckValue)
        }
    }

    func reading<Result>(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
        _ body: (HistoryQuery, HistoryRange, Connection) throws -> Result
    ) throws -> Result {
        try readingHistory { connection in
            let query = try HistoryQuery(descriptor, self, connection)
            return try body(query, HistoryRange(query, storeIdentifier: identifier, connection), connection)
        }
    }

    func readingHistory<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try requireHistory()
        return try attributingErrors {
            try database.read { connection in
                try connection.deferredRead { try body(connection) }
            }
        }
    }

    func requireHistory() throws {
        guard recordsHistory else {
            throw SwiftDataError.historyDisabled.with(
                detail: "the configuration \"\(configuration.name)\" disables it with `recordsHistory: false`",
                storeIdentifier: identifier)
        }
    }
}

extension TransactionReader {
    mutating func read(_ search: HeaderSearch) throws -> [DefaultHistoryTransaction] {
        try read(search.headers(), of: search)
    }

    /// One scan for each run of consecutive transactions. The result has the order of the headers.
    mutating func read(_ headers: [HistoryHeader], of search: HeaderSearch) throws -> [DefaultHistoryTransaction] {
        try markDeletions(before: headers, search)
        let ascending = headers.sorted { $0.position < $1.position }
        var begin = ascending.startIndex
        for index in ascending.indices {
            let next = index + 1
            if next < ascending.endIndex, ascending[next].first == ascending[index].position + 1 { continue }
            try read(ascending[begin].first...ascending[index].position)
            begin = next
        }
        return try inOrder(of: headers)
    }

    private func inOrder(of headers: [HistoryHeader]) throws -> [DefaultHistoryTransaction] {
        let isAscending = zip(headers, headers.dropFirst()).allSatisfy { $0.position < $1.position }
        if isAscending { return transactions }
        let places = Dictionary(transactions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        return headers.compactMap { header in places[header.position].map { transactions[$0] } }
    }
}

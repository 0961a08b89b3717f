public import ChronicleCore
import ChronicleSQLite

/// Reading goes on beside saves, on a connection of its own, and sees one moment: what was committed when it began.
///
/// What other programs wrote and no save has sealed yet is read as one external transaction, the last of the history.
extension DefaultStore: HistoryProviding {
    public typealias HistoryType = DefaultHistoryTransaction

    public var recordsHistory: Bool { configuration.recordsHistory }

    /// The transactions that match, in commit order unless the descriptor sorts.
    ///
    /// Costs what is returned, and a scan of what comes after a token in the predicate; without other conditions, only as
    /// far as the limit reaches. Nothing depends on what lies before the token.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` and its family for a token that transactions have to come after
    ///   and that cannot be continued from: read the models again and go on from a current token.
    ///   ``SwiftDataError/historyDisabled``; ``SwiftDataError/unsupportedPredicate``,
    ///   ``SwiftDataError/unsupportedSortDescriptor``; ``SwiftDataError/undecodableValue`` when a delete kept what is no
    ///   value of the attribute's present type; ``SwiftDataError/damagedFile``.
    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try reading(descriptor) { query, range, connection in
            var reader = TransactionReader(connection, historyCatalog)
            guard query.isPlain else {
                let search = HeaderSearch(query: query, range: range, connection: connection)
                return try reader.read(search.headers())
            }
            try reader.read(range.after + 1 ... .max, offset: query.offset, limit: query.limit ?? .max)
            return reader.transactions
        }
    }

    /// The transactions that match, without their changes.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
    public func fetchHistoryWithoutChanges(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try reading(descriptor) { query, range, connection in
            var reader = TransactionReader(connection, historyCatalog)
            for header in try HeaderSearch(query: query, range: range, connection: connection).headers() {
                try reader.append(header)
            }
            return reader.transactions
        }
    }

    /// How many transactions match.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
    public func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
        try reading(descriptor) { try HeaderSearch(query: $0, range: $1, connection: $2).count() }
    }

    /// The identifiers of the transactions that match.
    ///
    /// - Throws: As ``fetchHistory(_:)``.
    public func fetchHistoryIdentifiers(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [Int64] {
        try reading(descriptor) { try HeaderSearch(query: $0, range: $1, connection: $2).identifiers() }
    }

    /// The newest position, also when it was deleted; 0 when there never was one. One look-up.
    ///
    /// - Throws: ``SwiftDataError/historyDisabled``, ``SwiftDataError/damagedFile``.
    public func currentHistoryToken() throws -> DefaultHistoryToken? {
        try requireHistory()
        return try naming {
            try database.read { connection in
                let newest = try HistoryFacts(connection).newest()
                return DefaultHistoryToken(
                    storeIdentifier: identifier, position: newest?.position ?? 0, check: newest?.check)
            }
        }
    }

    private func reading<Result>(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
        _ body: (HistoryQuery, HistoryRange, Connection) throws -> Result
    ) throws -> Result {
        try requireHistory()
        let query = try HistoryQuery(descriptor, self)
        return try naming {
            try database.read { connection in
                try connection.deferredRead {
                    try body(query, HistoryRange(query, storeIdentifier: identifier, connection), connection)
                }
            }
        }
    }

    /// Runs `body`, and says of its errors which store they come from.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try translating(body) } catch let error as SwiftDataError {
            throw error.storeIdentifier == nil ? error.with(storeIdentifier: identifier) : error
        }
    }

    func requireHistory() throws {
        guard recordsHistory else {
            throw SwiftDataError.historyDisabled.with(
                detail: "the configuration \"\(configuration.name)\" says `recordsHistory: false`",
                storeIdentifier: identifier)
        }
    }
}

extension TransactionReader {
    /// Reads the transactions of some headers. Those that follow each other are one scan.
    ///
    /// - Returns: The transactions in the order of the headers.
    mutating func read(_ headers: [HistoryHeader]) throws -> [DefaultHistoryTransaction] {
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

public import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import Synchronization

/// The consumers of the history, whose positions are kept in the file.
extension DefaultStore: DataStoreConsuming {
    public var initialHistoryToken: DefaultHistoryToken? {
        DefaultHistoryToken(storeIdentifier: identifier, position: 0)
    }

    public func consumerRecords() throws -> [HistoryConsumerRecord<DefaultHistoryToken>] {
        try readingConsumers { try $0.records() } ?? []
    }

    public func consumerRecord(named name: String) throws -> HistoryConsumerRecord<DefaultHistoryToken>? {
        try readingConsumers { try $0.record(named: name)?.record }
    }

    public func updateConsumer<Result: Sendable>(
        named name: String, isDurable: Bool,
        _ update: (inout HistoryConsumerRecord<DefaultHistoryToken>?) throws -> Result
    ) throws -> Result {
        try requireWriteAccess()
        try requireHistory()
        return try attributingErrors {
            try database.write { connection in
                let isRelaxed = !isDurable && configuration.durability == .full && !configuration.isStoredInMemoryOnly
                func updateInTransaction() throws -> Result {
                    try connection.immediate {
                        if try !ConsumerTable.exists(connection) { try ConsumerTable.create(connection) }
                        return try ConsumerTable(connection, storeIdentifier: identifier).update(named: name, update)
                    }
                }
                guard isRelaxed else { return try updateInTransaction() }
                return try connection.withSetting(
                    "PRAGMA synchronous = NORMAL", restoredBy: "PRAGMA synchronous = FULL", updateInTransaction)
            }
        }
    }

    /// Locks a consumer until its process ends or the returned object is released.
    ///
    /// The lock is a byte of the file `<store>-consumers`, which must not be deleted while programs use the store.
    ///
    /// - Throws: ``SwiftDataError/historyConsumerNotFound``, or ``SwiftDataError/storeFailure`` if the file of the locks
    ///   cannot be opened or does not support locks; see the detail.
    public func lockConsumer(named name: String) throws -> (any AnyObject & Sendable)? {
        guard let (number, _) = try readingConsumers({ try $0.record(named: name) }) else {
            throw SwiftDataError.historyConsumerNotFound.with(
                detail: "the store has no consumer \"\(name)\"", storeIdentifier: identifier)
        }
        if configuration.isStoredInMemoryOnly {
            return HistoryConsumerLock(storeIdentifier: identifier, number: number)
        }
        return try attributingErrors {
            try ConsumerLock(number: number, ofStoreAt: FileInspection(url: configuration.url).path)
        }
    }

    /// Runs in the transaction of a save. Once the table is known, it is used without looking up its name, a fifth of the
    /// time.
    func apply(_ acknowledgement: HistoryAcknowledgement, _ connection: Connection) throws {
        if try hasCheckedConsumerTable.load(ordering: .relaxed) || hasConsumers(connection) {
            do {
                return try ConsumerTable(connection, storeIdentifier: identifier)
                    .update(named: acknowledgement.consumerName) { try acknowledgement.apply(to: &$0) }
            } catch let error as SQLiteError {
                if try hasConsumers(connection) { throw error }
            }
        }
        var none: HistoryConsumerRecord<DefaultHistoryToken>?
        try acknowledgement.apply(to: &none)
    }

    private func readingConsumers<Result>(_ body: (ConsumerTable) throws -> Result?) throws -> Result? {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead {
                    guard try hasConsumers(connection) else { return nil }
                    return try body(ConsumerTable(connection, storeIdentifier: identifier))
                }
            }
        }
    }

    /// A backup that was restored may not have the table any more, so its name is looked up each time, and its definition
    /// is compared once.
    private func hasConsumers(_ connection: Connection) throws -> Bool {
        guard try ConsumerTable.isNamed(connection) else { return false }
        if hasCheckedConsumerTable.load(ordering: .relaxed) { return true }
        guard try ConsumerTable.exists(connection) else { return false }
        hasCheckedConsumerTable.store(true, ordering: .relaxed)
        return true
    }

    // MARK: Reading

    /// Returns the next transactions of a fetch, whose sizes include their preserved values.
    ///
    /// - Complexity: Proportional to the returned changes, and to the scanned history before and between them. The changes
    ///   of a large transaction are not read, but their rows are visited.
    public func fetchHistoryPage(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, changeCount: Int
    ) throws -> HistoryPage<DefaultHistoryTransaction> {
        try reading(descriptor) { query, range, connection in
            var reader = try TransactionReader(connection, historyCatalog)
            let search = HeaderSearch(query: query, range: range, connection: connection)
            let changeCount = max(changeCount, 1)
            let largest = HistoryPage<DefaultHistoryTransaction>.largestTransaction(inPageOf: changeCount)
            if query.isPlain {
                let isLimited = try reader.read(
                    range.after + 1 ... .max, in: range, offset: query.offset, limit: query.limit ?? .max,
                    changeLimit: changeCount, largestTransaction: largest)
                // Without a transaction, the limit that was reached is that of the size.
                if !isLimited || !reader.transactions.isEmpty {
                    let hasMore = isLimited && reader.transactions.count != query.limit
                    return HistoryPage(transactions: reader.transactions, hasMore: hasMore)
                }
            }
            let (headers, hasMore) = try search.headers(rowCount: changeCount, largestTransaction: largest)
            if let header = headers.first, header.rowCount > largest {
                try reader.markDeletions(before: headers, search)
                try reader.append(header)
                return HistoryPage(largeTransaction: reader.transactions[0])
            }
            return HistoryPage(transactions: try reader.read(headers, of: search), hasMore: hasMore)
        }
    }

    /// Returns an upper bound of the number of changes after a token, which includes each preserved value.
    ///
    /// - Complexity: Most transactions are counted without visiting them.
    public func estimatedChangeCount(after token: DefaultHistoryToken?) throws -> Int {
        let transactions = try fetchHistoryCount(token.map { .after($0) } ?? HistoryDescriptor())
        guard transactions > 0 else { return 0 }
        let newest = try currentHistoryToken()
        let rows = (newest?.position(in: identifier) ?? 0) - (token?.position(in: identifier) ?? 0)
        // Changes of other programs have no row for their transaction until a save ends it.
        let headers = newest?.checkValue(in: identifier) == nil ? transactions - 1 : transactions
        return max(0, Int(clamping: rows) - headers)
    }

    /// Returns the identifiers of the models of an entity in the order of their primary keys.
    ///
    /// - Complexity: O(*n* + log *m*), where *n* is the number of returned identifiers and *m* that of the models.
    public func identifiers(
        of entity: Schema.Entity, after identifier: PersistentIdentifier?, limit: Int
    ) throws -> [PersistentIdentifier] {
        let table = try layout.table(named: entity.name)
        let kind =
            FetchSQL.kind(of: entity, in: schema, isExact: true, dialect: SQLiteDialect())
            .map { " AND \($0.sql)" } ?? ""
        return try attributingErrors {
            try database.read { connection in
                let statement = try connection.cached(
                    """
                    SELECT _rowid_ FROM \(quoted(table.name)) AS \(FetchSQL.table) WHERE _rowid_ > ?\(kind) \
                    ORDER BY _rowid_ LIMIT ?
                    """)
                defer { statement.reset() }
                try statement.bind(identifier?.integerPrimaryKey ?? .min, at: 1)
                try statement.bind(limit, at: 2)
                var identifiers: [PersistentIdentifier] = []
                while try statement.step() { identifiers.append(table.origin.identifier(statement.int64(0))) }
                return identifiers
            }
        }
    }
}

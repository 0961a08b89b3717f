#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    /// The history of the store.
    ///
    /// Transactions get their positions when the history is read. A read sees the transactions that were committed when it
    /// began, of every program, and no later read finds a transaction before them.
    extension PostgresStore: HistoryProviding {
        /// The type of the store's transactions.
        public typealias HistoryType = DefaultHistoryTransaction

        /// A Boolean value that indicates whether the store records its history.
        public var recordsHistory: Bool { configuration.recordsHistory }

        /// Returns the transactions that match a descriptor, in commit order unless the descriptor sorts.
        ///
        /// - Returns: The matching transactions with their changes. A preserved value that cannot be converted to the
        ///   current type of its attribute is an `UndecodableValue`.
        /// - Throws:
        ///   - `SwiftDataError.historyTokenExpired`, or an error of its family, if the predicate requires transactions
        ///     after a token that cannot be continued from. Fetch the models again and continue from a current token.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history.
        ///   - `SwiftDataError.unsupportedPredicate` or `SwiftDataError.unsupportedSortDescriptor` for expressions
        ///     without an SQL equivalent. Rewrite them.
        ///   - `SwiftDataError.damagedFile` if the history is damaged. Restore the tables from a backup.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: Proportional to the returned changes, and to the number of transactions after the token in the
        ///   predicate. Without other conditions, reading ends at the limit.
        public func fetchHistory(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [DefaultHistoryTransaction] {
            try reading(descriptor) { query, start, connection in
                var reader = ChangeReader(connection, HistoryCatalog(self))
                return try reader.transactions(query.headers(connection, after: start), storeIdentifier: identifier)
            }
        }

        /// Returns the transactions that match a descriptor, without their changes.
        ///
        /// - Returns: The matching transactions, with empty arrays of changes.
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryWithoutChanges(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [DefaultHistoryTransaction] {
            try reading(descriptor) { query, start, connection in
                try query.headers(connection, after: start).map { $0.transaction([], storeIdentifier: identifier) }
            }
        }

        /// Returns the number of transactions that match a descriptor.
        ///
        /// - Returns: The number of matching transactions, after applying the limit and the offset.
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
            try reading(descriptor) { query, start, connection in
                let (sql, parameters) = query.statement("1", after: start)
                return Int(try connection.run("SELECT count(*) FROM (\(sql)) AS matching", parameters).int64(0, 0))
            }
        }

        /// Returns the identifiers of the transactions that match a descriptor.
        ///
        /// - Returns: The identifiers in the order of the descriptor.
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryIdentifiers(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [Int64] {
            try reading(descriptor) { query, start, connection in
                let (sql, parameters) = query.statement("h.position", after: start)
                let result = try connection.run(sql, parameters)
                return (0..<result.count).map { result.int64($0, 0) }
            }
        }

        /// Returns the token of the newest transaction, even if that transaction was deleted.
        ///
        /// - Returns: The token, which has the position 0 if there never was a transaction.
        /// - Throws: `SwiftDataError.historyDisabled` if the store does not record its history; enable it in the
        ///   configuration. `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`; try again.
        /// - Complexity: Proportional to the number of transactions that no read has numbered yet.
        public func currentHistoryToken() throws -> DefaultHistoryToken? {
            try readingHistory { positions in positions.state.newestToken(identifier) }
        }

        /// Returns the token of the newest deleted transaction.
        ///
        /// - Returns: The token, which has the position 0 if no transaction was deleted. It also has the position 0, which
        ///   has expired, if transactions before the newest deleted one remain.
        /// - Throws: `SwiftDataError.historyDisabled` if the store does not record its history; enable it in the
        ///   configuration. `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`; try again.
        /// - Complexity: O(log *n*) in the length of the history.
        public func earliestHistoryToken() throws -> DefaultHistoryToken? {
            try readingHistory { positions in
                let earlier = try positions.connection.run(
                    "SELECT EXISTS (SELECT FROM \(positions.connection.schema).chronicle_transaction WHERE position <= $1)",
                    Parameters(.int64(positions.state.floor)))
                if earlier.bool(0, 0) { return DefaultHistoryToken(storeIdentifier: identifier, position: 0) }
                return positions.state.floorToken(identifier)
            }
        }

        /// Deletes the transactions that match a descriptor. The models remain unchanged.
        ///
        /// Tokens before the newest deleted transaction expire.
        ///
        /// - Throws: One of the following errors. Nothing was deleted in that case.
        ///   - `SwiftDataError.historyTokenStoreMismatch`, `SwiftDataError.historyTokenAhead` or
        ///     `SwiftDataError.historyTokenForked` for a token that is not part of the history of this store.
        ///   - `SwiftDataError.unsupportedPredicate` for expressions without an SQL equivalent. Rewrite them.
        ///   - `SwiftDataError.storeReadOnly` if the configuration does not allow saving, or the role may not delete
        ///     history. Connect as the owner of the tables.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: Proportional to the number of transactions and of deleted changes.
        public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
            try writingHistory { positions in
                let query = try HistoryQuery(descriptor, self, positions.connection)
                for bound in query.sql.upperBounds {
                    _ = try positions.checkedUpperBound(bound.token, storeIdentifier: identifier)
                }
                // A token from which reading cannot continue selects the transactions that still exist.
                let start = query.sql.lowerBounds.filter(\.isRequired).compactMap { bound in
                    bound.token.position(in: identifier).map { bound.isInclusive ? $0 - 1 : $0 }
                }.max()
                let (sql, parameters) = query.statement("h.position", after: start ?? 0)
                _ = try HistoryEraser(positions.connection).erase(sql, parameters)
            }
        }

        // MARK: Transactions of the database

        private func reading<Result>(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
            _ body: (HistoryQuery, _ start: Int64, Connection) throws -> Result
        ) throws -> Result {
            try readingHistory { positions in
                let query = try HistoryQuery(descriptor, self, positions.connection)
                return try body(query, query.start(positions), positions.connection)
            }
        }

        /// Numbers the transactions that were committed before, and runs `body` with a snapshot that includes them.
        func readingHistory<Result>(_ body: (HistoryPositions) throws -> Result) throws -> Result {
            try requireHistory()
            return try attributingErrors {
                try pool.read { try readingHistory($0, body) }
            }
        }

        /// Does the same with a connection.
        func readingHistory<Result>(
            _ connection: Connection, _ body: (HistoryPositions) throws -> Result
        ) throws -> Result {
            // Its own transaction: the numbers are committed before anybody reads them.
            try connection.numberTransactions()
            return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") {
                let state = try $0.run(HistoryState.select($0))
                return try body(positions(state, $0))
            }
        }

        /// Runs `body` in a transaction that changes the history. Others do not change or number it meanwhile.
        func writingHistory<Result>(_ body: (HistoryPositions) throws -> Result) throws -> Result {
            try requireWriteAccess()
            try requireHistory()
            return try attributingErrors {
                try pool.use { connection in
                    try connection.numberTransactions()
                    return try connection.transaction { connection in
                        let state = try connection.run("\(HistoryState.select(connection)) FOR UPDATE")
                        return try body(positions(state, connection))
                    }
                }
            }
        }

        private func positions(_ state: QueryResult, _ connection: Connection) throws -> HistoryPositions {
            HistoryPositions(connection: connection, state: try HistoryState(state), storeIdentifier: identifier)
        }

        func requireHistory() throws {
            guard recordsHistory else {
                throw SwiftDataError.historyDisabled.with(
                    detail: "the configuration \"\(configuration.name)\" disables it with `recordsHistory: false`",
                    storeIdentifier: identifier)
            }
        }
    }
#endif

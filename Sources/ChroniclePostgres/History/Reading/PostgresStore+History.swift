#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    /// The history of the store.
    ///
    /// Transactions get their positions when the history is read. A read sees the transactions that were committed when it
    /// began, of every program, and no later read finds a transaction before them.
    extension PostgresStore: HistoryProviding {
        public typealias HistoryType = DefaultHistoryTransaction

        public var recordsHistory: Bool { configuration.recordsHistory }

        /// Returns the transactions that match a descriptor, in commit order unless the descriptor sorts.
        ///
        /// - Complexity: Proportional to the returned changes, and to the number of transactions after the token in the
        ///   predicate. Without other conditions, reading ends at the limit.
        public func fetchHistory(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [DefaultHistoryTransaction] {
            try reading(descriptor) { query, start, connection in
                var reader = ChangeReader(connection, HistoryCatalog(self))
                let headers = try query.headers(connection, after: start.position)
                let followers = try query.followers(of: headers, after: start, connection)
                return try reader.transactions(headers, followers: followers, storeIdentifier: identifier)
            }
        }

        /// Returns the transactions that match a descriptor, with empty arrays of changes.
        ///
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryWithoutChanges(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [DefaultHistoryTransaction] {
            try reading(descriptor) { query, start, connection in
                let headers = try query.headers(connection, after: start.position)
                let followers = try query.followers(of: headers, after: start, connection)
                return headers.map {
                    $0.transaction([], followsDeletion: followers.contains($0.position), storeIdentifier: identifier)
                }
            }
        }

        /// Returns the number of transactions that match a descriptor.
        ///
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryCount(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> Int {
            try reading(descriptor) { query, start, connection in
                let (sql, parameters) = query.statement("1", after: start.position)
                return Int(try connection.run("SELECT count(*) FROM (\(sql)) AS matching", parameters).int64(0, 0))
            }
        }

        /// Returns the identifiers of the transactions that match a descriptor.
        ///
        /// - Complexity: Proportional to the number of transactions after the token in the predicate.
        public func fetchHistoryIdentifiers(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
        ) throws -> [Int64] {
            try reading(descriptor) { query, start, connection in
                let (sql, parameters) = query.statement("h.position", after: start.position)
                let result = try connection.run(sql, parameters)
                return (0..<result.count).map { result.int64($0, 0) }
            }
        }

        /// Returns the token of the newest transaction, even if that transaction was deleted.
        ///
        /// - Complexity: Proportional to the number of transactions that no read has numbered yet.
        public func currentHistoryToken() throws -> DefaultHistoryToken? {
            try readingHistory { positions in positions.state.newestToken(identifier) }
        }

        /// Returns the token of the last transaction of the deleted beginning, or of the gap with which the history begins.
        /// Its position is 0 if the beginning was not deleted. Later transactions can be missing, because they were deleted,
        /// or because recording was interrupted.
        ///
        /// - Complexity: O(log *n*) in the length of the history.
        public func earliestHistoryToken() throws -> DefaultHistoryToken? {
            try readingHistory { positions in
                let state = positions.state
                // The history of a tracked database can begin with a gap.
                if state.gap > state.floor, try !positions.hasTransactions(through: state.gap) {
                    return state.gapToken(identifier)
                }
                let beginning = state.deletedBeginning
                // If nothing is left before the floor, every reader can begin there.
                let isEmpty = try !positions.hasTransactions(through: state.floor)
                let deletions = isEmpty ? beginning : try positions.deletions() ?? beginning
                if try positions.hasTransactions(through: deletions.beginning) {
                    return DefaultHistoryToken(storeIdentifier: identifier, position: 0)
                }
                return DefaultHistoryToken(
                    storeIdentifier: identifier, position: deletions.beginning,
                    checkValue: deletions.beginningCheckValue)
            }
        }

        /// Deletes the transactions that match a descriptor. The models remain unchanged. With
        /// ``PostgresConfiguration/historySealing``, the history is sealed first.
        ///
        /// The tokens of the deleted transactions expire, except that of the newest one, and those of the deleted beginning of
        /// the history, except that of its last transaction. Readers that need every change cannot continue from a token before
        /// the newest deleted transaction either; see `HistoryDescriptor.requiresCompleteHistory`.
        ///
        /// - Throws: The errors of the protocol's requirement, and `SwiftDataError.storeReadOnly` if the role may not
        ///   delete history; connect as the owner of the tables. Nothing was deleted in that case.
        /// - Complexity: Proportional to the number of transactions and of deleted changes.
        public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
            try sealBeforeDeletion(historySealing)
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
                let seals = try SealedHistory(positions.connection)
                let deleted = try HistoryEraser(positions).erase(sql, parameters, seals)
                try seals?.recordDeletion(deleted.positions)
            }
        }

        // MARK: Transactions of the database

        private func reading<Result>(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
            _ body: (HistoryQuery, HistoryQuery.Start, Connection) throws -> Result
        ) throws -> Result {
            try readingHistory { positions in
                let query = try HistoryQuery(descriptor, self, positions.connection)
                return try body(query, query.start(positions), positions.connection)
            }
        }

        /// The snapshot includes the transactions that were committed before, which are numbered first.
        func readingHistory<Result>(_ body: (HistoryPositions) throws -> Result) throws -> Result {
            try requireHistory()
            return try attributingErrors {
                try pool.read { try readingHistory($0, body) }
            }
        }

        func readingHistory<Result>(
            _ connection: Connection, _ body: (HistoryPositions) throws -> Result
        ) throws -> Result {
            // Its own transaction: the numbers are committed before anybody reads them.
            try connection.numberTransactions()
            return try connection.transaction(Self.beginReading) {
                let state = try $0.run(HistoryState.select($0))
                return try body(positions(state, $0))
            }
        }

        /// Others do not change or number the history during this transaction.
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

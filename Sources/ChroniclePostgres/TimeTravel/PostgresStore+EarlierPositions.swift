#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    public import Foundation

    extension PostgresStore {
        /// Returns a store with the rows as they were at a position.
        ///
        /// The store uses the connections of this one. It keeps the rows that have changed since the position in memory, sends
        /// those of the tables that a query reads with the query, and combines them with the present rows. So it also reads
        /// from standby servers and through proxies, and needs no privilege but `SELECT` on all tables of the store.
        ///
        /// - Parameter token: The position.
        /// - Returns: The store as of the position, which cannot be written.
        /// - Throws:
        ///   - `SwiftDataError.historyTokenExpired`, or an error of its family, if changes after the position were deleted or
        ///     not recorded, or if it is not part of the history. Use a later position.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history. Enable it in the configuration.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: O(1). The first read takes time and memory proportional to the changes after the position, and later
        ///   ones to the changes since the previous read. A read also takes time proportional to the number of rows of its
        ///   tables that have changed since the position, which are sent to the server, unless it looks up models by their
        ///   identifiers. Apart from that, a read is proportional to the same read of the present rows.
        public func store(asOf token: DefaultHistoryToken) throws -> any DataStore {
            let present = past?.present ?? self
            let position = try present.readingHistory { try $0.checkedPosition(token, storeIdentifier: identifier) }
            return PostgresStore(PastRows(present, position, checkValue: token.checkValue(in: identifier)))
        }

        /// Returns the token of the last transaction before the first one with a later timestamp.
        ///
        /// - Parameter date: The date.
        /// - Returns: The token, which has the position 0 if all transactions are later.
        /// - Throws:
        ///   - `SwiftDataError.historyTokenExpired` if the transactions before the date were deleted, and
        ///     `SwiftDataError.historyTokenGap` if they were not recorded. Use a later date.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history. Enable it in the configuration.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: Proportional to the number of transactions.
        public func historyToken(asOf date: Date) throws -> DefaultHistoryToken {
            var later = HistoryDescriptor<DefaultHistoryTransaction>.after(date)
            later.fetchLimit = 1
            return try readingHistory { positions in
                let query = try HistoryQuery(later, self, positions.connection)
                let start = try query.start(positions).position
                let first = try query.headers(positions.connection, after: start).first
                let position = first.map { $0.position - 1 } ?? positions.state.position
                return try positions.facts(at: position).token(
                    asOf: date, position: position, hasLaterTransactions: first != nil,
                    isTracked: isTracked, MetaTable(positions.connection), storeIdentifier: identifier)
            }
        }

        /// Throws an error if the store has the rows of an earlier position.
        func requirePresent(_ detail: (_ position: Int64) -> String) throws {
            guard let past else { return }
            throw SwiftDataError.unsupportedFeature.with(detail: detail(past.position), storeIdentifier: identifier)
        }

        /// Runs `body` with a connection, and with the tables as of the position of the store if it has one.
        func readRows<Result>(_ body: (Connection, PastTables?) throws -> Result) throws -> Result {
            try attributingErrors {
                try pool.read { connection in
                    guard let past else { return try body(connection, nil) }
                    return try past.read(connection) { try body($0, $1) }
                }
            }
        }
    }
#endif

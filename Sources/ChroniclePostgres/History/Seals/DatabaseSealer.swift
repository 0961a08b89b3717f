#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// Seals the history of a database. Writers hold the lock of the row of `chronicle_history`.
    struct DatabaseSealer: StoreSealer {
        let store: PostgresStore
        let sealer: HistorySealer

        var storeIdentifier: String { store.identifier }

        /// Numbers the pending transactions, and creates the tables and the record of the consumer. Returns the newest position.
        func begin() throws -> Int64 {
            try sealer.observe(.begin)
            return try store.pool.use { connection in
                try connection.numberTransactions()
                return try connection.transaction { connection in
                    // An opening compares the definitions, which would change meanwhile.
                    if try !SealTables.exist(connection) { try SchemaCompletion.lock(connection) }
                    let positions = try lock(connection)
                    if try !SealTables.exist(connection) { try SealTables.create(positions) }
                    try updateRecord(connection) { _ in }
                    return positions.state.position
                }
            }
        }

        /// Throws if another program disabled the history.
        private func lock(_ connection: Connection) throws -> HistoryPositions {
            let state = try connection.run("\(HistoryState.select(connection)) FOR UPDATE")
            return HistoryPositions(
                connection: connection, state: try HistoryState(state), storeIdentifier: store.identifier)
        }

        func withReadTransaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            try store.pool.use { try $0.transaction(PostgresStore.beginReading, body) }
        }

        func withWriteTransaction<Result>(
            _ step: HistorySealer.Step, _ body: (Connection) throws -> Result
        ) throws -> Result {
            try store.pool.use { connection in
                try connection.transaction { connection in
                    _ = try lock(connection)
                    if step == .seal || step == .end { try makeDurable(connection) }
                    return try body(connection)
                }
            }
        }

        /// A transaction becomes visible after its commit is durable, so every head that can be read is.
        private func makeDurable(_ connection: Connection) throws {
            try connection.run(
                """
                SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') \
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, TRUE)
                """)
        }

        func seals(_ connection: Connection) -> SealTable { SealTable(connection) }

        func events(_ connection: Connection) -> EventTable { EventTable(connection) }

        func catalog(_ connection: Connection) throws -> [UInt8] { try SealedCatalog(connection).bytes }

        func makeBatch(after position: Int64, _ connection: Connection) throws -> SealBatch {
            try SealBatch(after: position, storeIdentifier: storeIdentifier, sealer.hashing, connection)
        }

        private func consumers(_ connection: Connection) -> ConsumerTable {
            ConsumerTable(connection, storeIdentifier: storeIdentifier)
        }

        func record(_ connection: Connection) throws -> SealerRecord? {
            try consumers(connection).record(named: HistorySeal.consumerName)?.record
        }

        func changeRecord(_ connection: Connection, _ change: (inout SealerRecord?) throws -> Void) throws {
            do {
                try consumers(connection).update(named: HistorySeal.consumerName, change)
            } catch is ConsumerTable.InsertedMeanwhile {
                throw SwiftDataError.sealerIsInUse(storeIdentifier: storeIdentifier)
            }
        }
    }
#endif

#if Postgres
    package import ChronicleCore
    import ChronicleSQLStore
    package import Foundation

    extension PostgresStore: HistorySealing {
        package func sealHistory(
            _ hashing: any HistoryHashing, signedBy signer: (any SealSigning)? = nil, isLast: Bool = false,
            observing observe: (HistorySealer.Step) throws -> Void
        ) throws -> HistorySeal {
            try requireWriteAccess()
            try requireHistory()
            return try attributingErrors {
                try withoutActuallyEscaping(observe) { observe in
                    let sealer = DatabaseSealer(
                        store: self, sealer: HistorySealer(hashing: hashing, signer: signer, observe: observe))
                    var newest = try sealer.begin()
                    // Without a limit, a session that seals forever would hold up each deletion. Each attempt needs a session, and
                    // the lock belongs to one for longer than a statement, so the interval is not shorter.
                    let lock = try lockSealer(timeout: configuration.lockTimeout ?? .seconds(5), interval: 0.05) {
                        newest = try sealer.begin()
                    }
                    return try withExtendedLifetime(lock) { try sealer.run(through: newest, isLast: isLast) }
                }
            }
        }

        /// The schedule of the configuration, unless another program writes the tables without the store.
        var historySealing: HistorySealingSchedule? { isTracked ? nil : configuration.historySealing }

        // MARK: Reading

        static let beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"

        package func historySeals(after head: HistorySeal?) throws -> [HistorySeal] {
            try attributingErrors {
                try pool.read { connection in
                    try connection.transaction(Self.beginReading) { connection in
                        let table = try SealTables.exist(connection) ? SealTable(connection) : nil
                        guard let head else { return try table?.heads(after: .min) ?? [] }
                        guard let number = try table?.number(of: head) else {
                            throw try SwiftDataError.missingHead(
                                head, first: table?.first(), newest: table?.newest()?.last)
                        }
                        return try table?.heads(after: number) ?? []
                    }
                }
            }
        }

        package func newestSealTime() throws -> Date? {
            try attributingErrors {
                try pool.read { connection in
                    try connection.transaction(Self.beginReading) { connection in
                        guard try SealTables.exist(connection) else { return nil }
                        return try SealTable(connection).newest().map {
                            Date(timeIntervalSinceReferenceDate: $0.time)
                        }
                    }
                }
            }
        }

        /// Transactions without a position get one first, like for other reads of the history.
        package func readSealedHistory<Result>(
            includesValues: Bool, _ body: (any SealedHistoryReading) throws -> Result
        ) throws -> Result? {
            try attributingErrors {
                // Not repeated after the loss of a connection, because the closure may have read a part.
                try pool.use { connection in
                    try connection.numberTransactions()
                    return try connection.transaction(Self.beginReading) { connection in
                        guard try SealTables.exist(connection) else { return nil }
                        return try body(
                            SealedHistoryReader(
                                connection, storeIdentifier: identifier, includesValues: includesValues))
                    }
                }
            }
        }
    }
#endif

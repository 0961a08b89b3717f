#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    public import Foundation

    extension PostgresStore: HistoryValueRetaining {
        public var historyRetention: HistoryRetention { configuration.historyRetention }

        /// The result of the last automatic purge of the history by this store, or `nil` if none has ended yet.
        ///
        /// A purge that fails is repeated after `HistoryRetention.purgeInterval`, for example one of a role that may not
        /// delete history. Its error is not thrown by any method, but reported to the ``PostgresConfiguration/logger``.
        public var automaticPurgeOutcome: Result<HistoryPurgeResult, any Error>? { automaticPurge.outcome }

        /// The number of positions from which the statistics are estimated.
        private static let exactLimit: Int64 = 100_000
        /// The changes that a step of a purge deletes. A transaction is not divided.
        private static let stepSize = 1_000

        /// Returns the size of the history, estimated if there are more than 100,000 transactions. The number of bytes is
        /// extrapolated from the newest changes.
        ///
        /// - Complexity: Proportional to the number of transactions, up to 100,000.
        public func historyStatistics() throws -> HistoryStatistics {
            try readingHistory { positions in
                let schema = positions.connection.schema
                let isEstimated = positions.state.position - positions.state.floor > Self.exactLimit
                let count =
                    isEstimated
                    ? """
                    SELECT position - floor, next_change - coalesce((SELECT first_number \
                    FROM \(schema).chronicle_transaction ORDER BY position LIMIT 1), next_change) \
                    FROM \(schema).chronicle_history
                    """
                    : """
                    SELECT count(*), coalesce(sum(change_count), 0)::bigint FROM \(schema).chronicle_transaction
                    """
                let results = try positions.connection.pipeline { pipeline in
                    pipeline.add(count)
                    pipeline.add(
                        "SELECT timestamp FROM \(schema).chronicle_transaction ORDER BY position LIMIT 1")
                    pipeline.add(
                        "SELECT timestamp FROM \(schema).chronicle_transaction ORDER BY position DESC LIMIT 1")
                }
                let (transactions, changes) = (results[0].int64(0, 0), results[0].int64(0, 1))
                func date(_ result: QueryResult) -> Date? {
                    result.count == 0 ? nil : Date(timeIntervalSinceReferenceDate: result.double(0, 0))
                }
                let sizes = try HistorySizes(positions.connection)
                return HistoryStatistics(
                    storeIdentifier: identifier, transactions: Int(transactions), changes: Int(changes),
                    bytes: Int(Double(changes) * sizes.change + Double(transactions) * sizes.transaction),
                    isEstimated: isEstimated || changes > HistorySizes.sampleCount, oldest: date(results[1]),
                    newest: date(results[2]),
                    lastDeletion: try MetaTable(positions.connection).lastDeletion(floor: positions.state.floor)?.date,
                    holds: try positions.holds(SealedHistory(positions.connection)).statistics(
                        before: positions.state.position, historyRetention, at: .now))
            }
        }

        /// Returns up to which transaction the history may be deleted.
        ///
        /// - Complexity: Proportional to the number of transactions that are kept, and to that of those to delete.
        public func planHistoryPurge(
            _ retention: HistoryRetention, at date: Date
        ) throws -> HistoryPurgePlan<DefaultHistoryToken> {
            try readingHistory { positions in
                for rule in retention.valueRules { _ = try Catalog(positions.connection).selection(rule) }
                let limit = PurgeLimit(positions.connection)
                let seals = try SealedHistory(positions.connection)
                return try HistoryPurgePlan(
                    retention, at: date, limit: limit.position(retention, at: date),
                    valueLimits: retention.valueRules.map { try limit.position(olderThan: $0.maximumAge, at: date) },
                    positions.holds(seals), storeIdentifier: identifier,
                    roundedDown: { try seals?.roundedDown($0) ?? $0 }
                ) { end in
                    let found = try positions.connection.run(
                        """
                        SELECT position, check_value FROM \(positions.connection.schema).chronicle_transaction \
                        WHERE position <= $1 ORDER BY position DESC LIMIT 1
                        """, Parameters(.int64(end)))
                    return found.count == 1 ? (found.int64(0, 0), found.int64(0, 1)) : nil
                }
            }
        }

        /// Returns how many preserved values each of the erasures of a plan removes.
        ///
        /// - Complexity: Proportional to the number of changes after those whose values earlier purges have erased by the same
        ///   rule.
        public func preservedValueCounts(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> [Int] {
            try readingHistory { positions in
                let deleted = try plan.newest.map { try positions.checkedUpperBound($0, storeIdentifier: identifier) }
                return try plan.erasures.map { try ValuePurger(positions).count($0, after: deleted ?? 0) }
            }
        }

        /// Deletes the oldest transactions up to that of a plan, about 1,000 changes in each step, in a few milliseconds; then
        /// erases the values of its rules, of 500 changes in each step. Other sessions can write meanwhile. The server reuses
        /// the space; `VACUUM` returns it to the file system. Until then, the files of the tables contain the earlier versions of
        /// the rows.
        ///
        /// - Complexity: Proportional to the deleted changes.
        public func purgeHistory(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep {
            try requireWriteAccess()
            try requireHistory()
            if let newest = plan.newest {
                let step = try deleteTransactions(through: newest, plan)
                if !step.isLast || step.transactions > 0 && !plan.erasures.isEmpty {
                    return HistoryPurgeStep(transactions: step.transactions, changes: step.changes, isLast: false)
                }
                if plan.erasures.isEmpty { return step }
            }
            for erasure in plan.erasures {
                func end(_ positions: HistoryPositions) throws -> Int64 {
                    try plan.end(
                        positions.checkedUpperBound(erasure.newest, storeIdentifier: identifier),
                        positions.holds(SealedHistory(positions.connection)))
                }
                let changes = try readingHistory { try ValuePurger($0).changes(erasure, through: end($0)) }
                guard let changes else { continue }
                return try writingHistory { positions in
                    // A consumer may have been created.
                    guard try end(positions) >= max(changes.through.position, changes.last) else {
                        return HistoryPurgeStep(isLast: false)
                    }
                    return try ValuePurger(positions).erase(changes, erasure, SealedHistory(positions.connection))
                }
            }
            return HistoryPurgeStep(isLast: true)
        }

        private func deleteTransactions(
            through newest: DefaultHistoryToken, _ plan: HistoryPurgePlan<DefaultHistoryToken>
        ) throws -> HistoryPurgeStep {
            try writingHistory { positions in
                let seals = try SealedHistory(positions.connection)
                var end = try positions.checkedUpperBound(newest, storeIdentifier: identifier)
                end = try plan.end(end, positions.holds(seals))
                if let seals { end = try seals.roundedDown(end) }
                let planned = end
                // A step deletes either transactions of seals or others, so that one event describes it.
                if let seals, end > seals.end, try hasTransactions(through: seals.end, positions) { end = seals.end }
                let deleted = try HistoryEraser(positions).erase(
                    """
                    SELECT position FROM (SELECT position, \
                    (sum(change_count) OVER (ORDER BY position))::bigint - change_count AS before \
                    FROM (SELECT position, change_count FROM \(positions.connection.schema).chronicle_transaction \
                    WHERE position <= $1 \
                    ORDER BY position LIMIT \(Self.stepSize)) AS oldest) AS summed WHERE before < \(Self.stepSize)
                    """, Parameters(.int64(end)), seals)
                let hasMore = try hasTransactions(through: end, positions)
                if let last = deleted.positions.last {
                    try seals?.record(
                        SealedHistory.Purge(
                            reason: PurgeReason(plan.retention, configured: historyRetention),
                            through: hasMore ? last : end, transactions: deleted.transactions))
                }
                let isLast = !hasMore && end == planned
                if isLast { try HistoryEraser(positions).eraseNotes() }
                return HistoryPurgeStep(
                    transactions: deleted.transactions, changes: deleted.changes, isLast: isLast)
            }
        }

        private func hasTransactions(through end: Int64, _ positions: HistoryPositions) throws -> Bool {
            try positions.connection.run(
                """
                SELECT EXISTS (SELECT FROM \(positions.connection.schema).chronicle_transaction WHERE position <= $1)
                """, Parameters(.int64(end))
            ).bool(0, 0)
        }
    }

    /// The sizes in bytes, from a sample.
    struct HistorySizes {
        let change: Double
        let transaction: Double

        static let sampleCount = 1_000

        init(_ connection: Connection) throws {
            func average(_ table: String, _ order: String) throws -> Double {
                let result = try connection.run(
                    """
                    SELECT coalesce(avg(pg_catalog.pg_column_size(r.*)), 0)::double precision FROM \
                    (SELECT * FROM \(connection.schema).\(table) ORDER BY \(order) LIMIT \(Self.sampleCount)) AS r
                    """)
                return result.double(0, 0)
            }
            change = try average("chronicle_change", "transaction DESC, id DESC")
            transaction = try average("chronicle_transaction", "position DESC")
        }
    }

    struct PurgeLimit {
        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        /// 0 if no transaction exceeds a limit.
        func position(_ retention: HistoryRetention, at date: Date) throws -> Int64 {
            var limit: Int64 = 0
            if let age = retention.maximumAge { limit = try position(olderThan: age, at: date) }
            if let changes = retention.maximumChanges {
                limit = max(limit, try position(exceeding: Double(changes), change: 1, transaction: 0))
            }
            if let bytes = retention.maximumBytes {
                let sizes = try HistorySizes(connection)
                limit = max(
                    limit, try position(exceeding: Double(bytes), change: sizes.change, transaction: sizes.transaction))
            }
            return limit
        }

        /// 0 if no transaction is older.
        func position(olderThan age: Duration, at date: Date) throws -> Int64 {
            // The time of the server, not that of the programs, whose clocks may be wrong. Transactions of an earlier
            // format have only the latter: one after the current time says nothing about their age, so they are deleted
            // with the next old enough one.
            let recorded = "coalesce(recorded, timestamp)"
            let result = try connection.run(
                """
                SELECT coalesce((SELECT position FROM \(connection.schema).chronicle_transaction \
                WHERE \(recorded) < $1 AND position < coalesce((SELECT position \
                FROM \(connection.schema).chronicle_transaction WHERE \(recorded) BETWEEN $1 \
                AND greatest($2, extract(epoch FROM clock_timestamp())::double precision - 978307200::double precision) \
                ORDER BY position LIMIT 1), 9223372036854775807) ORDER BY position DESC LIMIT 1), 0)
                """,
                Parameters(
                    .double((date - age / .seconds(1)).timeIntervalSinceReferenceDate),
                    .double(date.timeIntervalSinceReferenceDate)))
            return result.int64(0, 0)
        }

        /// The newest transaction that, with all later ones, exceeds a size. The newest one of all is kept.
        private func position(exceeding size: Double, change: Double, transaction: Double) throws -> Int64 {
            let result = try connection.run(
                """
                SELECT position FROM (SELECT position, \
                sum(change_count::double precision * $2 + $3) OVER (ORDER BY position DESC) AS total, \
                row_number() OVER (ORDER BY position DESC) AS number \
                FROM \(connection.schema).chronicle_transaction) AS t \
                WHERE total > $1 AND number > 1 LIMIT 1
                """, Parameters(.double(size), .double(change), .double(transaction)))
            return result.count == 1 ? result.int64(0, 0) : 0
        }
    }

    extension HistoryPositions {
        /// - Parameter seals: `nil` if the history is not sealed.
        fileprivate func holds(_ seals: SealedHistory?) throws -> [RetentionHold] {
            var records = try ConsumerTable(connection, storeIdentifier: storeIdentifier).records()
            var holds: [RetentionHold] = []
            if let seals {
                let index = records.firstIndex { $0.name == HistorySeal.consumerName }
                if let hold = try seals.hold(lastSeen: index.map { records.remove(at: $0).seen }) { holds.append(hold) }
            }
            return try holds + RetentionHold.all(records, self, storeIdentifier: storeIdentifier)
        }
    }
#endif

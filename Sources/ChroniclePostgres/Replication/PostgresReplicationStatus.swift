#if Postgres
    public import ChronicleCore
    public import Foundation

    /// How far a standby server is behind its primary server, and the history behind the rows; see
    /// ``PostgresStore/replicationStatus()``.
    public struct PostgresReplicationStatus: Hashable, Sendable {
        /// Whether the server is a standby server. It is `false` after the server was promoted.
        public let isStandby: Bool
        /// The token of the newest transaction that readers of this server see.
        public let newestToken: DefaultHistoryToken
        /// The number of transactions without a position in the history, which a store on the primary server gives them
        /// (see ``PostgresConfiguration/numbering-swift.property``), or the next read of the history there.
        public let pendingTransactionCount: Int
        /// Whether the standby server is connected to the server that sends it changes. `false` on a primary server.
        public let isReceiving: Bool
        /// Whether applying changes was paused with `pg_wal_replay_pause()`.
        public let isPaused: Bool
        /// The number of bytes that the standby server has received and not applied, or `nil` if it receives no stream.
        public let unappliedByteCount: Int64?
        /// When the primary server committed the newest transaction that the standby server has applied since its start, if
        /// any.
        public let newestCommitDate: Date?
        /// How far the rows of the standby server are behind, or `nil` if it is not known.
        ///
        /// Zero on a primary server, and if a connected standby server has applied everything that it received. Otherwise,
        /// the time since ``newestCommitDate``, which also grows while nothing is committed and the standby server is not
        /// connected. The clocks of both servers determine it.
        public let delay: Duration?
    }

    extension PostgresStore {
        /// Returns how far a standby server is behind, and how many transactions have no position in the history.
        ///
        /// - Returns: The status. On a primary server, the number of transactions without a position is that before this
        ///   call.
        /// - Throws: `SwiftDataError.historyDisabled` if the store does not record its history.
        ///   `SwiftDataError.storeReadOnly` if the role lacks the privilege `SELECT` on `chronicle_pending`.
        ///   `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`; try again.
        /// - Complexity: Proportional to the number of transactions without a position.
        public func replicationStatus() throws -> PostgresReplicationStatus {
            try requireHistory()
            return try attributingErrors {
                try pool.read { connection in
                    let read = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                    let (state, count) = try connection.transaction(read) { connection in
                        let state = try HistoryState(connection.run(HistoryState.select(connection)))
                        let pending = try connection.run(
                            "SELECT count(*) FROM \(connection.schema).chronicle_pending")
                        return (state, Int(pending.int64(0, 0)))
                    }
                    do { return try status(connection, state, count) } catch let error as PostgresError
                        where ["0A000", "42883", "42P01"].contains(error.sqlState)
                    {
                        // A server with its own replication, such as Aurora.
                        return PostgresReplicationStatus(
                            isStandby: try connection.isStandby(), newestToken: state.newestToken(identifier),
                            pendingTransactionCount: count, isReceiving: false, isPaused: false,
                            unappliedByteCount: nil, newestCommitDate: nil, delay: nil)
                    }
                }
            }
        }

        private func status(
            _ connection: Connection, _ state: HistoryState, _ pendingCount: Int
        ) throws -> PostgresReplicationStatus {
            // A role without the privileges of `pg_monitor` sees the row of the receiver, and nothing but its process.
            let found = try connection.run(
                """
                SELECT s.is_standby, CASE WHEN s.is_standby THEN pg_is_wal_replay_paused() ELSE FALSE END, \
                EXISTS (SELECT FROM pg_stat_wal_receiver WHERE pid IS NOT NULL), \
                CASE WHEN s.is_standby AND pg_last_wal_receive_lsn() IS NOT NULL THEN \
                greatest(0, pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()))::bigint END, \
                extract(epoch FROM pg_last_xact_replay_timestamp())::double precision, \
                extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision \
                FROM (SELECT pg_is_in_recovery() AS is_standby) AS s
                """)
            let isStandby = found.bool(0, 0)
            let isReceiving = isStandby && found.bool(0, 2)
            let unapplied = found.isNull(0, 3) ? nil : found.int64(0, 3)
            let date = found.isNull(0, 4) || !isStandby ? nil : Date(timeIntervalSince1970: found.double(0, 4))
            let delay: Duration? =
                if !isStandby || isReceiving && unapplied == 0 {
                    .zero
                } else if date != nil {
                    .seconds(max(0, found.double(0, 5)))
                } else {
                    nil
                }
            return PostgresReplicationStatus(
                isStandby: isStandby, newestToken: state.newestToken(identifier), pendingTransactionCount: pendingCount,
                isReceiving: isReceiving, isPaused: found.bool(0, 1), unappliedByteCount: unapplied,
                newestCommitDate: date, delay: delay)
        }
    }
#endif

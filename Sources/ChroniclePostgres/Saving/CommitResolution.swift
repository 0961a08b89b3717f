#if Postgres
    import ChronicleCore
    import Foundation

    /// Finds out whether a transaction was committed if its connection is lost before the server confirms it.
    struct CommitResolution<Value> {
        private let store: PostgresStore
        private let find: (Connection) throws -> Outcome

        enum Outcome {
            case committed(Value)
            case rolledBack
            /// Continues a sentence of the error.
            case unknown(String)
        }

        /// How long to try to reach the server again. A restart takes a few seconds.
        private static var limit: Duration { .seconds(10) }
        /// How long to wait for the end of the lost session.
        private static var sessionLimit: Duration { .seconds(5) }
        /// The time between two attempts to reach the server, or looks at the lost session.
        private static var pause: TimeInterval { 0.05 }

        /// - Parameter find: Looks for what the transaction wrote, with another connection, after its session has ended.
        init(_ store: PostgresStore, find: @escaping (Connection) throws -> Outcome) {
            (self.store, self.find) = (store, find)
        }

        /// Runs a closure that writes and commits. It is not canceled with the task, which would end a wait for a
        /// synchronous standby server. If the connection was lost, throws `SwiftDataError.storeUnavailable` if nothing was
        /// committed, and `SwiftDataError.saveOutcomeUnknown` if the outcome cannot be found out.
        func run(_ body: (Connection) throws -> Value) throws -> Value {
            var (isConnected, hasSentCommit) = (false, false)
            var session: Connection.Session?
            do {
                return try store.pool.use { connection in
                    connection.hasSentCommit = false
                    (isConnected, session) = (true, connection.session)
                    defer { hasSentCommit = connection.hasSentCommit }
                    return try connection.withoutCancellation { try body(connection) }
                }
            } catch let error as PostgresError where error.isCommitTimeout {
                // Ending its session would end the wait for the standby server, but not the commit.
                throw SwiftDataError.saveOutcomeUnknown.with(
                    detail:
                        "\(error.message); the changes may become visible later, so fetch the models before you save again",
                    underlying: error)
            } catch let error as PostgresError where error.endsSession {
                // A transaction within another one is committed with that one.
                guard isConnected, !store.pool.isShared else { throw error }
                // The other idle connections have probably been lost as well.
                store.pool.discardIdle()
                switch hasSentCommit ? try outcome(of: session) : .rolledBack {
                case .committed(let value): return value
                case .rolledBack:
                    throw SwiftDataError.storeUnavailable.with(
                        detail: "the connection was lost (\(error.message)), and nothing was saved; save again",
                        underlying: error)
                case .unknown(let reason):
                    throw SwiftDataError.saveOutcomeUnknown.with(
                        detail:
                            "the connection was lost (\(error.message)), and \(reason); fetch the models to find out "
                            + "whether they were saved",
                        underlying: error)
                }
            }
        }

        private func outcome(of session: Connection.Session?) throws -> Outcome {
            let clock = ContinuousClock()
            let end = clock.now + min(Self.limit, store.configuration.connectionTimeout)
            var latest: PostgresError?
            repeat {
                do {
                    return try store.pool.use { connection in
                        try connection.withoutCancellation { try outcome(of: session, connection) }
                    }
                } catch let error as PostgresError {
                    latest = error
                    if !error.endsSession { break }
                } catch SwiftDataError.storeMoved { return .unknown("there is another store at its address now") }
                // libpq has no way to wait until a server accepts connections. The thread of a save is blocked in any case.
                Thread.sleep(forTimeInterval: Self.pause)
            } while clock.now < end
            return .unknown("the server cannot be asked for the outcome (\(latest?.message ?? ""))")
        }

        private func outcome(of session: Connection.Session?, _ connection: Connection) throws -> Outcome {
            // Another server of the connection string, which may take over, or receive the transaction later.
            guard try !connection.isStandby() else {
                connection.close()
                throw PostgresError(message: "the server is a standby server", endsSession: true)
            }
            // Until it has ended, the lost session may still commit.
            let hasEnded = try session.map { try end($0, connection) } ?? false
            let found = try find(connection)
            if case .rolledBack = found, !hasEnded { return .unknown("its session may still commit") }
            return found
        }

        /// Returns whether the session ended in time.
        private func end(_ session: Connection.Session, _ connection: Connection) throws -> Bool {
            let clock = ContinuousClock()
            let limit = clock.now + Self.sessionLimit
            while true {
                // Without the parameter for a time limit, which version 13 does not have. A session that waits for a
                // synchronous standby server has committed, but its end would make that visible too early. If its start is
                // hidden, for example because the password file has another role now, it may be the session.
                let alive = try connection.runAsLoginRole(
                    "SELECT CASE WHEN backend_start IS NOT NULL AND wait_event IS DISTINCT FROM 'SyncRep' "
                        + "THEN pg_terminate_backend(pid) END FROM pg_stat_activity "
                        + "WHERE pid = $1 AND coalesce(\(Connection.Session.startExpression) = $2, TRUE)",
                    Parameters(.int64(session.process), .int64(session.start)))
                if alive.count == 0 { return true }
                if clock.now >= limit { return false }
                // Sleeps, because the server does not report the end of another session.
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
    }

    extension PendingTransaction {
        /// Finds out whether the transaction was committed, by its check value in the history, with another connection.
        ///
        /// - Parameter acknowledgement: Not in the history, but in the record of the consumer, and the only effect of some
        ///   transactions.
        /// - Parameter value: Converts the keys of the inserted rows, by the numbers of their entities.
        func outcome<Value>(
            in store: PostgresStore, _ connection: Connection, acknowledgement: HistoryAcknowledgement? = nil,
            _ value: ([Int64: [Int64]]) throws -> Value
        ) throws -> CommitResolution<Value>.Outcome {
            guard store.configuration.recordsHistory else {
                return .unknown("without a history, the transaction cannot be found")
            }
            if let keys = try committedInserts(connection) { return .committed(try value(keys)) }
            guard let acknowledgement else { return .rolledBack }
            let record = try ConsumerTable(connection, storeIdentifier: store.identifier)
                .record(named: acknowledgement.consumerName)?.record
            switch acknowledgement.isApplied(to: record) {
            case true?: return .committed(try value([:]))
            case false?: return .rolledBack
            case nil: return .unknown("the consumer has moved since")
            }
        }
    }
#endif

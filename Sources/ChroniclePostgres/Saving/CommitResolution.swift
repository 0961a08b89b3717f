#if Postgres
    import ChronicleCore
    import Foundation

    /// Finds out whether a transaction was committed whose connection was lost before the server confirmed it.
    struct CommitResolution {
        private let store: PostgresStore
        private let pending: PendingTransaction

        enum Outcome {
            /// The transaction was committed, with the keys of the inserted rows by the numbers of their entities.
            case committed([Int64: [Int64]])
            case rolledBack
            case unknown(String)
        }

        /// How long to try to reach the server again. A restart takes a few seconds.
        private static let limit = Duration.seconds(10)

        init(_ store: PostgresStore, _ pending: PendingTransaction) {
            (self.store, self.pending) = (store, pending)
        }

        /// Connects again, makes sure that the lost session has ended, and looks for the check value of the transaction.
        ///
        /// - Parameters:
        ///   - process: The process of the session.
        ///   - start: When the session began, or `nil` if a proxy assigned it.
        func outcome(of process: Int32, _ start: String?) throws -> Outcome {
            guard store.configuration.recordsHistory else {
                return .unknown("without a history, the transaction cannot be found")
            }
            let clock = ContinuousClock()
            let end = clock.now + min(Self.limit, store.configuration.connectionTimeout)
            var latest: PostgresError?
            repeat {
                do { return try store.pool.use { try outcome(of: process, start, $0) } } catch let error
                    as PostgresError
                {
                    latest = error
                    if !error.endsSession { break }
                }
                // The server does not notify clients when it accepts connections again.
                Thread.sleep(forTimeInterval: 0.05)
            } while clock.now < end
            return .unknown("the server cannot be asked for the outcome (\(latest?.message ?? ""))")
        }

        private func outcome(of process: Int32, _ start: String?, _ connection: Connection) throws -> Outcome {
            // Until it has ended, the lost session may still commit.
            var hasEnded = false
            if let start {
                let alive = try connection.run(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                        + "WHERE pid = $1 AND backend_start::text = $2",
                    Parameters(.int64(Int64(process)), .text(start)))
                hasEnded = alive.count == 0 || alive.bool(0, 0)
            }
            if let keys = try pending.committedInserts(connection) { return .committed(keys) }
            return hasEnded ? .rolledBack : .unknown("its session may still commit")
        }
    }
#endif

#if Postgres
    import ChronicleCore

    /// An advisory lock of a separate session, which the server releases when the session ends. With a proxy that assigns
    /// sessions to transactions, it belongs to a transaction that lasts as long, without a snapshot and an identifier, so
    /// that it does not delay `VACUUM`. If the session is lost, another instance can take over, and the fence of the
    /// consumer's record rejects the acknowledgements of this one.
    ///
    /// `@unchecked Sendable`: the connection is only used by `init` and `deinit`.
    final class ConsumerLock: @unchecked Sendable {
        private let connection: Connection

        /// Returns `nil` if another instance holds the lock.
        init?(number: Int64, of storeIdentifier: String, _ pool: ConnectionPool) throws {
            connection = try pool.makeConnection()
            let isTransaction = pool.settings.usesTransactionPooling
            if isTransaction { try connection.beginUntilClosed() }
            let function = isTransaction ? "pg_try_advisory_xact_lock" : "pg_try_advisory_lock"
            let result = try connection.run(
                "SELECT \(function)(hashtextextended('chronicle consumer ' || $1, $2))",
                Parameters(.text(storeIdentifier), .int64(number)), isPrepared: false)
            guard result.bool(0, 0) else { return nil }
        }

        deinit {
            // Another instance can continue at once: the server, or a proxy, notices the end of a session some time later. An
            // error means that the session has ended.
            try? connection.script(connection.isInTransaction ? "ROLLBACK" : "SELECT pg_advisory_unlock_all()")
            connection.close()
        }
    }
#endif

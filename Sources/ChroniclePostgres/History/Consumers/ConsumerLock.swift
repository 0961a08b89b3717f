#if Postgres
    import ChronicleCore

    /// The lock of a consumer: an advisory lock of a separate session, which the server releases when the session ends.
    ///
    /// With a proxy that assigns sessions to transactions, the lock belongs to a transaction that lasts as long. It has no
    /// snapshot and no identifier, and therefore does not delay `VACUUM`.
    ///
    /// If the session is lost, another instance can take over. The fence of the consumer's record then rejects the
    /// acknowledgements of this one.
    ///
    /// `@unchecked Sendable`: the connection is only used by `init` and `deinit`.
    final class ConsumerLock: @unchecked Sendable {
        private let connection: Connection

        /// Acquires the lock, or returns `nil` if another instance holds it.
        ///
        /// - Parameters:
        ///   - number: The number of the consumer.
        ///   - pool: The connections of the store.
        ///   - storeIdentifier: The identifier of the store.
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

#if Postgres
    import ChronicleCore

    /// The lock of a consumer: an advisory lock of a session of its own, which the server releases when the session ends.
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
            let result = try connection.run(
                "SELECT pg_try_advisory_lock(hashtextextended('chronicle consumer ' || $1, $2))",
                Parameters(.text(storeIdentifier), .int64(number)), isPrepared: false)
            guard result.bool(0, 0) else { return nil }
        }

        deinit { connection.close() }
    }
#endif

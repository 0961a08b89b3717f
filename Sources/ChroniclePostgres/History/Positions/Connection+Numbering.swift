#if Postgres
    extension Connection {
        /// Assigns positions to the committed transactions that have none, and returns the newest position. The steps are
        /// committed one by one, so a long backlog is numbered in spite of a limit for statements: each attempt continues
        /// where the last one ended. On a standby server, nothing is numbered.
        @discardableResult
        func numberTransactions() throws -> Int64 {
            // A transaction that is already open commits everything together.
            if transactionDepth > 0 { return try run("SELECT \(schema).chronicle_number()").int64(0, 0) }
            while true {
                let result = try numberNextTransactions()
                if result.bool(0, 1) { return result.int64(0, 0) }
            }
        }

        private func numberNextTransactions() throws -> QueryResult {
            do {
                if parameter("in_hot_standby") == "on" {
                    do { return try numberNextTransactions(Self.begin) } catch let error as PostgresError
                        where error.isReadOnly
                    {
                        // It was promoted: a proxy repeats what the server reported before.
                    }
                }
                // The default of the role or of the database may be read-only.
                return try numberNextTransactions("\(Self.begin) READ WRITE")
            } catch var error as PostgresError where !error.endsSession {
                // A standby server that does not report its state cannot begin the transaction.
                if error.sqlState == "0A000", error.statementIndex.map({ $0 < 0 }) == true {
                    return try numberNextTransactions(Self.begin)
                }
                if error.isLockTimeout {
                    error.recommendation =
                        "another session keeps the history locked; end its transaction, which pg_stat_activity lists, "
                        + "and try again"
                }
                throw error
            } catch let error as PostgresError where error.isCommitTimeout {
                // Nothing of the program was to be written.
                var busy = PostgresError(message: error.message, sqlState: "55P03")
                busy.recommendation =
                    "transactions cannot get their positions until it does; start the standby server, or remove it from "
                    + "synchronous_standby_names, and try again"
                throw busy
            }
        }

        private func numberNextTransactions(_ begin: String) throws -> QueryResult {
            try transaction(begin) { connection in
                var pipeline = Pipeline()
                pipeline.add("SELECT newest, is_complete FROM \(schema).chronicle_number_next()")
                // A commit that was sent is not canceled, and a wait for a lock before it can be longer than any limit.
                pipeline.commits = connection.settings.lockTimeout != nil
                return try connection.run(pipeline)[0]
            }
        }
    }
#endif

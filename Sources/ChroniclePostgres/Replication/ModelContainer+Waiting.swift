#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    extension ModelContainer {
        /// Waits until the stores contain the transaction of a token, so that reads see what was saved on another server.
        ///
        /// ```swift
        /// try context.save()                                       // on the primary server
        /// let token = try context.currentHistoryToken()
        /// try await replica.waitUntilVisible(token, timeout: .seconds(5))
        /// let trips = try ModelContext(replica).fetch(FetchDescriptor<Trip>())
        /// ```
        ///
        /// A transaction is visible on a standby server when it has its position in the history there. A store on a primary
        /// server, or of another type, contains it at once or never.
        ///
        /// - Parameters:
        ///   - token: The token.
        ///   - timeout: How long to wait.
        /// - Throws: One of the following errors.
        ///   - `SwiftDataError.storeBusy` if the transaction was not visible in time. Read from the primary server, or wait
        ///     again; ``PostgresStore/replicationStatus()`` tells how far the server is behind.
        ///   - `SwiftDataError.historyTokenAhead` if the store is not on a standby server and does not contain the
        ///     transaction, for example because the server was promoted without it. Fetch the models again.
        ///   - `SwiftDataError.historyTokenForked` if the store has another transaction at the position.
        ///   - `SwiftDataError.historyTokenStoreMismatch` if the container has no store of the token.
        ///   - `SwiftDataError.storeUnavailable` if a server cannot be reached. `SwiftDataError.historyDisabled` if a store
        ///     records no history. `CancellationError` if the task was canceled.
        public func waitUntilVisible(_ token: DefaultHistoryToken, timeout: Duration = .seconds(30)) async throws {
            let end = ContinuousClock.now + timeout
            for identifier in (token.tokenValue ?? [:]).keys.sorted() {
                let store = stores.first { $0.identifier == identifier }
                guard let store = store as? any HistoryProviding<DefaultHistoryTransaction> else {
                    throw SwiftDataError.historyTokenStoreMismatch.with(
                        detail: "the container has no store of the token; use a container of the same database",
                        storeIdentifier: identifier)
                }
                var pause = Duration.milliseconds(5)
                while try !store.contains(token) {
                    guard ContinuousClock.now < end else {
                        throw SwiftDataError.storeBusy.with(
                            detail:
                                "the transaction was not visible on the standby server within \(timeout); wait again, or "
                                + "read from the primary server",
                            storeIdentifier: identifier)
                    }
                    // Sleeps, because a standby server does not report what it has applied.
                    try await Task.sleep(for: pause)
                    pause = min(pause * 2, .milliseconds(100))
                }
            }
        }
    }

    extension HistoryProviding<DefaultHistoryTransaction> {
        /// Includes a transaction that was deleted from the history since. Throws an error if the store will never contain
        /// it.
        fileprivate func contains(_ token: DefaultHistoryToken) throws -> Bool {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
            descriptor.fetchLimit = 1
            do {
                if let store = self as? PostgresStore { return try store.hasApplied(token) }
                _ = try fetchHistoryIdentifiers(descriptor)
            } catch let error as SwiftDataError where Self.provesTransaction(error) {
                return true
            }
            return true
        }

        private static func provesTransaction(_ error: SwiftDataError) -> Bool {
            error == .historyTokenGap || error == .historyTokenExpired
        }
    }

    extension PostgresStore {
        /// `false` if the server is a standby server that may receive the transaction later. Throws the error of a token
        /// whose transaction the server will never have, or has deleted.
        func hasApplied(_ token: DefaultHistoryToken) throws -> Bool {
            try requireHistory()
            var isStandby = false
            do {
                return try attributingErrors {
                    // With one connection, because others of the pool may be connected to another server.
                    try pool.read { connection in
                        // First, because a server that is promoted in between may receive the transaction before.
                        isStandby = try connection.isStandby()
                        do {
                            return try readingHistory(connection) { positions in
                                _ = try positions.checkedPosition(token, storeIdentifier: identifier)
                                return true
                            }
                        } catch SwiftDataError.historyTokenAhead where isStandby { return false }
                    }
                }
            } catch SwiftDataError.storeBusy where isStandby {
                // A change of the primary server can cancel a read.
                return false
            }
        }
    }
#endif

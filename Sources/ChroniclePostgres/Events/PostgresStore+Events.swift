#if Postgres
    public import ChronicleCore

    extension PostgresStore: DataStoreNotifying {
        /// Calls a closure after each commit of a store, and within a second after a commit of another program.
        ///
        /// The observations of a store share a connection, in addition to those of the configuration's limit. Commits of
        /// other programs are found in the history; without one, only commits of stores are reported.
        ///
        /// - Throws: `SwiftDataError.storeUnavailable` if the server accepts no further connection.
        public func observeCommits(_ handler: @escaping @Sendable () -> Void) throws -> CommitObservation {
            let number = try attributingErrors { try commits.add(handler) }
            return CommitObservation { [weak commits] in commits?.remove(number) }
        }

        /// Also notifies other processes, and starts a purge and a run of the sealer, as far as the configuration requires them and
        /// they are due.
        func didCommit() {
            commits.didCommit()
            // The store of a migration ends with the transaction of its stage.
            guard configuration.recordsHistory, !pool.isShared else { return }
            automaticPurge.start(self)
            if let schedule = historySealing { automaticSealing.start(self, schedule) }
        }
    }
#endif

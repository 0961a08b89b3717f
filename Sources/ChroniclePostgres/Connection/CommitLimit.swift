#if Postgres
    import Foundation

    /// Limits the wait for a commit, which no parameter of the server does: a session waits for a synchronous standby
    /// server as long as that is down, and a server that is paused does not close its connections. The results of a save
    /// arrive with the end of its commit, so another session looks at whether the server still executes statements.
    final class CommitLimit {
        private let limit: Duration
        private let session: Connection.Session?
        private let settings: ConnectionSettings
        private let server: ConnectionSettings.Server
        private let clock = ContinuousClock()
        private var start: ContinuousClock.Instant?
        private var nextLook: ContinuousClock.Instant?
        /// The first of the latest looks that did not find the session executing a statement.
        private var stuckSince: ContinuousClock.Instant?
        private var observer: Connection?

        /// - Parameter limit: A commit is given up between this time and one and a half times as long.
        /// - Parameter session: `nil` if a proxy assigns it.
        /// - Parameter server: The connection string can name several servers.
        init(
            _ limit: Duration, _ session: Connection.Session?, _ settings: ConnectionSettings,
            _ server: ConnectionSettings.Server
        ) {
            (self.limit, self.session, self.settings, self.server) = (limit, session, settings, server)
        }

        deinit { observer?.close() }

        /// Called about 20 times a second while the client waits.
        func check() throws {
            let now = clock.now
            guard let start, let look = nextLook else {
                start = now
                nextLook = now + limit / 2
                return
            }
            if settings.isProbe, now - start >= limit { throw PostgresError(commitTimeout: limit) }
            guard !settings.isProbe, now >= look else { return }
            nextLook = now + min(.seconds(1), limit / 10)
            guard let isExecuting = isExecuting() else {
                if clock.now - start >= limit * 4 { throw PostgresError(commitTimeout: limit) }
                return
            }
            if isExecuting {
                stuckSince = nil
                return
            }
            let since = stuckSince ?? now
            stuckSince = since
            if clock.now - start >= limit, clock.now - since >= limit / 2 { throw PostgresError(commitTimeout: limit) }
        }

        /// Returns whether the session executes a statement, or `nil` if that cannot be found out although a server responds: it
        /// accepts no other session, it hides the session, or it is a standby server, to which the address points now.
        private func isExecuting() -> Bool? {
            do {
                let observer = try self.observer ?? Connection(settings.probing(server))
                self.observer = observer
                let found: QueryResult
                if let session {
                    // A session that is idle has sent its results, which did not arrive. Without track_activities, the state is
                    // another one.
                    found = try observer.runAsLoginRole(
                        "SELECT pg_is_in_recovery(), CASE WHEN pid IS NULL THEN FALSE "
                            + "WHEN backend_start IS NOT NULL THEN \(Connection.Session.startExpression) = $2 "
                            + "AND wait_event IS DISTINCT FROM 'SyncRep' AND coalesce(state NOT LIKE 'idle%', TRUE) END "
                            + "FROM (SELECT) AS one LEFT JOIN pg_stat_activity ON pid = $1",
                        Parameters(.int64(session.process), .int64(session.start)))
                } else {
                    // It can be the session of another client. Its wait tells something about this one only if it is long: each
                    // commit waits for a moment.
                    found = try observer.runAsLoginRole(
                        "SELECT pg_is_in_recovery(), CASE WHEN (SELECT backend_start FROM pg_stat_activity "
                            + "WHERE pid = pg_backend_pid()) IS NOT NULL THEN NOT EXISTS (SELECT FROM pg_stat_activity "
                            + "WHERE usename = session_user AND datname = current_database() "
                            + "AND wait_event = 'SyncRep' AND clock_timestamp() - query_start > $1 * interval '1 ms') END",
                        Parameters(.int64((limit / 2).milliseconds)))
                }
                guard found.bool(0, 0) else { return found.isNull(0, 1) ? nil : found.bool(0, 1) }
                discardObserver()
                return nil
            } catch {
                discardObserver()
                // The server has too many sessions, for example. Otherwise, it does not respond to the other session
                // either.
                return (error as? PostgresError)?.message.contains("FATAL") == true ? nil : false
            }
        }

        private func discardObserver() {
            observer?.close()
            observer = nil
        }
    }

    extension Connection {
        /// - Parameter mayCommit: Whether the statements may commit.
        func waitLimit(mayCommit: Bool) -> CommitLimit? {
            guard mayCommit || settings.isProbe else { return nil }
            return settings.commitTimeout.map { CommitLimit($0, session, settings, server) }
        }
    }
#endif

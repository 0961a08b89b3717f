#if Postgres
    import ChronicleCore
    import Dispatch
    import Synchronization

    /// Gives positions to the transactions of all programs, for the readers of standby servers, which cannot do so
    /// themselves. It has a separate session: a commit can wait for a synchronous standby server, and must not keep
    /// requests from using a connection of the pool meanwhile.
    /// from using a connection of the pool meanwhile.
    final class BackgroundNumbering: Sendable {
        private let pool: ConnectionPool
        private let interval: Duration
        /// Numbers only while there is a standby server.
        private let isAutomatic: Bool
        private let queue = DispatchQueue(label: "chronicle.numbering", qos: .utility)
        private let session = Mutex<Connection?>(nil)

        /// The time between two numberings.
        private static let interval: Duration = .seconds(1)
        /// The time between two looks for a standby server.
        private static let pause: Duration = .seconds(30)

        /// - Parameter numbering: The initializer returns `nil` for `onDemand`.
        /// - Parameter isReplicated: Whether there was a standby server when the store was opened.
        init?(_ pool: ConnectionPool, _ numbering: PostgresConfiguration.Numbering, isReplicated: Bool) {
            if numbering == .onDemand { return nil }
            self.pool = pool
            interval = numbering.interval ?? Self.interval
            isAutomatic = numbering == .automatic
            schedule(after: !isAutomatic || isReplicated ? interval : Self.pause)
        }

        deinit { session.withLock { $0 }?.close() }

        private func schedule(after time: Duration) {
            let deadline = DispatchTime.now() + .milliseconds(Int(clamping: time.milliseconds))
            queue.asyncAfter(deadline: deadline) { [weak self] in
                guard let next = self?.step() else { return }
                self?.schedule(after: next)
            }
        }

        /// Numbers if there is a reason to, and returns the time until the next step.
        private func step() -> Duration {
            do {
                if isAutomatic {
                    // The rows are visible to every role, their columns are not.
                    func isReplicated(_ connection: Connection) throws -> Bool {
                        guard try !connection.isStandby() else { return false }
                        return try connection.run("SELECT EXISTS (SELECT FROM pg_stat_replication)").bool(0, 0)
                    }
                    guard try session.withLock(\.self).map(isReplicated) ?? pool.use(isReplicated) else {
                        replaceSession(nil)
                        return Self.pause
                    }
                }
                let connection = try session.withLock { $0 } ?? pool.makeConnection()
                replaceSession(connection)
                if try !connection.isStandby() { try connection.numberTransactions() }
            } catch {
                // A read of the history reports what is wrong. The next step connects again.
                replaceSession(nil)
                return max(interval, Self.pause)
            }
            return interval
        }

        private func replaceSession(_ connection: Connection?) {
            let previous = session.withLock { session in
                defer { session = connection }
                return session
            }
            if let previous, previous !== connection { previous.close() }
        }
    }
#endif

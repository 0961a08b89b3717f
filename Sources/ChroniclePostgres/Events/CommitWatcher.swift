#if Postgres
    import ChronicleCPostgres
    import ChronicleCore
    import Dispatch
    import Foundation
    import Synchronization

    /// Reports commits of all programs. Stores send `NOTIFY` after their commits: in the transaction of a save, it would
    /// make all commits wait for each other. Other programs do not notify, and notifications can be lost, so the watcher
    /// also looks for new transactions every second. On a standby server, which has no notifications, it only looks.
    final class CommitWatcher: Sendable {
        private let pool: ConnectionPool
        private let channel: String
        /// The newest position shows commits of other programs.
        private let recordsHistory: Bool
        private let state = Mutex(State())
        private let queue = DispatchQueue(label: "chronicle.notifications")
        private let isAnnouncing = Atomic(false)
        /// The uptime in nanoseconds.
        private let announced = Atomic<UInt64>(0)

        private struct State {
            var handlers: [Int: @Sendable () -> Void] = [:]
            var number = 0
            /// `nil` without observers.
            var session: Session?
        }

        private final class Session: Sendable {
            let isEnded = Atomic(false)
            /// A write to the first descriptor ends the wait of the thread, which closes both.
            private let descriptors: (write: Int32, read: Int32)

            init() throws {
                var pair: [Int32] = [0, 0]
                guard pipe(&pair) == 0 else {
                    throw SwiftDataError.storeFailure.with(
                        detail: "no pipe can be created: \(String(cString: strerror(errno)))")
                }
                for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
                descriptors = (pair[1], pair[0])
            }

            deinit {
                close(descriptors.write)
                close(descriptors.read)
            }

            var wakeDescriptor: Int32 { descriptors.read }

            func end() {
                isEnded.store(true, ordering: .releasing)
                var byte: UInt8 = 0
                _ = write(descriptors.write, &byte, 1)
            }
        }

        /// The time in milliseconds between two looks for commits of other programs.
        private static let interval: Int32 = 1_000
        /// A writer of many small saves does not send a notification for each.
        private static let pause = DispatchTimeInterval.milliseconds(20)

        init(_ pool: ConnectionPool, storeIdentifier: String, recordsHistory: Bool) {
            self.pool = pool
            self.recordsHistory = recordsHistory
            channel = "chronicle_" + storeIdentifier.lowercased().filter { $0.isHexDigit }
        }

        deinit { state.withLock { $0.session }?.end() }

        // MARK: Observers

        /// Every commit after the call is reported. Throws if no connection can be opened.
        func add(_ handler: @escaping @Sendable () -> Void) throws -> Int {
            try state.withLock { state in
                if state.session == nil { state.session = try start() }
                state.number += 1
                state.handlers[state.number] = handler
                return state.number
            }
        }

        func remove(_ number: Int) {
            let session = state.withLock { state in
                state.handlers[number] = nil
                guard state.handlers.isEmpty else { return nil as Session? }
                defer { state.session = nil }
                return state.session
            }
            session?.end()
        }

        private func report() {
            for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
        }

        // MARK: Commits of this store

        /// Notifies other stores later.
        func didCommit() {
            DeferredCallbacks.run { [weak self] in self?.report() }
            guard !pool.isShared, !isAnnouncing.exchange(true, ordering: .acquiringAndReleasing) else { return }
            let next = DispatchTime(uptimeNanoseconds: announced.load(ordering: .relaxed)) + Self.pause
            queue.asyncAfter(deadline: next) { [weak self, pool, channel] in
                self?.announced.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
                // Commits from here on need another notification.
                self?.isAnnouncing.store(false, ordering: .releasing)
                // The others find the commit in the next second anyway. The notification waits neither for the disk nor for a
                // standby server.
                try? pool.use { connection in
                    var pipeline = Pipeline()
                    pipeline.add("SELECT pg_catalog.set_config('synchronous_commit', 'off', TRUE)")
                    pipeline.add("NOTIFY \(quoted(channel))")
                    _ = try connection.run(pipeline, asTransaction: true)
                }
            }
        }

        // MARK: Commits of other stores and programs

        private func start() throws -> Session {
            let session = try Session()
            // Before the thread starts, so that no later commit is missed.
            let first = Mutex<Listener?>(try Listener(self))
            let thread = Thread { [weak self] in
                // The closure exists for as long as the thread, and must not keep a connection that failed.
                var listener = first.withLock { first in
                    defer { first = nil }
                    return first
                }
                while !session.isEnded.load(ordering: .acquiring) {
                    let isChanged: Bool
                    do {
                        if listener == nil {
                            listener = try self.map { try Listener($0) }
                            // Commits may have been missed.
                            isChanged = true
                        } else {
                            isChanged = try listener?.wait(Self.interval, orInputOf: session.wakeDescriptor) ?? false
                        }
                    } catch {
                        listener = nil
                        isChanged = false
                        var wake = pollfd(fd: session.wakeDescriptor, events: Int16(POLLIN), revents: 0)
                        _ = poll(&wake, 1, Self.interval)
                    }
                    if isChanged, !session.isEnded.load(ordering: .acquiring) { self?.report() }
                }
            }
            thread.name = "chronicle.commits"
            thread.start()
            return session
        }

        /// `@unchecked Sendable`: one thread at a time uses it, first the one that creates it and then the watcher's.
        private final class Listener: @unchecked Sendable {
            private let connection: Connection
            private let recordsHistory: Bool
            /// `nil` if the session listens, or cannot because of a proxy.
            private var channel: String?
            private var position: Int64 = 0

            init(_ watcher: CommitWatcher) throws {
                connection = try watcher.pool.makeConnection()
                recordsHistory = watcher.recordsHistory
                // A proxy would assign the notifications to the session of another client.
                if !connection.settings.usesTransactionPooling { channel = watcher.channel }
                try listen()
                position = try newest()
            }

            /// A standby server has no notifications until it is promoted.
            private func listen() throws {
                guard let channel, try !connection.isStandby() else { return }
                try connection.run("LISTEN \(quoted(channel))", isPrepared: false)
                self.channel = nil
            }

            private func newest() throws -> Int64 {
                recordsHistory ? try connection.numberTransactions() : 0
            }

            /// Returns whether something may have been committed.
            func wait(_ milliseconds: Int32, orInputOf descriptor: Int32) throws -> Bool {
                let isNotified =
                    try !connection.notifications(milliseconds: milliseconds, orInputOf: descriptor).isEmpty
                if isNotified { return true }
                if channel != nil { try listen() }
                let newest = try newest()
                defer { position = newest }
                return newest != position
            }
        }
    }
#endif

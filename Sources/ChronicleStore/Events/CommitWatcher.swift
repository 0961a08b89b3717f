import Foundation

/// A thread that calls a handler after commits of other connections to a store's file, of any process.
///
/// Three things announce a commit:
///
/// - Chronicle raises an event of ``EventFile`` after it.
/// - Other writers write the log or the file. This happens before the commit is visible, so the data version is checked
///   again after growing delays.
/// - For everything else, such as a file system without events, the data version is checked every second.
///
/// Commits that follow each other closely are reported together. While they do, the thread does not watch the files but
/// checks the data version every 4 ms, so that writers are hardly slowed down.
final class CommitWatcher: Sendable {
    private let source: any FileEventSource
    private let version: WatchedVersion

    /// How long after the last write the data version is checked. The longest delays are for `synchronous=FULL` on a
    /// slow disk, which a commit waits for after its last write.
    private static let delaysAfterWrite: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(3), .milliseconds(5), .milliseconds(10), .milliseconds(20),
        .milliseconds(50), .milliseconds(100), .milliseconds(250),
    ]

    /// How long the thread ignores events after it handled some. Each wake-up of a waiting thread takes time from the
    /// writer.
    static let shortestPause = Duration.microseconds(250)
    /// The pause after which the thread stops watching. Before that, pauses that end with another commit become longer.
    private static let longestPause = Duration.milliseconds(1)
    /// The interval of the checks instead of watching.
    private static let busyInterval = Duration.milliseconds(4)

    /// Starts watching. Every later commit is noticed.
    ///
    /// - Parameters:
    ///   - path: The path or URI of the database.
    ///   - filePath: The path of its file without symbolic links.
    ///   - source: The events of the file.
    ///   - interval: How often the data version is checked without an event.
    ///   - onFailure: A closure that receives the error if a file can no longer be watched. The regular checks remain.
    ///   - handler: The closure to call.
    init(
        path: String, filePath: String, _ source: any FileEventSource, checkingEvery interval: Duration,
        onFailure: @escaping @Sendable (any Error) -> Void, _ handler: @escaping @Sendable () -> Void
    ) {
        self.source = source
        version = WatchedVersion(path: path, filePath: filePath)
        let thread = Thread { [source, handler, version] in
            var loop = Loop(
                source: source, interval: interval, onFailure: onFailure, handler: handler, version: version)
            loop.run()
        }
        thread.name = "chronicle-commits"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Ends the thread, without waiting for a call of the handler. Closes the connection of the thread, so that the store's
    /// own connection can be the last one to close, which removes the log.
    func cancel() {
        source.cancel()
        version.close()
    }

    /// The state of the thread.
    private struct Loop {
        let source: any FileEventSource
        let interval: Duration
        let onFailure: @Sendable (any Error) -> Void
        let handler: @Sendable () -> Void
        let version: WatchedVersion
        private var lastWrite = ContinuousClock.now
        /// The delays after the last write that have not elapsed yet.
        private var delays: ArraySlice<Duration> = []
        private var lastRegularCheck = ContinuousClock.now
        private var pause = CommitWatcher.shortestPause

        init(
            source: any FileEventSource, interval: Duration, onFailure: @escaping @Sendable (any Error) -> Void,
            handler: @escaping @Sendable () -> Void, version: WatchedVersion
        ) {
            (self.source, self.interval, self.version) = (source, interval, version)
            (self.onFailure, self.handler) = (onFailure, handler)
        }

        mutating func run() {
            var events: FileEvents = []
            while true {
                let isBusy = !events.isEmpty
                if !isBusy { events = source.wait(until: nextCheck) }
                if events.contains(.cancelled) { return }
                let isReported = handle(events)
                pause = isReported && isBusy ? pause * 2 : CommitWatcher.shortestPause
                if pause > CommitWatcher.longestPause {
                    events = checkWithoutWatching()
                } else if isReported || !events.isSubset(of: .raised) {
                    // Events of several commits are combined, so that frequent commits do not wake the observers for each.
                    Thread.sleep(forTimeInterval: pause / .seconds(1))
                    events = source.wait(until: .now)
                } else {
                    // The event follows a commit that was already reported.
                    events = []
                }
            }
        }

        /// Checks the data version in short intervals while other connections commit continuously. The events of a
        /// watched log would cost them several percent of their time.
        ///
        /// - Returns: The events to continue with, which cause the files to be watched again.
        private mutating func checkWithoutWatching() -> FileEvents {
            pause = CommitWatcher.shortestPause
            source.detach()
            var events: FileEvents = .replaced
            repeat {
                events.formUnion(source.wait(until: .now + CommitWatcher.busyInterval))
                if events.contains(.cancelled) { return events }
            } while isReported(events: [])
            return events
        }

        private var nextCheck: ContinuousClock.Instant {
            let regular = lastRegularCheck + interval
            return delays.first.map { min(lastWrite + $0, regular) } ?? regular
        }

        /// Calls the handler if there may be a new commit.
        ///
        /// - Returns: Whether it was called.
        private mutating func handle(_ events: FileEvents) -> Bool {
            let now = ContinuousClock.now
            if events.contains(.written) {
                lastWrite = now
                delays = CommitWatcher.delaysAfterWrite[...]
            }
            delays = delays.drop { lastWrite + $0 <= now }
            var isReplaced = false
            if events.contains(.replaced) || now - lastRegularCheck >= interval {
                lastRegularCheck = now
                do { try source.attach() } catch { if !version.isClosed { onFailure(error) } }
                isReplaced = version.reconnectIfReplaced()
                // A log that was created may have been written before it was watched.
                if events.contains(.replaced) {
                    lastWrite = now
                    delays = CommitWatcher.delaysAfterWrite[...]
                }
            }
            if isReplaced { handler() }
            return isReported(events: events) || isReplaced
        }

        /// Calls the handler if there is a new commit, or if that is unknown.
        ///
        /// The version is checked even after an event of the event file, because another program may have read the file.
        private mutating func isReported(events: FileEvents) -> Bool {
            guard version.mayHaveChanged(isUnreadableChanged: !events.isEmpty) else { return false }
            handler()
            return true
        }
    }
}

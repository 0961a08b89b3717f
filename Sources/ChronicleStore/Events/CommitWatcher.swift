import Foundation

/// A thread that calls a handler after commits of other connections to a store's file, of any process.
///
/// - After a commit, Chronicle raises an event of ``EventFile``.
/// - Other writers write the log or the file before the commit is visible, so the data version is checked after growing
///   delays.
/// - For everything else, such as a file system without events, the data version is checked every second.
///
/// Commits in close succession are reported together. Meanwhile, the thread checks the data version every 4 ms instead of
/// watching the files, which would slow writers down.
final class CommitWatcher: Sendable {
    private let source: any FileEventSource
    private let version: WatchedVersion

    /// When the data version is checked after a write. With `synchronous=FULL` on a slow disk, a commit waits after its
    /// last write.
    private static let delaysAfterWrite: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(3), .milliseconds(5), .milliseconds(10), .milliseconds(20),
        .milliseconds(50), .milliseconds(100), .milliseconds(250),
    ]

    /// How long events are ignored after some were handled. Each wake-up takes time from the writer.
    static let shortestPause = Duration.microseconds(250)
    /// The pause after which the thread stops watching. Shorter pauses double while commits follow each other.
    private static let longestPause = Duration.milliseconds(1)
    /// The interval of the checks instead of watching.
    private static let busyInterval = Duration.milliseconds(4)

    /// Starts watching; every later commit is noticed. `filePath` has no symbolic links. `onFailure` receives the error if
    /// a file can no longer be watched; the regular checks remain.
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

    /// Ends the thread without waiting for its handler. Closes its connection, so that the store's connection can be the
    /// last one, which removes the log.
    func cancel() {
        source.cancel()
        version.close()
    }

    private struct Loop {
        let source: any FileEventSource
        let interval: Duration
        let onFailure: @Sendable (any Error) -> Void
        let handler: @Sendable () -> Void
        let version: WatchedVersion
        private var lastWrite = ContinuousClock.now
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

        /// While other connections commit continuously, the events of a watched log would cost them several percent of
        /// their time. Returns the events to continue with, which cause the files to be watched again.
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

        /// Returns whether the handler was called.
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

        /// The version is checked even after an event of the event file, because another program may have read the file.
        private mutating func isReported(events: FileEvents) -> Bool {
            guard version.mayHaveChanged(isUnreadableChanged: !events.isEmpty) else { return false }
            handler()
            return true
        }
    }
}

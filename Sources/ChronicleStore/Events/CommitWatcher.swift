import Dispatch
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
/// Handler calls are merged while commits follow each other closely: see ``longestPause``.
final class CommitWatcher: Sendable {
    private let source: any FileEventSource
    private let handler: @Sendable () -> Void
    private let ended = DispatchSemaphore(value: 0)
    /// Only compared with the current thread.
    nonisolated(unsafe) private let thread: Thread

    /// How long after the last write the data version is checked. The longest delays are for `synchronous=FULL` on a
    /// slow disk, which a commit waits for after its last write.
    private static let delaysAfterWrite: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(3), .milliseconds(5), .milliseconds(10), .milliseconds(20),
        .milliseconds(50), .milliseconds(100), .milliseconds(250),
    ]
    /// Starts watching. Every later commit is noticed.
    ///
    /// - Parameters:
    ///   - path: The path or URI of the database.
    ///   - filePath: The path of its file without symbolic links.
    ///   - source: The events of the file.
    ///   - interval: How often the data version is checked without an event.
    ///   - handler: The closure to call.
    init(
        path: String, filePath: String, _ source: any FileEventSource, checkingEvery interval: Duration,
        _ handler: @escaping @Sendable () -> Void
    ) {
        (self.source, self.handler) = (source, handler)
        // Only the new thread uses it from here on.
        nonisolated(unsafe) let version = DataVersion(path: path, filePath: filePath)
        let ended = ended
        thread = Thread { [source, handler] in
            var loop = Loop(source: source, interval: interval, handler: handler, version: version)
            loop.run()
            loop.version.close()
            ended.signal()
        }
        thread.name = "chronicle-commits"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Ends the thread and waits until it has closed its connection, so that the store's own connection can be the last
    /// one to close, which removes the log.
    func cancel() {
        source.cancel()
        // A handler may cancel its own observation.
        guard thread !== Thread.current else { return }
        ended.wait()
        ended.signal()
    }

    /// The shortest and the longest time for which the watcher ignores events after it handled some.
    ///
    /// Each wake-up of a waiting thread takes time from the writer. While every pause ends with new events, each is twice
    /// as long as the one before, so that a process that commits continuously is interrupted 250 times a second instead
    /// of thousands of times. A single commit is reported without a delay, one of several within 4 ms.
    private static let (shortestPause, longestPause) = (Duration.microseconds(250), Duration.milliseconds(4))

    /// The state of the thread.
    private struct Loop {
        let source: any FileEventSource
        let interval: Duration
        let handler: @Sendable () -> Void
        var version: DataVersion
        private var lastWrite = ContinuousClock.now
        /// The delays after the last write that have not elapsed yet.
        private var delays: ArraySlice<Duration> = []
        private var lastRegularCheck = ContinuousClock.now
        private var pause = CommitWatcher.shortestPause

        init(
            source: any FileEventSource, interval: Duration, handler: @escaping @Sendable () -> Void,
            version: DataVersion
        ) {
            (self.source, self.interval, self.handler, self.version) = (source, interval, handler, version)
        }

        mutating func run() {
            var events: FileEvents = []
            while true {
                let isBusy = !events.isEmpty
                if !isBusy { events = source.wait(until: nextCheck) }
                if events.contains(.cancelled) { return }
                // An event that follows a commit which was already reported needs no pause.
                let isEcho = !handle(events) && events.isSubset(of: .raised)
                if isEcho {
                    events = []
                } else {
                    pause = isBusy ? min(pause * 2, CommitWatcher.longestPause) : CommitWatcher.shortestPause
                    // Events that arrive during the pause wake nobody, which costs their writers little.
                    Thread.sleep(forTimeInterval: pause / .seconds(1))
                    events = source.wait(until: .now)
                }
            }
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
                // Without a watch, the regular checks remain.
                do { try source.attach() } catch {}
                isReplaced = version.reconnectIfReplaced()
                // A log that was created may have been written before it was watched.
                if events.contains(.replaced) {
                    lastWrite = now
                    delays = CommitWatcher.delaysAfterWrite[...]
                }
            }
            // Checked even after an event of the event file, because another program may have read it.
            let isReported = version.hasChanged() || isReplaced || !version.isReadable && !events.isEmpty
            if isReported { handler() }
            return isReported
        }
    }
}

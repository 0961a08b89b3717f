import Chronicle
import Foundation
import Synchronization

#if canImport(Darwin)
    /// Calls a handler when a journal was written or replaced.
    final class JournalWatcher: Sendable {
        private let timer: Mutex<any DispatchSourceTimer>

        /// Checks regularly, because a compaction replaces the file, and a source of events belongs to a file and not to
        /// its name. A call without a save is allowed.
        init(path: String, _ handler: @escaping @Sendable () -> Void) throws {
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(20))
            timer.setEventHandler(handler: handler)
            timer.activate()
            self.timer = Mutex(timer)
        }

        func cancel() { timer.withLock { $0.cancel() } }
    }
#else
    /// A thread that calls a handler when a journal was written or replaced.
    final class JournalWatcher: Sendable {
        private let inotify: Int32
        /// Connected sockets. A byte from the second one ends the thread, which waits for the first one.
        private let sockets: [Int32]
        private let path: String
        private let handler: @Sendable () -> Void
        private let isCancelled = Atomic(false)

        /// For everything that the system does not report. A call without a save is allowed.
        private static let longestWaitInMilliseconds: Int32 = 1_000

        init(path: String, _ handler: @escaping @Sendable () -> Void) throws {
            (self.path, self.handler) = (path, handler)
            var pair: [Int32] = [-1, -1]
            inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            #if canImport(Glibc)
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let type = Int32(SOCK_STREAM | SOCK_CLOEXEC)
            #endif
            let isPaired = socketpair(AF_UNIX, type, 0, &pair) == 0
            sockets = pair
            guard inotify >= 0, isPaired, attach() else {
                throw SwiftDataError.storeFailure.with(detail: "the journal cannot be watched (error \(errno))")
            }
            // The thread keeps the watcher until it ends.
            Thread.detachNewThread { self.run() }
        }

        deinit {
            for descriptor in sockets + [inotify] where descriptor >= 0 { close(descriptor) }
        }

        func cancel() {
            isCancelled.store(true, ordering: .releasing)
            var byte: UInt8 = 0
            _ = write(sockets[1], &byte, 1)
        }

        /// Watches the file, and the directory, in which a compaction replaces it.
        private func attach() -> Bool {
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            return inotify_add_watch(inotify, directory, UInt32(IN_MOVED_TO)) >= 0
                && inotify_add_watch(inotify, path, UInt32(IN_MODIFY)) >= 0
        }

        private func run() {
            var events = [UInt8](repeating: 0, count: 4_096)
            while true {
                var descriptors = [sockets[0], inotify].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                poll(&descriptors, 2, Self.longestWaitInMilliseconds)
                if descriptors[0].revents != 0 { return }
                // What happened does not matter.
                while read(inotify, &events, events.count) > 0 {}
                _ = attach()
                if !isCancelled.load(ordering: .acquiring) { handler() }
            }
        }
    }
#endif

#if canImport(Darwin)
    import Dispatch
    import Foundation
    import Synchronization

    /// The events of a store's files on Apple platforms.
    ///
    /// The file itself is not watched: closing a second descriptor of it would release SQLite's locks.
    /// https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    final class DispatchEvents: FileEventSource {
        private struct State {
            var pending: FileEvents = []
            var sources: [String: (identity: FileIdentity, source: any DispatchSourceFileSystemObject)] = [:]
        }

        // `DispatchSourceFileSystemObject` is thread-safe, and the mutex protects the rest.
        private nonisolated(unsafe) var state = State()
        private let lock = NSLock()
        private let eventSemaphore = DispatchSemaphore(value: 0)
        private let queue = DispatchQueue(label: "chronicle.events")
        private let path: String

        init(path: String) throws {
            self.path = path
            try attach()
        }

        deinit {
            for entry in state.sources.values { entry.source.cancel() }
        }

        func cancel() { add(.cancelled) }

        private func add(_ events: FileEvents) {
            lock.withLock { _ = state.pending.formUnion(events) }
            eventSemaphore.signal()
        }

        func attach() throws {
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try watch(directory, .replaced, [.write, .delete, .rename])
            try watch(path + "-wal", .written, [.write, .extend])
            try watch(path + EventFile.suffix, .raised, [.write, .extend])
        }

        func detach() {
            for path in [path + "-wal", path + EventFile.suffix] {
                lock.withLock { state.sources.removeValue(forKey: path) }?.source.cancel()
            }
        }

        private func watch(
            _ path: String, _ event: FileEvents, _ mask: DispatchSource.FileSystemEvent
        ) throws {
            let identity = FileIdentity(path: path)
            let known = lock.withLock { state.sources[path] }
            guard identity != known?.identity else { return }
            known?.source.cancel()
            lock.withLock { state.sources[path] = nil }
            guard let identity else { return }
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw WatchError(code: errno) }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: mask, queue: queue)
            source.setEventHandler { [weak self] in self?.add(event) }
            source.setCancelHandler { close(descriptor) }
            lock.withLock { state.sources[path] = (identity, source) }
            source.activate()
        }

        func wait(until deadline: ContinuousClock.Instant) -> FileEvents {
            while true {
                let events: FileEvents = lock.withLock {
                    defer { state.pending.formIntersection(.cancelled) }
                    return state.pending
                }
                if events.contains(.cancelled) { return .cancelled }
                let nanoseconds = (deadline - .now) / .nanoseconds(1)
                guard events.isEmpty, nanoseconds > 0 else { return events }
                _ = eventSemaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
            }
        }
    }
#endif

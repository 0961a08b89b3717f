#if canImport(Darwin)
    import ChronicleSQLite
    import Dispatch
    import Foundation
    import Synchronization

    /// The events of a store's files on Apple platforms.
    ///
    /// The file itself is not watched: closing a second descriptor of it would release SQLite's locks.
    /// https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    final class DispatchEvents: FileEventSource {
        private struct Watch {
            let identity: FileIdentity
            let source: any DispatchSourceFileSystemObject
        }

        private let watches = Mutex<[String: Watch]>([:])
        private let pending = Mutex<FileEvents>([])
        private let eventSemaphore = DispatchSemaphore(value: 0)
        private let queue = DispatchQueue(label: "chronicle.events")
        private let path: String

        init(path: String) throws {
            self.path = path
            try attach()
        }

        deinit {
            watches.withLock { for watch in $0.values { watch.source.cancel() } }
        }

        func cancel() { add(.cancelled) }

        private func add(_ events: FileEvents) {
            pending.withLock { $0.formUnion(events) }
            eventSemaphore.signal()
        }

        // MARK: Watches

        func attach() throws {
            try watches.withLock { watches in
                // First, so that a file that is created afterwards is noticed.
                let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
                try watch(directory, .replaced, [.write, .delete, .rename], &watches)
                try watch(path + "-wal", .written, [.write, .extend], &watches)
                try watch(path + EventFile.suffix, .raised, [.write, .extend], &watches)
            }
        }

        func detach() {
            watches.withLock { watches in
                for path in [path + "-wal", path + EventFile.suffix] {
                    watches.removeValue(forKey: path)?.source.cancel()
                }
            }
        }

        private func watch(
            _ path: String, _ event: FileEvents, _ mask: DispatchSource.FileSystemEvent,
            _ watches: inout [String: Watch]
        ) throws {
            let identity = FileIdentity(path: path)
            guard identity != watches[path]?.identity else { return }
            watches.removeValue(forKey: path)?.source.cancel()
            guard identity != nil else { return }
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                // The file was deleted in the meantime, or is not accessible.
                if [ENOENT, ENOTDIR, EACCES].contains(errno) { return }
                throw WatchError(code: errno)
            }
            // Of the file that was opened, which may be another one by now.
            guard let opened = FileIdentity(descriptor: descriptor) else {
                let code = errno
                close(descriptor)
                throw WatchError(code: code)
            }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: mask, queue: queue)
            source.setEventHandler { [weak self] in self?.add(event) }
            source.setCancelHandler { close(descriptor) }
            watches[path] = Watch(identity: opened, source: source)
            source.activate()
        }

        // MARK: Waiting

        func wait(until deadline: ContinuousClock.Instant) -> FileEvents {
            while true {
                let events = pending.withLock { pending in
                    defer { pending.formIntersection(.cancelled) }
                    return pending
                }
                if events.contains(.cancelled) { return .cancelled }
                let nanoseconds = (deadline - .now) / .nanoseconds(1)
                guard events.isEmpty, nanoseconds > 0 else { return events }
                _ = eventSemaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
            }
        }
    }
#endif

#if canImport(Glibc) || canImport(Musl) || canImport(Android)
    import Foundation
    import Synchronization

    /// The events of a store's files on Linux. https://man7.org/linux/man-pages/man7/inotify.7.html
    final class InotifyEvents: FileEventSource {
        private let inotify: Int32
        /// A byte that is written to the second socket wakes the thread, which waits for the first one.
        private let (wakeReader, wakeWriter): (Int32, Int32)
        private let path: String
        private let watches = Mutex<[String: Int32]>([:])

        /// Throws ``WatchError`` if a limit of the system is reached, or the directory does not exist.
        init(path: String) throws {
            self.path = path
            let opened = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard opened >= 0 else { throw WatchError(code: errno) }
            var sockets: [Int32] = [-1, -1]
            #if canImport(Glibc)
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let type = Int32(SOCK_STREAM | SOCK_CLOEXEC)
            #endif
            guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else {
                let code = errno
                close(opened)
                throw WatchError(code: code)
            }
            inotify = opened
            (wakeReader, wakeWriter) = (sockets[0], sockets[1])
            try attach()
        }

        deinit {
            for descriptor in [inotify, wakeReader, wakeWriter] { close(descriptor) }
        }

        func cancel() {
            var byte: UInt8 = 0
            _ = write(wakeWriter, &byte, 1)
        }

        // MARK: Watches

        private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

        private static let directoryMask =
            IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR

        func attach() throws {
            try watches.withLock { watches in
                // First, so that a file that is created afterwards is noticed.
                try watch(directory, Self.directoryMask, &watches)
                // Written by writers other than Chronicle: the file itself in the modes with a rollback journal.
                try watch(path, IN_MODIFY, &watches)
                try watch(path + "-wal", IN_MODIFY, &watches)
                try watch(path + EventFile.suffix, IN_ACCESS | IN_MODIFY, &watches)
            }
        }

        func detach() {
            watches.withLock { watches in
                for path in [path, path + "-wal", path + EventFile.suffix] {
                    if let watch = watches.removeValue(forKey: path) { inotify_rm_watch(inotify, watch) }
                }
            }
        }

        private func watch(_ path: String, _ mask: Int32, _ watches: inout [String: Int32]) throws {
            // For a file that is already watched, the system returns the same number.
            let watch = inotify_add_watch(inotify, path, UInt32(mask))
            let code = errno
            if let old = watches[path], old != watch { inotify_rm_watch(inotify, old) }
            watches[path] = watch >= 0 ? watch : nil
            guard watch < 0, ![ENOENT, ENOTDIR, EACCES].contains(code) else { return }
            throw WatchError(code: code)
        }

        // MARK: Waiting

        func wait(until deadline: ContinuousClock.Instant) -> FileEvents {
            var descriptors = [wakeReader, inotify].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Rounded up, so that the wait does not end before the deadline.
            let milliseconds = ((deadline - .now) / .milliseconds(1)).rounded(.up)
            // Interrupted by a signal, it returns early, like at the deadline.
            guard poll(&descriptors, nfds_t(descriptors.count), Int32(max(milliseconds, 0))) > 0 else { return [] }
            if descriptors[0].revents != 0 { return .cancelled }
            return descriptors[1].revents != 0 ? readEvents() : []
        }

        private func readEvents() -> FileEvents {
            let watches = watches.withLock(\.self)
            var events: FileEvents = []
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) {
                buffer in
                while true {
                    let count = read(inotify, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return }
                    var offset = 0
                    while offset < count {
                        let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                        let start = offset + MemoryLayout<inotify_event>.size
                        offset = start + Int(event.len)
                        // The name is padded with NUL characters.
                        let name = buffer[start..<offset].prefix { $0 != 0 }
                        events.formUnion(self.events(event, String(decoding: name, as: UTF8.self), watches))
                    }
                }
            }
            return events
        }

        private func events(_ event: inotify_event, _ name: String, _ watches: [String: Int32]) -> FileEvents {
            // The queue overflowed and events were lost.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return [.raised, .written, .replaced] }
            if event.wd == watches[path + EventFile.suffix], event.mask & UInt32(IN_IGNORED) == 0 { return .raised }
            if event.wd == watches[path] || event.wd == watches[path + "-wal"] {
                return event.mask & UInt32(IN_IGNORED) == 0 ? .written : .replaced
            }
            guard event.wd == watches[directory] else { return .unrelated }
            if name.isEmpty { return .replaced }
            let base = URL(fileURLWithPath: path).lastPathComponent
            guard name.hasPrefix(base) else { return .unrelated }
            return ["", "-wal", EventFile.suffix].contains(String(name.dropFirst(base.count))) ? .replaced : .unrelated
        }
    }
#endif

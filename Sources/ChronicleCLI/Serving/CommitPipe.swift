import Chronicle
import Foundation

/// A thread can wait for commits and for its client at the same time.
final class CommitPipe: Sendable {
    /// Readable if something may have been committed since ``drain()``.
    let descriptor: Int32
    private let writer: Int32
    private let observation: CommitObservation

    /// Observes commits of any process. Throws if the process has too many open files, or a server accepts no further
    /// connection.
    init(_ store: any ToolStore) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let writer = ends[1]
        (descriptor, self.writer) = (ends[0], writer)
        observation = try store.observeCommits {
            var byte: UInt8 = 0
            // If the pipe is full, it is readable already.
            _ = write(writer, &byte, 1)
        }
    }

    deinit {
        // Waits until no handler writes any more.
        observation.cancel()
        close(descriptor)
        close(writer)
    }

    /// Read the history afterwards.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }

    /// Waits until something may have been committed since ``drain()``.
    func wait() throws {
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&descriptors, 1, -1) < 0 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }
}

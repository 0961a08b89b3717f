import Foundation

/// A pipe that other threads make readable, so that a thread can wait for them and for its client at the same time.
public final class WakePipe: Sendable {
    /// Readable if ``wake()`` was called since ``drain()``.
    public let descriptor: Int32
    private let writer: Int32

    /// Throws if the process has too many open files.
    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    public func wake() {
        var byte: UInt8 = 0
        // If the pipe is full, it is readable already.
        _ = write(writer, &byte, 1)
    }

    /// Call this before reading what the other threads have changed.
    public func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }

    /// Waits until ``wake()`` was called since ``drain()``.
    public func wait() throws {
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&descriptors, 1, -1) < 0 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }
}

import Chronicle
import Foundation
import Synchronization

/// An open file with access to bytes at offsets and an advisory lock. It is closed with its last reference.
final class JournalFile: Sendable {
    enum Lock {
        /// Several readers at once, and no writer.
        case shared
        /// Exclusive access.
        case exclusive
    }

    let descriptor: Int32
    /// Whether the directory was synchronized since the file was opened.
    let hasDurableName = Atomic(false)

    /// Opens a file, or creates an empty one if there is none and `creates` is true.
    convenience init(_ path: String, creates: Bool) throws {
        try self.init(path, flags: creates ? O_CREAT : 0, permissions: 0o644)
    }

    init(_ path: String, flags: Int32, permissions: mode_t) throws {
        descriptor = try Self.retrying {
            open(path, O_RDWR | O_CLOEXEC | flags, permissions)
        } orThrow: {
            Self.openingError($0, path, flags & O_CREAT != 0)
        }
    }

    deinit { close(descriptor) }

    // MARK: Bytes

    var size: Int {
        get throws { Int(try status.st_size) }
    }

    var status: stat {
        get throws {
            var status = stat()
            try Self.retrying {
                fstat(descriptor, &status)
            } orThrow: {
                Self.error("look at", $0)
            }
            return status
        }
    }

    /// Returns whether this is the file at a path, which a compaction may have replaced.
    ///
    /// - Throws: `SwiftDataError.storeFailure` if there is no file.
    func isInPlace(_ path: String) throws -> Bool {
        var there = stat()
        // The function, which has the same name as the type.
        try Self.retrying {
            stat(path, &there)
        } orThrow: {
            Self.error("find", $0)
        }
        let here = try status
        return there.st_ino == here.st_ino && there.st_dev == here.st_dev
    }

    /// Returns the bytes from an offset on, fewer at the end of the file.
    func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            while filled < count {
                let (rest, place) = (UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]), offset + filled)
                let read = try Self.retrying {
                    pread(descriptor, rest.baseAddress, rest.count, off_t(place))
                } orThrow: {
                    Self.error("read", $0)
                }
                if read == 0 { break }
                filled += read
            }
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let (rest, place) = (UnsafeRawBufferPointer(rebasing: bytes[written...]), offset + written)
                written += try Self.retrying {
                    pwrite(descriptor, rest.baseAddress, rest.count, off_t(place))
                } orThrow: {
                    Self.error("write", $0)
                }
            }
        }
    }

    func truncate(to size: Int) throws {
        try Self.retrying {
            ftruncate(descriptor, off_t(size))
        } orThrow: {
            Self.error("shorten", $0)
        }
    }

    /// Returns when the bytes are on the disk, as far as the system can tell.
    func synchronize() throws {
        #if canImport(Darwin)
            // On Apple platforms, fsync only passes them to the disk:
            // https://developer.apple.com/documentation/xcode/reducing-disk-writes
            try Self.retrying {
                fcntl(descriptor, F_FULLFSYNC)
            } orThrow: {
                Self.error("synchronize", $0)
            }
        #else
            try Self.retrying {
                fsync(descriptor)
            } orThrow: {
                Self.error("synchronize", $0)
            }
        #endif
    }

    // MARK: Locks

    /// Waits for a lock.
    ///
    /// The lock belongs to the open file, not to the process, so it also applies between two stores of one process. The
    /// system releases it when the process ends, however it ends.
    ///
    /// - Throws: `SwiftDataError.storeBusy` if another process holds the lock for longer than the timeout.
    func lock(_ lock: Lock, for timeout: Duration) throws {
        let operation = (lock == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        let deadline = ContinuousClock.now + timeout
        var pause: UInt32 = 20
        while flock(descriptor, operation) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else { throw Self.error("lock", code) }
            guard ContinuousClock.now < deadline else {
                throw SwiftDataError.storeBusy.with(detail: "another process has locked the journal for \(timeout)")
            }
            usleep(pause)
            pause = min(pause * 2, 1_000)
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }
}

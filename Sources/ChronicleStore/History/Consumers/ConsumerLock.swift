import ChronicleCore
import ChronicleSQLite
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A lock of a consumer, which the operating system releases when the process ends: an open file description lock on one
/// byte of a file beside the store. It also excludes other instances in the same process, and closing another descriptor
/// does not release it. Closing a descriptor of the database itself would release SQLite's locks.
/// https://man7.org/linux/man-pages/man2/F_OFD_SETLK.2const.html
final class ConsumerLock: Sendable {
    private let descriptor: Int32
    private let byte: Int64

    static func path(ofStoreAt path: String) -> String { path + "-consumers" }

    /// Returns `nil` if another instance holds the lock. `number`, that of the consumer, is the position of the byte;
    /// `path` has no symbolic links.
    init?(number: Int64, ofStoreAt path: String) throws {
        let file = Self.path(ofStoreAt: path)
        // Repeated if the file is deleted between opening and locking it.
        for _ in 0..<10 {
            let descriptor = try Self.open(file, likeStoreAt: path)
            var isHeld = false
            defer { if !isHeld { close(descriptor) } }
            guard try Self.lock(descriptor, byte: number, file) else { return nil }
            if Self.isCurrent(descriptor, file) {
                isHeld = true
                self.descriptor = descriptor
                byte = number
                return
            }
        }
        throw SwiftDataError.storeFailure.with(
            detail: "another program repeatedly deletes \(file), which must remain while programs use the store")
    }

    deinit {
        // Explicitly, because a child process has a copy of the descriptor until it runs another program, and closing
        // this one would not release the lock before that.
        _ = Self.set(F_UNLCK, descriptor, byte: byte)
        close(descriptor)
    }

    private static func open(_ file: String, likeStoreAt path: String) throws -> Int32 {
        // A program that this one starts must not keep the lock, and another user must not redirect the file.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        if let other = FileIdentity(path: file), !other.isRegular || other.size > 0 {
            throw SwiftDataError.storeFailure.with(
                detail: "\(file) is a file of another program; rename the store or that file")
        }
        let mode = (FileIdentity(path: path)?.permissions ?? 0o644) & 0o666
        #if canImport(Darwin)
            let descriptor = Darwin.open(file, flags, mode)
        #elseif canImport(Glibc)
            let descriptor = Glibc.open(file, flags, mode)
        #elseif canImport(Musl)
            let descriptor = Musl.open(file, flags, mode)
        #elseif canImport(Android)
            let descriptor = Android.open(file, flags, mode)
        #endif
        guard descriptor >= 0 else { throw failure("\(file) cannot be opened") }
        // Users who may write the store may lock. Fails if another user created the file, who then has done the same.
        _ = fchmod(descriptor, mode)
        return descriptor
    }

    private static func lock(_ descriptor: Int32, byte: Int64, _ file: String) throws -> Bool {
        if set(F_WRLCK, descriptor, byte: byte) { return true }
        guard errno == EAGAIN || errno == EACCES else { throw failure("\(file) cannot be locked") }
        return false
    }

    /// `errno` has the reason of a failure.
    private static func set(_ type: some BinaryInteger, _ descriptor: Int32, byte: Int64) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return fcntl(descriptor, setLock, &lock) == 0
    }

    private static func isCurrent(_ descriptor: Int32, _ file: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(file, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// `F_OFD_SETLK`, which Glibc defines only for GNU sources.
    private static var setLock: Int32 {
        #if canImport(Darwin)
            90
        #else
            37
        #endif
    }

    private static func failure(_ what: String) -> SwiftDataError {
        let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        return .storeFailure.with(detail: "\(what); check its permissions", underlying: error)
    }
}

#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Android)
    package import Android
#endif

/// Changes when another file replaces this one.
package struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t
    package let permissions: mode_t
    /// `false` for a directory, a device or a pipe.
    package let isRegular: Bool
    package let size: Int64

    /// `nil` if there is no file at the path, or it is inaccessible.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (device, number, permissions) = (status.st_dev, status.st_ino, status.st_mode & 0o777)
        (isRegular, size) = (status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size))
    }

    package static func == (lhs: FileIdentity, rhs: FileIdentity) -> Bool {
        lhs.device == rhs.device && lhs.number == rhs.number
    }
}

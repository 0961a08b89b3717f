import Foundation

/// A file that replaces another one when it is complete, so that a reader never sees a part of it. A path that is not that
/// of a regular file, such as `/dev/stdout`, is written directly.
final class AtomicFile {
    private let path: String
    /// `nil` if the file at the path is written.
    private let temporaryPath: String?
    private let descriptor: Int32
    private var buffer = Data()

    /// Returns whether there is a regular file at a path, which would be replaced.
    static func replaces(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    init(_ path: String) throws {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        self.path = url.path
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG {
            temporaryPath = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let name = ".\(url.lastPathComponent).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
            let temporary = url.deletingLastPathComponent().appending(path: name).path
            temporaryPath = temporary
            descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            // The new file has the permissions of the old one.
            if exists, descriptor >= 0 { fchmod(descriptor, status.st_mode & 0o777) }
        }
        guard descriptor >= 0 else { throw FileFailure(path) }
    }

    /// Removes an incomplete file.
    deinit {
        close(descriptor)
        if let temporaryPath { unlink(temporaryPath) }
    }

    func write(_ data: Data) throws {
        buffer.append(data)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Moves the file to its path. After an error, such as a full disk, the file at the path is unchanged.
    func finish() throws {
        try flush()
        guard let temporaryPath else { return }
        guard rename(temporaryPath, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    private func flush() throws {
        try Console.write(buffer, to: descriptor)
        buffer.removeAll(keepingCapacity: true)
    }
}

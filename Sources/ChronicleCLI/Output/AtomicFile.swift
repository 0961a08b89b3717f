import Foundation

/// A file that replaces another one when it is complete, so that a reader never sees a part of it.
///
/// If the path is not that of a regular file, such as `/dev/stdout`, it is written directly.
final class AtomicFile {
    private let path: String
    /// The file that is written, or `nil` if it is the one at the path.
    private let temporaryPath: String?
    private let descriptor: Int32
    private var buffer = Data()

    /// Returns whether there is a regular file at a path, which would be replaced.
    static func replaces(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// - Throws: ``FileFailure`` if the file cannot be written.
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

    /// Removes the file if it is not complete.
    deinit {
        close(descriptor)
        if let temporaryPath { unlink(temporaryPath) }
    }

    /// Appends to the file.
    ///
    /// - Throws: `POSIXError`, for example if the disk is full.
    func write(_ data: Data) throws {
        buffer.append(data)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Completes the file and moves it to its path.
    ///
    /// - Throws: `POSIXError`, for example if the disk is full. The file at the path is then unchanged.
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

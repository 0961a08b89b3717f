import ChronicleCore
import Foundation

/// A new file in a directory beside its final place, to which it moves when it is complete.
struct UnpublishedFile {
    /// The file until it is published.
    let url: URL
    private let destination: URL
    private let directory: URL

    /// Throws `SwiftDataError.storeFailure` if there is a file at the URL, or one that SQLite would use together with it.
    init(for destination: URL) throws {
        self.destination = destination
        for suffix in ["", "-wal", "-journal", "-shm"] where Self.exists(destination.path + suffix) {
            throw SwiftDataError.storeFailure.with(
                detail: "\(destination.path + suffix) exists already; move it away or choose another URL")
        }
        let name = destination.lastPathComponent
        directory = destination.deletingLastPathComponent().appending(path: ".\(name)-\(UUID().uuidString)")
        url = directory.appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SwiftDataError.storeFailure.with(
                detail: "\(destination.path) cannot be created; check that its directory exists and can be written",
                underlying: error)
        }
    }

    /// A link without a target would be replaced, too.
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Moves the file to its place, unless another program has created a file there. If it throws, there is none of this one.
    func publish() throws {
        try requireCompleteFile()
        try synchronize(url)
        let parent = destination.deletingLastPathComponent()
        let folder = open(parent.path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("\(parent.path) cannot be read") }
        defer { close(folder) }
        // Unlike `rename`, `link` replaces nothing. Some file systems have no links.
        if link(url.path, destination.path) != 0 {
            guard errno != EEXIST, !Self.exists(destination.path), rename(url.path, destination.path) == 0 else {
                throw Self.failure("\(destination.path) cannot be created; choose another URL")
            }
        }
        do { try synchronize(folder, parent) } catch {
            unlink(destination.path)
            throw error
        }
    }

    /// Removes the permissions that another file does not have. The owner can always read and write.
    func restrictPermissions(toThoseOf path: String) throws {
        var (other, own) = (stat(), stat())
        // If the other file was deleted, only the owner has access.
        let allowed: mode_t = stat(path, &other) == 0 ? other.st_mode | 0o600 : 0o600
        guard stat(url.path, &own) == 0 else { throw Self.failure("\(url.path) cannot be read") }
        // Not every file system has permissions.
        guard own.st_mode & 0o777 & ~allowed != 0 else { return }
        guard chmod(url.path, own.st_mode & 0o777 & allowed) == 0 else {
            throw Self.failure("the permissions of \(url.path) cannot be changed")
        }
    }

    /// SQLite copies the log into the file when it closes the file, and reports no error.
    private func requireCompleteFile() throws {
        for suffix in ["-wal", "-journal"] {
            var status = stat()
            guard stat(url.path + suffix, &status) == 0, status.st_size > 0 else { continue }
            throw SwiftDataError.storeFailure.with(
                detail:
                    "the log of the new file could not be copied into it; check the state of the disk and its free space"
            )
        }
    }

    private func synchronize(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("\(url.path) cannot be read") }
        defer { close(descriptor) }
        try synchronize(descriptor, url)
    }

    private func synchronize(_ descriptor: Int32, _ url: URL) throws {
        // Not every file system can synchronize directories.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw Self.failure("\(url.path) cannot be written to the disk; check its state")
        }
    }

    private static func failure(_ detail: String) -> SwiftDataError {
        let code = POSIXErrorCode(rawValue: errno) ?? .EIO
        return SwiftDataError.storeFailure.with(detail: detail, underlying: POSIXError(code))
    }

    /// Removes what is left in the directory.
    func remove() {
        // An error that made the file incomplete is the one to report.
        try? FileManager.default.removeItem(at: directory)
    }
}

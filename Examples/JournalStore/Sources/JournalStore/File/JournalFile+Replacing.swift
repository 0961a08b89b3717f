import Chronicle
import Foundation
import Synchronization

// A compaction replaces a journal with a new file.
extension JournalFile {
    /// Creates an empty file that will replace another one, with the same permissions and, where the system allows
    /// that, the same owner and group.
    convenience init(_ path: String, replacing other: JournalFile) throws {
        // A file that was left over has its own permissions, and may be a link to another file.
        unlink(path)
        try self.init(path, flags: O_CREAT | O_EXCL, permissions: 0o600)
        let status = try other.status
        // Before the permissions, because chown clears some of them: https://man7.org/linux/man-pages/man2/chown.2.html
        for owner in [status.st_uid, uid_t.max] {
            if fchown(descriptor, owner, status.st_gid) == 0 { break }
            let code = errno
            guard code == EPERM || code == EINVAL else { throw Self.error("change the owner of", code) }
        }
        try Self.retrying {
            fchmod(descriptor, status.st_mode & 0o7777)
        } orThrow: {
            Self.error("change the permissions of", $0)
        }
    }

    /// Atomically replaces the file at one path with the file at another.
    static func move(_ path: String, to newPath: String) throws {
        try retrying {
            rename(path, newPath)
        } orThrow: {
            error("replace", $0)
        }
    }

    /// Returns when the file's name is on the disk. Until then, a power failure may restore the previous file with that
    /// name. Does nothing if this was already done since the file was opened.
    func synchronizeName(_ path: String) throws {
        guard !hasDurableName.load(ordering: .relaxed) else { return }
        try Self.synchronizeDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        hasDurableName.store(true, ordering: .relaxed)
    }

    /// Returns when the names in a directory are on the disk. A test may replace this with a function that fails.
    @TaskLocal static var synchronizeDirectory: @Sendable (_ path: String) throws -> Void = { path in
        let directory = try retrying {
            open(path, O_RDONLY | O_CLOEXEC)
        } orThrow: {
            error("open the directory of", $0)
        }
        defer { close(directory) }
        try retrying {
            fsync(directory)
        } orThrow: {
            error("synchronize the directory of", $0)
        }
    }

    /// The path of a file without symbolic links, because a replacement has to be in the directory of the file and not
    /// of the link.
    static func resolvingLinks(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw openingError(errno, path, false) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
